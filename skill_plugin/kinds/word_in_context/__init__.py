"""The kind word_in_context."""
