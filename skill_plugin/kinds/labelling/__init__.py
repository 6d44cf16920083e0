"""The kind labelling."""
