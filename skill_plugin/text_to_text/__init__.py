"""Rows as a text-to-text model reads and answers them."""
