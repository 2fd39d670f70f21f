"""knowledge: the map of what may be read (manifest and planner). Pure."""
