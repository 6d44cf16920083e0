"""Results as data (``results.json``) and as tables."""
