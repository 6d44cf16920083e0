"""Slices of trained models for programs that know nothing of this one."""
