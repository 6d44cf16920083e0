"""Heads: modules that read hidden states [N, D] at flat positions and give a corpus's answer."""
