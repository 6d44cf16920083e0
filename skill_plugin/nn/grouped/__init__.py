"""Many modules of one shape over many tokens, by grouped matrix products: each token through those that it chose.

Axes beside those of ``nn``: E modules, M rows, one for each pair of a token and a module that it chose.
"""
