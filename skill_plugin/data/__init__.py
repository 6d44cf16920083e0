"""Binarised corpora as one fairseq dataset."""
