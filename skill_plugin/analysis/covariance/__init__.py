"""How alike corpora are where they enter the first layer: the covariances of its inputs (CA-MTL, equation 3.7)."""
