"""governance: everything that may say no."""
