"""Prediction of the dropped columns from the selected ones, on unseen rows."""

from itertools import pairwise

import numpy as np
from scipy.linalg import solve

from .._rows import check_container, to_dense
from .._utils.threads import blas_for_table
from .ridge import ridge_penalty


def reconstruction_error(X_train, X_test, selected):
    """Relative error when the dropped features are predicted from the selected ones.

    The prediction is a ridge regression learned on the training rows; the selected columns are
    taken as they are. The error is ``||X - X_predicted||^2 / ||X - mean||^2`` over the test rows
    and all columns, with the mean of the training rows: 0 for a perfect prediction, about 1 if
    the selected columns predict nothing. The ridge penalty is ``0.3 min(1, k / n)`` times the mean
    squared length of the k selected columns.

    Parameters
    ----------
    X_train, X_test : array-like or CSR matrix of shape (n_samples, n_features)
        Training and test rows.
    selected : array-like of int of shape (n_selected,)
        Selected columns.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> X = [[0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [2.0, 4.0, 3.0]]
    >>> round(reconstruction_error(X, X, [0]), 3)
    0.007
    """
    return float(reconstruction_path(X_train, X_test, selected, [len(selected)])[0])


@blas_for_table
def reconstruction_path(X_train, X_test, order, counts):
    """``reconstruction_error(X_train, X_test, order[:k])`` for every k in `counts`.

    Parameters
    ----------
    X_train, X_test : array-like or CSR matrix of shape (n_samples, n_features)
        Training and test rows.
    order : array-like of int
        Columns, best first; at least ``max(counts)`` of them.
    counts : sequence of int
        Numbers of selected columns.

    Returns
    -------
    ndarray of shape (len(counts),)
        One error per count.

    Examples
    --------
    >>> X = [[0.0, 0.0, 3.0], [1.0, 2.0, 3.0], [2.0, 4.0, 3.0]]
    >>> reconstruction_path(X, X, [0, 1, 2], [1, 3]).round(3).tolist()
    [0.007, 0.0]
    """
    return ReconstructionErrors(X_train, X_test).path(order, counts)


class ReconstructionErrors:
    """Inner products of centred rows or columns, whichever are fewer, for many rankings.

    They do not depend on the ranking. A count of columns then costs at most
    ``O(min(n, d)^2 n_test)``, however many columns are predicted.
    """

    def __init__(self, X_train, X_test):
        train, test = _dense(X_train), _dense(X_test)
        mean = train.mean(axis=0)
        train, test = train - mean, test - mean
        self.n_train = len(train)
        self.energy = np.einsum("ij,ij->j", test, test)
        self.by_columns = train.shape[1] <= train.shape[0]
        if self.by_columns:
            self.products = train.T @ train, test.T @ test
        else:
            self.train, self.test = train, test
            self.products = train @ train.T, test @ train.T

    def path(self, order, counts):
        """Errors of a ranking; see `reconstruction_path`."""
        order = np.asarray(order)
        counts, place = np.unique(counts, return_inverse=True)
        unexplained = self._unexplained_by_columns if self.by_columns else self._unexplained_by_rows
        errors = np.array(list(unexplained(order, counts)))
        total = self.energy.sum()
        return (np.maximum(errors, 0) / total if total > 0 else np.zeros(len(counts)))[place]

    def _unexplained_by_columns(self, order, counts):
        """Squared test error for each k when the first k columns predict the others."""
        G, T = self.products
        for k in counts:
            kept = order[:k]
            rest = np.setdiff1d(np.arange(len(G)), kept)
            A, C = G[np.ix_(kept, kept)], G[np.ix_(kept, rest)]
            B = solve(
                A + ridge_penalty(np.trace(A), k, self.n_train) * np.eye(k), C, assume_a="pos"
            )
            yield (
                self.energy[rest].sum()
                - 2 * (B * T[np.ix_(kept, rest)]).sum()
                + (B * (T[np.ix_(kept, kept)] @ B)).sum()
            )

    def _unexplained_by_rows(self, order, counts):
        """The same through the dual form, with inner products of rows instead of columns."""
        G, F = self.products
        K, C = np.zeros_like(G), np.zeros_like(F)
        for start, k in pairwise([0, *counts]):
            # Inner products over the first k columns grow with k; the rest of G and F is that of
            # the other columns.
            train = self.train[:, order[start:k]]
            K += train @ train.T
            C += self.test[:, order[start:k]] @ train.T
            penalty = ridge_penalty(np.trace(K), k, self.n_train)
            # Row i of P: the weights with which the training rows predict test row i.
            P = solve(K + penalty * np.eye(len(K)), C.T, assume_a="pos").T
            left = self.energy.sum() - self.energy[order[:k]].sum()
            yield left - 2 * (P * (F - C)).sum() + (P * (P @ (G - K))).sum()


def _dense(X):
    check_container(X)
    return np.asarray(to_dense(X), dtype=float)
