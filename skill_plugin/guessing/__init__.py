"""Guesses a corpora file from a folder of raw files: files -> guesses with reasons -> text. Loads no torch."""
