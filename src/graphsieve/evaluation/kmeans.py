"""Many k-means clusterings of the same rows, side by side.

Twenty repetitions share one matrix product per step, and a step moves only the samples that
change their cluster: on small data that is ten times faster than twenty separate runs, and
repetitions of k-means are what most of an evaluation's time goes into.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.sparsefuncs import mean_variance_axis

from .._rows import split_rows
from .._utils.threads import Workers

BLOCK_ROWS = 1024


def repeated_kmeans(
    X, n_clusters, n_repeats=20, *, max_iter=300, tol=1e-4, random_state=0, n_jobs=None
):
    """Clusters of ``n_repeats`` independent runs of Lloyd's algorithm from random samples.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    n_clusters : int
    n_repeats : int, default 20
    max_iter : int, default 300
    tol : float, default 1e-4
        A run ends when its centres together move by less than this, squared and relative to the
        mean variance of the columns, or when no sample changes its cluster.
    random_state : int, RandomState or None, default 0
    n_jobs : int or None, default None
        Threads; their number does not change the result.

    Returns
    -------
    ndarray of int of shape (n_samples, n_repeats)

    Examples
    --------
    >>> labels = repeated_kmeans([[0.0], [0.1], [5.0], [5.1]], 2, n_repeats=3)
    >>> (labels[0] == labels[1]).all(), (labels[1] != labels[2]).all()
    (np.True_, np.True_)
    """
    X, variance = _prepare(X)
    n_samples = X.shape[0]
    if not 1 <= n_clusters <= n_samples:
        raise ValueError(f"n_clusters={n_clusters} is not between 1 and {n_samples} samples")
    rng = check_random_state(random_state)
    starts = [rng.permutation(n_samples)[:n_clusters] for _ in range(n_repeats)]
    centres = _as_dense(X[np.concatenate(starts)]).reshape(n_repeats, n_clusters, -1)
    runs = _Runs(X, centres)
    with Workers(n_jobs) as workers:
        for _ in range(max_iter):
            runs.step(workers, tol * variance)
            if not runs.active.any():
                break
        return runs.assign(workers, np.arange(n_repeats))[0]


class _Runs:
    """The state of all runs: centres, clusters, and the sums that the centres are made of."""

    def __init__(self, X, centres):
        n_repeats, n_clusters, _ = centres.shape
        self.X, self.centres = X, centres
        self.blocks = split_rows(X.shape[0], BLOCK_ROWS)
        self.labels = np.full((X.shape[0], n_repeats), -1)
        self.sums = np.zeros_like(centres)
        self.counts = np.zeros((n_repeats, n_clusters), dtype=int)
        self.active = np.ones(n_repeats, dtype=bool)

    def assign(self, workers, runs):
        """Nearest centre of every sample in each of ``runs``, and |x - c|^2 - |x|^2."""
        centres = self.centres[runs]
        flat = centres.reshape(-1, centres.shape[-1])
        lengths = (flat**2).sum(axis=1)

        def nearest(rows):
            gap = lengths - 2 * (self.X[rows] @ flat.T)
            gap = gap.reshape(len(gap), len(runs), -1)
            return gap.argmin(axis=2), gap.min(axis=2)

        labels, gaps = zip(*workers.map(nearest, self.blocks), strict=True)
        return np.concatenate(labels), np.concatenate(gaps)

    def step(self, workers, tol):
        """Assign, move the centres, and retire the runs that have settled."""
        runs = np.flatnonzero(self.active)
        labels, gaps = self.assign(workers, runs)
        self._fill_empty(labels, gaps)
        changed = self._move(labels, runs)
        centres = self.sums[runs] / np.maximum(self.counts[runs], 1)[:, :, None]
        shift = ((centres - self.centres[runs]) ** 2).sum(axis=(1, 2))
        self.centres[runs] = centres
        self.active[runs] = changed & (shift > tol)

    def _fill_empty(self, labels, gaps):
        """Give every empty cluster the sample that lies farthest from its centre."""
        n_clusters = self.counts.shape[1]
        for run in range(labels.shape[1]):
            sizes = np.bincount(labels[:, run], minlength=n_clusters)
            if sizes.all():
                continue
            empty = np.flatnonzero(sizes == 0)
            distance = gaps[:, run] + _squared_lengths(self.X)
            labels[np.argsort(-distance, kind="stable")[: len(empty)], run] = empty

    def _move(self, labels, runs):
        """Take the samples that change their cluster from one sum to another."""
        old = self.labels[:, runs]
        sample, column = np.nonzero(labels != old)
        run, n_clusters = runs[column], self.counts.shape[1]
        joined = run * n_clusters + labels[sample, column]
        left = run * n_clusters + old[sample, column]
        was_in = old[sample, column] >= 0
        into = np.concatenate([joined, left[was_in]])
        sign = np.concatenate([np.ones(len(joined)), -np.ones(was_in.sum())])
        moves = sp.csr_array(
            (sign.astype(self.X.dtype), (into, np.concatenate([sample, sample[was_in]]))),
            shape=(self.counts.size, len(labels)),
        )
        self.sums += _as_dense(moves @ self.X).reshape(self.sums.shape)
        self.counts += (
            np.bincount(into, sign, self.counts.size).astype(int).reshape(self.counts.shape)
        )
        self.labels[:, runs] = labels
        return np.isin(np.arange(len(runs)), column)


def _prepare(X):
    """The data for the runs, and the mean variance of its columns.

    Dense data are centred, which spares digits enough for single precision; CSR data cannot be.
    """
    if sp.issparse(X):
        X = sp.csr_array(X, dtype=np.float64)
        return X, float(mean_variance_axis(X, axis=0)[1].mean())
    X = np.asarray(X, dtype=float)
    X = X - X.mean(axis=0)
    return np.ascontiguousarray(X, dtype=np.float32), float((X**2).mean())


def _squared_lengths(X):
    return np.asarray((X.multiply(X) if sp.issparse(X) else X**2).sum(axis=1)).ravel()


def _as_dense(X):
    return X.toarray() if sp.issparse(X) else X
