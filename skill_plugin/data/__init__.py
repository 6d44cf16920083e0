"""The stored rows of a corpus as examples: sequences to pack, targets to learn, answers to score."""
