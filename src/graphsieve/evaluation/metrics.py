"""Numbers that say how good a set of columns is; each is a plain function of arrays.

Rows are samples. Dense arrays and CSR matrices are both welcome: sparse data stay sparse.
"""

from itertools import pairwise

import numpy as np
import scipy.sparse as sp
from scipy.linalg import solve
from scipy.optimize import linear_sum_assignment
from scipy.special import entr
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from .._linear.ridge import ridge_penalty
from .._rows import split_rows
from .kmeans import repeated_kmeans


def clustering_accuracy(y_true, clusters):
    """Share of samples in the right cluster under the best one-to-one naming of clusters (ACC).

    ACC = max over one-to-one maps of clusters to classes of mean(y == map(cluster)); the best map
    is an assignment problem, solved by the Hungarian method. A cluster left without a class
    counts as wrong.

    Parameters
    ----------
    y_true, clusters : array of shape (n_samples,)

    Returns
    -------
    float in (0, 1]

    Examples
    --------
    >>> clustering_accuracy([0, 0, 1, 1], [7, 7, 7, 3])
    0.75
    """
    counts = _contingency(y_true, clusters)
    return float(counts[linear_sum_assignment(counts, maximize=True)].sum() / counts.sum())


def nmi(y_true, clusters):
    """Normalised mutual information MI(C, G) / max(H(C), H(G)).

    Normalised by the larger entropy, as in the GAFS paper; scikit-learn's default, the mean of
    the two entropies, gives larger values. 1 when both are one single cluster.

    Parameters
    ----------
    y_true, clusters : array of shape (n_samples,)

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> round(nmi([0, 0, 1, 1], [0, 1, 2, 3]), 3)
    0.5
    """
    joint = _contingency(y_true, clusters) / len(y_true)
    entropies = entr(joint.sum(axis=1)).sum(), entr(joint.sum(axis=0)).sum()
    if max(entropies) == 0:
        return 1.0
    information = sum(entropies) - entr(joint).sum()
    return float(np.clip(information / max(entropies), 0, 1))


def _contingency(y_true, clusters):
    """Number of samples in each pair of class and cluster."""
    classes, row = np.unique(y_true, return_inverse=True)
    names, column = np.unique(clusters, return_inverse=True)
    if len(row) != len(column) or len(row) == 0:
        raise ValueError(f"{len(row)} classes and {len(column)} clusters of samples do not match")
    shape = len(classes), len(names)
    return np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape)


def classification_accuracy(X_train, y_train, X_test, y_test):
    """Accuracy on the test rows of a softmax classifier learned on the training rows.

    Multinomial logistic regression with an l2 penalty (C=1), meant for columns scaled to about
    [0, 1]. Dense data are centred first: the intercept is free, so the optimum stays the same, and
    L-BFGS gets there in a third of the iterations.

    Parameters
    ----------
    X_train, X_test : array or CSR matrix of shape (n_samples, n_features)
    y_train, y_test : array of shape (n_samples,)

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> classification_accuracy([[0.0], [0.2], [0.9], [1.0]], [0, 0, 1, 1], [[0.1], [0.8]], [0, 1])
    1.0
    """
    if not sp.issparse(X_train):
        X_train, X_test = np.asarray(X_train), np.asarray(X_test)
        mean = X_train.mean(axis=0)
        # Single precision halves the time and moves no digit of the accuracy that matters.
        X_train = (X_train - mean).astype(np.float32)
        X_test = (X_test - mean).astype(np.float32)
    # Threaded BLAS slows L-BFGS's many small calls down.
    with threadpool_limits(limits=1):
        softmax = LogisticRegression(C=1.0, tol=1e-4, max_iter=1000).fit(X_train, y_train)
        return float(np.mean(softmax.predict(X_test) == np.asarray(y_test)))


def clustering_scores(X, y, n_repeats=20, random_state=0, n_jobs=None):
    """ACC and NMI of repeated k-means clusterings with as many clusters as classes.

    Each repetition starts once, from random samples, as in the GAFS paper: the mean over the
    repetitions is what a user gets on average, the spread is what luck makes of it.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    n_repeats : int, default 20
    random_state : int, RandomState or None, default 0
    n_jobs : int or None, default None
        Threads; None is all cores.

    Returns
    -------
    ndarray of shape (n_repeats, 2)
        One row per repetition: ACC, NMI.

    Examples
    --------
    >>> clustering_scores([[0.0], [0.1], [5.0], [5.1]], [0, 0, 1, 1], n_repeats=2).tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    labels = repeated_kmeans(
        X, len(np.unique(y)), n_repeats, random_state=random_state, n_jobs=n_jobs
    )
    return np.array([(clustering_accuracy(y, run), nmi(y, run)) for run in labels.T])


def redundancy(X):
    """Mean absolute correlation between the columns of ``X``, over all pairs.

    Constant columns have no correlation: their pairs count as 0. A single column gives 0.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)

    Returns
    -------
    float in [0, 1]

    Examples
    --------
    >>> round(redundancy([[0.0, 0.0, 1.0], [1.0, -1.0, -2.0], [2.0, -2.0, 1.0]]), 3)
    0.333
    """
    return float(redundancy_path(X)[-1])


def redundancy_path(X):
    """``redundancy(X[:, :k])`` for every k = 1, ..., n_features, at the cost of the last one.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
        Columns in the order in which they are chosen.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> redundancy_path([[0.0, 0.0, 1.0], [1.0, -1.0, -2.0], [2.0, -2.0, 1.0]]).round(3).tolist()
    [0.0, 1.0, 0.333]
    """
    Z = _standardised(X)
    d = Z.shape[1]
    with_earlier = np.empty(d)
    # Blocks of columns, so that no d x d matrix is ever held.
    for rows in split_rows(d, 512):
        correlation = np.abs(Z[:, rows].T @ Z[:, : rows.stop])
        with_earlier[rows] = np.tril(correlation, rows.start - 1).sum(axis=1)
    pairs = np.arange(d) * np.arange(1, d + 1) / 2
    return np.minimum(np.cumsum(with_earlier) / np.maximum(pairs, 1), 1.0)


def _standardised(X):
    """Centred columns of length 1 in single precision; zeros for constant ones."""
    Z = _dense(X)
    Z -= Z.mean(axis=0)
    length = np.sqrt((Z**2).sum(axis=0))
    Z /= np.where(length > 1e-12 * max(length.max(), 1.0), length, np.inf)
    return Z.astype(np.float32)


def reconstruction_error(X_train, X_test, selected):
    """How badly the selected columns tell the others: ridge regression on train, error on test.

    The selected columns are taken as they are, the others are predicted from them. The error is
    ||X - X_predicted||^2 / ||X - mean||^2 over the test rows and all columns, with the mean of the
    training rows: 0 when all is told, about 1 when nothing is. The ridge penalty is
    0.3 min(1, k / n) times the mean squared length of the k selected columns.

    Parameters
    ----------
    X_train, X_test : array or CSR matrix of shape (n_samples, n_features)
    selected : array of int of shape (n_selected,)

    Returns
    -------
    float, at least 0

    Examples
    --------
    >>> X = [[0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [2.0, 4.0, 3.0]]
    >>> round(reconstruction_error(X, X, [0]), 3)
    0.007
    """
    rest = np.setdiff1d(np.arange(np.shape(X_train)[1]), selected)
    order = np.concatenate([selected, rest])
    return float(reconstruction_path(X_train, X_test, order, [len(selected)])[0])


def reconstruction_path(X_train, X_test, order, counts):
    """``reconstruction_error(X_train, X_test, order[:k])`` for every k in ``counts``.

    Works on inner products, between columns or between rows, whichever are fewer, so that a
    count costs at most O(min(n, d)^2 n_test) however many columns are predicted.

    Parameters
    ----------
    X_train, X_test : array or CSR matrix of shape (n_samples, n_features)
    order : array of shape (n_features,)
        All columns, best first.
    counts : sequence of int

    Returns
    -------
    ndarray of shape (len(counts),)

    Examples
    --------
    >>> X = [[0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [2.0, 4.0, 3.0]]
    >>> reconstruction_path(X, X, [0, 1, 2], [1, 3]).round(3).tolist()
    [0.007, 0.0]
    """
    train, test = _dense(X_train)[:, order], _dense(X_test)[:, order]
    mean = train.mean(axis=0)
    train -= mean
    test -= mean
    total = (test**2).sum()
    by_columns = train.shape[1] <= train.shape[0]
    unexplained = _unexplained_by_columns if by_columns else _unexplained_by_rows
    counts, place = np.unique(counts, return_inverse=True)
    errors = np.array(list(unexplained(train, test, counts)))
    return (np.maximum(errors, 0) / total if total > 0 else np.zeros(len(counts)))[place]


def _unexplained_by_columns(train, test, counts):
    """Squared test error for each k when the first k centred columns predict the others."""
    G, T = train.T @ train, test.T @ test
    for k in counts:
        penalty = ridge_penalty(np.trace(G[:k, :k]), k, len(train))
        B = solve(G[:k, :k] + penalty * np.eye(k), G[:k, k:], assume_a="pos")
        yield np.trace(T[k:, k:]) - 2 * (B * T[:k, k:]).sum() + (B * (T[:k, :k] @ B)).sum()


def _unexplained_by_rows(train, test, counts):
    """The same through the dual form, with inner products of rows instead of columns."""
    G, F = train @ train.T, test @ train.T
    K, C = np.zeros_like(G), np.zeros_like(F)
    for start, k in pairwise([0, *counts]):
        # Inner products over the first k columns grow with k; the others have the rest of G and F.
        K += train[:, start:k] @ train[:, start:k].T
        C += test[:, start:k] @ train[:, start:k].T
        penalty = ridge_penalty(np.trace(K), k, len(train))
        # Row i of P: the weights with which the training rows predict test row i.
        P = solve(K + penalty * np.eye(len(K)), C.T, assume_a="pos").T
        yield (test[:, k:] ** 2).sum() - 2 * (P * (F - C)).sum() + (P * (P @ (G - K))).sum()


def stability(selections):
    """Nogueira's measure of how much selections from resampled data agree.

    1 - mean_j s_j^2 / (q (1 - q)), with s_j^2 the unbiased variance over the resamples of whether
    column j is selected and q the mean share of selected columns: 1 when all agree, about 0 for
    random selections whatever their size.

    Parameters
    ----------
    selections : bool array of shape (n_resamples, n_features)
        One mask of the selected columns per resample, at least two.

    Returns
    -------
    float
        At most 1; NaN where every resample selects all columns or none: nothing is chosen there.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms",
    Journal of Machine Learning Research 18(174), 2018.

    Examples
    --------
    >>> stability([[True, False, False], [True, False, False]])
    1.0
    """
    Z = np.asarray(selections, dtype=float)
    if Z.ndim != 2 or len(Z) < 2:
        raise ValueError(f"stability needs masks of at least 2 resamples, got shape {Z.shape}")
    share = Z.mean()
    if share in (0.0, 1.0):
        return float("nan")
    return float(1 - Z.var(axis=0, ddof=1).mean() / (share * (1 - share)))


def _dense(X):
    """A fresh dense array of floats."""
    return X.toarray().astype(float) if sp.issparse(X) else np.array(X, dtype=float)
