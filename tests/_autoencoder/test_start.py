"""Where the network starts."""

import numpy as np

from graphsieve import GAFS
from graphsieve._autoencoder.start import principal_start
from graphsieve._rows import RowBlocks


def test_constant_columns_have_no_weights(rng):
    """Axes have rounding errors there, which differ between processors and versions of BLAS."""
    X = rng.random((30, 5))
    X[:, 3] = 0.1
    axes = np.linalg.qr(rng.standard_normal((5, 2)))[0]
    axes[3] = 2e-16
    weights = principal_start(RowBlocks(X), axes, "sigmoid")
    assert not weights.W_in[3].any()
    assert not weights.W_out[:, 3].any()
    assert weights.W_in[[0, 1, 2, 4]].all()


def test_rounding_does_not_grow_at_constant_columns():
    """Of mostly zero data with two empty columns, in the last digit."""
    rng = np.random.default_rng(0)
    X = np.sqrt(rng.poisson(rng.random(20) * rng.exponential(0.15, (150, 1)), (150, 20)))
    assert np.count_nonzero(X.any(axis=0)) == 18
    settings = {"scale": "minmax", "random_state": 0, "n_jobs": 1, "dtype": "float64"}
    method = GAFS(5, max_iter=10, **settings)
    code = method.fit(X).encode(X)
    for seed in range(5):
        changed = np.random.default_rng(seed).random(X.shape) < 0.3
        method.fit(np.where(changed, np.nextafter(X, 0), X))
        np.testing.assert_allclose(method.encode(X), code, atol=1e-9)
