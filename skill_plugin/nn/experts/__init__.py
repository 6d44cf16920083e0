"""Mixture of experts in the feed-forward slot: E networks of which a gate chooses k for every token.

Axes beside those of ``skill_plugin.nn``: E experts, k experts of a token, M = N k rows, one for each choice.
"""
