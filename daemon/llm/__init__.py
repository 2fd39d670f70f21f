"""llm: the doors to a model, and what a model costs."""
