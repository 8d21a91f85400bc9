"""Agreement of selections from resampled rows."""

import numpy as np
from sklearn.utils import check_array

from .._utils.order import count_features
from .protocol import draw_seeds, fit_on
from .scoring import SHARES


def stability(selections):
    """Stability of Nogueira et al.: agreement of selections, corrected for chance.

    ``1 - mean_j s_j^2 / (q (1 - q))``, where ``s_j^2`` is the unbiased variance over the resamples
    of whether column j is selected, and q the mean fraction of selected columns. It is 1 if all
    selections are the same, and about 0 for random selections of any size.

    Parameters
    ----------
    selections : array-like of bool of shape (n_resamples, n_features)
        One mask of the selected columns per resample, at least two.

    Returns
    -------
    float
        At most 1; NaN if every resample selects all columns or none.

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
    selected = Z.mean()
    if selected in (0.0, 1.0):
        return float("nan")
    return float(1 - Z.var(axis=0, ddof=1).mean() / (selected * (1 - selected)))


def selection_stability(
    estimator, X, *, shares=SHARES, n_resamples=10, sample_share=0.8, random_state=0
):
    """Stability of a method when the rows are resampled.

    Parameters
    ----------
    estimator : FeatureRanker
        Any estimator whose ``fit`` sets ``order_``. It is cloned.
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The data.
    shares : sequence of float or int
        Fractions of the features in (0, 1], or numbers of features.
    n_resamples : int, default 10
        Number of fits, each on other rows.
    sample_share : float, default 0.8
        Fraction of the rows in each resample, drawn without replacement: repeated rows would be
        their own nearest neighbours.
    random_state : int, RandomState or None, default 0
        Random seed.

    Returns
    -------
    pandas.DataFrame
        ``method``, ``share``, ``n_features``, ``stability``.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve import Variance
    >>> X = load_wine().data
    >>> selection_stability(Variance(), X, shares=[1, 2])["stability"].tolist()
    [1.0, 1.0]
    """
    import pandas as pd

    X = check_array(X, accept_sparse="csr", ensure_min_samples=3)
    rankings = []
    for seed in draw_seeds(random_state, n_resamples):
        rows = np.random.RandomState(seed).permutation(X.shape[0])
        rows = np.sort(rows[: max(2, round(sample_share * len(rows)))])
        fitted, _ = fit_on(estimator, X[rows], seed)
        rankings.append(np.argsort(fitted.order_))
    counts = [count_features(share, X.shape[1]) for share in shares]
    return pd.DataFrame(
        {
            "method": type(estimator).__name__,
            "share": np.divide(counts, X.shape[1]),
            "n_features": counts,
            "stability": [stability(np.array(rankings) < k) for k in counts],
        }
    )
