"""Which experts the corpora use."""
