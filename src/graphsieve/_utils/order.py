"""From scores to an order, and from an order to the number of features to keep."""

import numpy as np


def scores_of(order: np.ndarray) -> np.ndarray:
    """Scores for an order of all features: d for the best, 1 for the last."""
    scores = np.empty(len(order))
    scores[order] = np.arange(len(order), 0, -1)
    return scores


def count_features(n_features_to_select: int | float | None, n_features: int) -> int:
    """Number of features meant by an int, a fraction, or None for half of them."""
    wanted = n_features_to_select
    if wanted is None:
        return max(1, n_features // 2)
    if isinstance(wanted, float | np.floating):
        if not 0 < wanted <= 1:
            raise ValueError(
                f"n_features_to_select={wanted} is not a fraction: use a float in (0, 1], "
                "or an int for a number of features"
            )
        return max(1, round(wanted * n_features))
    if not 1 <= wanted <= n_features:
        raise ValueError(
            f"n_features_to_select={wanted} is not between 1 and the number of features, "
            f"{n_features}: use {n_features} or fewer"
        )
    return int(wanted)
