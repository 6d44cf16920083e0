"""T5's encoder and decoder (Raffel et al. 2020), as mT5 has them (Xue et al. 2021), over packed batches.

Axes beside those of ``skill_plugin.nn``: M target tokens, T targets, V symbols, H heads, d columns of a head.
"""
