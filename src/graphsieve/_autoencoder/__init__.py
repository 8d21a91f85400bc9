"""The graph autoencoder: objective, passes over row blocks, batches, and its estimator base."""
