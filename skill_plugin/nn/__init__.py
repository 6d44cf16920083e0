"""Torch modules only: they know no corpus names, no config object and nothing of fairseq.

Axes: N tokens of a pack, S sequences, U units that a head reads (sentences here), D width, F feed-forward width,
H heads, C classes, L tokens of the longest sequence.
"""
