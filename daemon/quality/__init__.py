"""quality: text in, verdict out. Pure: no files but its own pattern tables, no model, no clock."""
