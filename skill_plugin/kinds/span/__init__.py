"""The kind span."""
