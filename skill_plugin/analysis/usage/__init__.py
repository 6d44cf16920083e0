"""Which experts serve which corpora and languages, layer by layer."""
