"""scheduling: when things run, and the one thread that runs them."""
