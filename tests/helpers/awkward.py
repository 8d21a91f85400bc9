"""Small tables on which the methods must equal their plain formulas."""

import numpy as np


def tables():
    """Name -> table: each shape, and each kind of input that breaks careless programs."""
    rng = np.random.default_rng(0)

    def correlated(n, d):
        return rng.random((n, 4)) @ rng.random((4, d)) + 0.2 * rng.random((n, d))

    twice = correlated(15, 9)
    constant = correlated(18, 12)
    constant[:, 5] = 3.0
    return {
        "wide": correlated(14, 31),
        "square": correlated(16, 16),
        "tall": correlated(40, 11),
        "ties": rng.integers(0, 3, (25, 8)).astype(float),
        "duplicate features": np.hstack([twice, twice]),
        "duplicate samples": np.vstack([twice, twice]),
        "constant feature": constant,
        "two far clusters": np.kron(np.eye(2), np.ones((9, 6))) * (1 + rng.random((18, 12))),
    }
