"""Criterions as fairseq knows them."""
