"""Encoders of other programs, and the file in which they are imported."""
