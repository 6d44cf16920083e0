"""Sweeps: one file that says which training runs there are, how they are compared, and the table that they give."""
