"""The kind ranking."""
