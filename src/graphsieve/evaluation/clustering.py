"""Agreement of clusters with classes."""

from functools import partial

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment
from scipy.special import entr
from sklearn.metrics import normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_consistent_length, check_random_state

from .._rows import check_container
from .._utils.threads import Workers
from .lloyd import lloyd


def clustering_accuracy(y_true, clusters):
    """Clustering accuracy (ACC): accuracy under the best one-to-one map of clusters to classes.

    The best map solves an assignment problem. If there are more clusters than classes, the
    samples of the clusters left over count as wrong.

    Parameters
    ----------
    y_true, clusters : array-like of shape (n_samples,)
        Classes and clusters.

    Returns
    -------
    float
        Greater than 0, at most 1.

    Examples
    --------
    >>> clustering_accuracy([0, 0, 1, 1], [7, 7, 7, 3])
    0.75
    """
    check_consistent_length(y_true, clusters)
    return _accuracy(contingency_matrix(y_true, clusters))


def nmi(y_true, clusters):
    """Normalised mutual information ``MI(C, G) / max(H(C), H(G))``.

    Normalised by the larger entropy, as in the GAFS paper. The default of scikit-learn, the mean
    of the two entropies, gives larger values.

    Parameters
    ----------
    y_true, clusters : array-like of shape (n_samples,)
        Classes and clusters.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> round(nmi([0, 0, 1, 1], [0, 1, 2, 3]), 3)
    0.5
    """
    return float(normalized_mutual_info_score(y_true, clusters, average_method="max"))


def clustering_scores(X, y, n_repeats=20, random_state=0, n_jobs=None):
    """ACC and NMI of repeated k-means clusterings with as many clusters as classes.

    Each repetition starts once, from random samples, as in the GAFS paper: the mean over the
    repetitions is the expected result of one run, the spread is due to the start.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The selected columns.
    y : array-like of shape (n_samples,)
        Classes.
    n_repeats : int, default=20
        Repetitions of k-means.
    random_state : int, RandomState or None, default=0
        Random seed.
    n_jobs : int or None, default=None
        Threads; None uses all cores.

    Returns
    -------
    ndarray of shape (n_repeats, 2)
        One row per repetition: ACC, NMI.

    Examples
    --------
    >>> clustering_scores([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], n_repeats=2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    check_container(X)
    rng = check_random_state(random_state)
    classes = np.unique(y, return_inverse=True)[1]
    n_samples, n_clusters = np.shape(X)[0], classes.max() + 1
    starts = np.array([rng.permutation(n_samples)[:n_clusters] for _ in range(n_repeats)])
    # Single precision changes the scores less than the start does.
    X = X.astype(np.float32) if sp.issparse(X) else np.asarray(X, dtype=np.float32, order="C")
    with Workers(n_jobs) as workers:
        parts = np.array_split(starts, min(workers.n, n_repeats))
        labels = np.concatenate(workers.map(partial(lloyd, X), parts))
    return np.array([_agreement(_contingency(classes, clusters)) for clusters in labels])


def _contingency(classes, clusters):
    """Numbers of samples by class and cluster; both are counted from 0."""
    shape = classes.max() + 1, clusters.max() + 1
    pairs = np.ravel_multi_index((classes, clusters), shape)
    return np.bincount(pairs, minlength=np.prod(shape)).reshape(shape)


def _agreement(counts):
    """ACC and NMI from the numbers of samples by class and cluster."""
    p = counts / counts.sum()
    of_classes, of_clusters = entr(p.sum(axis=1)).sum(), entr(p.sum(axis=0)).sum()
    information = max(0.0, of_classes + of_clusters - entr(p).sum())
    largest = max(of_classes, of_clusters)
    return _accuracy(counts), information / largest if largest > 0 else 1.0


def _accuracy(counts):
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())
