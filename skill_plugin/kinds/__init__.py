"""What a corpus can ask for: a folder a kind."""
