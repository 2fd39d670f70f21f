"""memory: the long-term notes: reading them, and writing findings."""
