"""For data that are images: mean image, examples and their reconstructions."""

import numpy as np

_EXAMPLES = 6
# Bytes that the reconstructions may take in the page.
_BUDGET = 1_200_000


def choose_examples(X, n_grid, rng):
    """Rows of a few different images.

    The first is drawn at random; each further one is farthest from those before it, among some
    random ones, so that the examples show different things.
    """
    n_examples = int(np.clip(_BUDGET // (n_grid * X.shape[1]), 1, min(_EXAMPLES, len(X))))
    candidates = rng.permutation(len(X))[:50]
    chosen = [candidates[0]]
    nearest = np.full(len(candidates), np.inf)
    while len(chosen) < n_examples:
        distance = ((X[candidates] - X[chosen[-1]]) ** 2).sum(axis=1)
        nearest = np.minimum(nearest, distance)
        chosen.append(candidates[nearest.argmax()])
    return np.array(chosen)


def image_part(X, shape, examples, predictions):
    """Images of a shape as bytes: the mean, the examples, and their predictions.

    The predictions have the shape (n_grid, n_examples, n_features).
    """
    low, high = np.percentile(X[examples], [0, 100])

    def as_bytes(values):
        scaled = (values - low) / ((high - low) or 1)
        return np.clip(np.round(255 * scaled), 0, 255).astype(np.uint8)

    mean = X.mean(axis=0)
    mean = (mean - mean.min()) / ((mean.max() - mean.min()) or 1)
    return {
        "shape": list(shape),
        "mean": np.round(255 * mean).astype(np.uint8),
        "examples": as_bytes(X[examples]),
        "predictions": as_bytes(predictions),
    }
