"""Which trained task embedding serves a new corpus best."""
