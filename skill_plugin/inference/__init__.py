"""A trained model on the corpora of a data folder: which they have in common, its packs and its scores."""
