"""From rows to neighbours, affinities, Laplacians and spectral embeddings."""
