"""Prediction of the classes from the selected columns."""

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from .._rows import check_container
from .._utils.threads import single_threaded_blas


def classification_accuracy(X_train, y_train, X_test, y_test):
    """Accuracy of a softmax classifier.

    Multinomial logistic regression with an l2 penalty (C=1), meant for columns scaled to about
    [0, 1]. Dense data are centred first: the intercept is not penalised, so the optimum stays the
    same, and L-BFGS needs a third of the iterations.

    Parameters
    ----------
    X_train : array-like or CSR matrix of shape (n_train, n_features)
        Training rows.
    y_train : array-like of shape (n_train,)
        Their classes.
    X_test : array-like or CSR matrix of shape (n_test, n_features)
        Test rows.
    y_test : array-like of shape (n_test,)
        Their classes.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> classification_accuracy([[0.0], [0.2], [0.9], [1.0]], [0, 0, 1, 1], [[0.1], [0.8]], [0, 1])
    1.0
    """
    check_container(X_train, "X_train")
    check_container(X_test, "X_test")
    if not sp.issparse(X_train):
        X_train, X_test = np.asarray(X_train), np.asarray(X_test)
        mean = X_train.mean(axis=0)
        # Single precision halves the time and moves no digit of the accuracy that matters.
        X_train = (X_train - mean).astype(np.float32)
        X_test = (X_test - mean).astype(np.float32)
    # Threaded BLAS slows L-BFGS's many small calls down.
    with single_threaded_blas():
        softmax = LogisticRegression(C=1.0, tol=1e-4, max_iter=1000).fit(X_train, y_train)
        return float(np.mean(softmax.predict(X_test) == np.asarray(y_test)))


def neighbor_accuracy(X_train, y_train, X_test, y_test):
    """Accuracy of the class of the nearest training row (1-NN, Euclidean distance).

    Parameters
    ----------
    X_train, y_train, X_test, y_test : array-like
        Training and test rows, and their classes, as in `classification_accuracy`.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> neighbor_accuracy([[0.0], [1.0]], ["a", "b"], [[0.1], [0.7], [0.8]], ["a", "b", "a"])
    0.6666666666666666
    """
    check_container(X_train, "X_train")
    check_container(X_test, "X_test")
    nearest = KNeighborsClassifier(1, algorithm="brute", n_jobs=1).fit(X_train, y_train)
    return float(nearest.score(X_test, y_test))


def forest_accuracy(X, y, *, n_folds=5, n_trees=100, random_state=0):
    """Cross-validated accuracy of a random forest, as in the FSEVAL benchmark.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The selected columns.
    y : array-like of shape (n_samples,)
        Classes.
    n_folds : int, default=5
        Stratified, shuffled folds.
    n_trees : int, default=100
        Trees of the forest.
    random_state : int or None, default=0
        Random seed of the folds and of the forest.

    Returns
    -------
    float
        Mean accuracy over the folds.

    Examples
    --------
    >>> forest_accuracy([[0.0]] * 10 + [[1.0]] * 10, [0] * 10 + [1] * 10)
    1.0
    """
    check_container(X)
    forest = RandomForestClassifier(n_trees, random_state=random_state, n_jobs=1)
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=random_state)
    return float(cross_val_score(forest, X, y, cv=folds).mean())
