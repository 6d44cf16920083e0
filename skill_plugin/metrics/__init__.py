"""Metrics as a summable state and a function from the state to a value, so that any number of ranks agrees."""
