"""Tokenizers with character offsets, the vocabulary in fairseq's order, and the template that joins texts."""
