"""A slice as a folder that the Auto classes of transformers load, without code of ours."""
