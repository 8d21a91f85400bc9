"""From scores to an order, and from an order to how many features to keep."""

import numpy as np


def order_by_score(scores, constant):
    """Best feature first. Ties keep the order of the columns; constant columns come last."""
    return np.lexsort((np.arange(len(scores)), -scores, constant))


def count_features(n_features_to_select, n_features):
    """Number of features meant by an int, a share or None (half); an error where there is none."""
    wanted = n_features_to_select
    if wanted is None:
        return max(1, n_features // 2)
    if isinstance(wanted, float | np.floating):
        if not 0 < wanted <= 1:
            raise ValueError(
                f"n_features_to_select={wanted} is not a share: use a float in (0, 1], "
                "or an int for a number of features"
            )
        return max(1, round(wanted * n_features))
    if not 1 <= wanted <= n_features:
        raise ValueError(
            f"n_features_to_select={wanted} is not between 1 and the number of features, "
            f"{n_features}"
        )
    return int(wanted)


def knee(curve):
    """How many leading values of a decreasing curve to keep: the point farthest below its chord."""
    curve = np.asarray(curve, dtype=float)
    fall = curve[0] - curve[-1]
    if len(curve) < 3 or fall <= 0:
        return len(curve)
    chord = np.linspace(1, 0, len(curve))
    return int(np.argmax(chord - (curve - curve[-1]) / fall)) + 1
