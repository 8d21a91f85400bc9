"""Greedy selection, sparse regression and self-representation on centred columns."""
