"""The kind masked_lm."""
