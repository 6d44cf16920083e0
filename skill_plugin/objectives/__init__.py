"""What outputs of a head stand for, by family of answers, and how a segment's losses are averaged and scaled.

Axes: U units that a head reads, C classes, Q queries, S windows. All losses are float32, natural logarithm.
"""
