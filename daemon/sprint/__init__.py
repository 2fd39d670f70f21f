"""sprint: plan, load context, attempt, judge, commit."""
