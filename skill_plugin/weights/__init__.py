"""Files of ``torch.save``: read without running anything in them, looked at for damage, and written whole."""
