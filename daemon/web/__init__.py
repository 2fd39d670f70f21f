"""web: the HTTP face."""
