"""Binarised corpora in fairseq's own layout, written and read with numpy, and their manifest."""
