"""The model as fairseq knows it: ``skill_encoder`` and its architectures."""
