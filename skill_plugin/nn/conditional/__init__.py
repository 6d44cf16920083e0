"""CA-MTL (chapter 3): modules that a task embedding modulates, one set of weights for all corpora."""
