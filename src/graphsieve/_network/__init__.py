"""The autoencoder of GAFS and AEFS: objective, elimination, L-BFGS, and what the two share."""
