"""Optimizers registered with fairseq."""
