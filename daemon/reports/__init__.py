"""reports: what the store knows, put into words for people."""
