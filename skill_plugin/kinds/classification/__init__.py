"""The kind classification."""
