"""Checkpoints of our own: what a run saves of itself, adapters apart from their base, and what a run may start from."""
