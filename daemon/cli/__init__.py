"""cli: the commands."""
