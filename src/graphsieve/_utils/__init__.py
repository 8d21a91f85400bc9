"""Threads, files, warnings and the private names of scikit-learn that are in use."""
