"""store: the only SQL. Rows in, rows out; no rule lives here."""
