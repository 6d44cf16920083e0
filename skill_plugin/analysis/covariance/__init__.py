"""How a first layer's weights go together with task embeddings."""
