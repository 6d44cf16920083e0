"""A trained model on data folders: its splits, packs and scores."""
