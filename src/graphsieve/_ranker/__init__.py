"""Parts of FeatureRanker: input, support and reconstruction; greedy picks; batches of samples."""
