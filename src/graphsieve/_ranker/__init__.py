"""Parts of FeatureRanker: batches, constraints, reconstruction and its explanation."""
