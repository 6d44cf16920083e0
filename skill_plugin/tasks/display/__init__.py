"""A run on a terminal: a few lines that stay in place."""
