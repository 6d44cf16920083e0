"""The kind next_sentence."""
