"""Losses of a segment, and how they are scaled against one another.

Axes: U units that a head reads, C classes, Q queries, S sequences. All losses are float32, natural logarithm.
"""
