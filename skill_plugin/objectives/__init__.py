"""Losses of a segment, and how they are scaled against one another."""
