"""Covering columns: the promise holds, and the picks meet brute force."""

import numpy as np
import pytest

from graphsieve.methods.drop_redundant import cover_columns, keep_uncorrelated


def correlated(rng, n=80, d=30):
    X = rng.normal(size=(n, 8)) @ rng.normal(size=(8, d)) + 0.4 * rng.normal(size=(n, d))
    X[:, 5] = X[:, 1] + X[:, 2]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def r2(X, kept):
    fitted = X[:, kept] @ np.linalg.lstsq(X[:, kept], X, rcond=None)[0]
    return 1 - ((X - fitted) ** 2).sum(axis=0) / (X**2).sum(axis=0)


def products(C):
    """Products with C, and its columns."""
    return lambda V: C @ V, lambda columns: C[:, columns]


def prune_by_brute_force(X, kept, threshold):
    """Leave out the column without which the worst R^2 is largest, as long as it is enough."""
    while True:
        rest = {j: r2(X, [k for k in kept if k != j]).min() for j in kept}
        best = max(rest, key=rest.get)
        if rest[best] < threshold:
            return kept
        kept = [j for j in kept if j != best]


def brute_force(X, threshold):
    """Pick what explains most of the columns that are not covered, refitting every time."""
    kept = []
    while True:
        Q = np.linalg.qr(X[:, kept])[0] if kept else np.zeros((len(X), 0))
        E = X - Q @ (Q.T @ X)
        left = (E**2).sum(axis=0) / len(X)
        uncovered = left > 1 - threshold
        if not uncovered.any():
            return kept
        R = E.T @ E / len(X)
        worth = np.where(left > 1e-8, (R[uncovered] ** 2).sum(axis=0) / np.maximum(left, 1e-8), 0)
        kept.append(int(worth.argmax()))


@pytest.mark.parametrize("threshold", [0.5, 0.9, 0.99])
def test_picks_meet_brute_force_and_keep_the_promise(rng, threshold):
    X = correlated(rng)
    C = X.T @ X / len(X)
    d = X.shape[1]
    picked, explained = cover_columns(
        *products(C), np.ones(d, bool), threshold, tie_break=np.arange(d)
    )
    expected = prune_by_brute_force(X, brute_force(X, threshold), threshold)
    assert picked.tolist() == expected
    np.testing.assert_allclose(explained, r2(X, picked), atol=1e-8)
    assert explained.min() >= threshold - 1e-8


def test_superfluous_picks_are_left_out_but_given_columns_stay(rng):
    X = correlated(rng)
    C, every = products(X.T @ X / len(X)), np.ones(X.shape[1], bool)
    n_gone = 0
    for threshold in (0.7, 0.8, 0.9, 0.95, 0.99):
        found = cover_columns(*C, every, threshold, tie_break=np.arange(30))[0]
        gone = set(brute_force(X, threshold)) - set(found)
        n_gone += len(gone)
        options = {"tie_break": np.arange(30), "given": sorted(gone)}
        assert gone <= set(cover_columns(*C, every, threshold, **options)[0])
    assert n_gone > 0


def test_a_sum_of_two_kept_columns_is_dropped(rng):
    X = correlated(rng)[:, :6]
    C = X.T @ X / len(X)
    picked, explained = cover_columns(
        *products(C), np.ones(6, bool), 0.999, tie_break=np.arange(6), given=[1, 2]
    )
    assert 5 not in picked
    assert explained[5] == pytest.approx(1)


def test_constant_columns_are_ignored(rng):
    X = correlated(rng)
    X[:, 3] = 0
    C = X.T @ X / len(X)
    varying = np.arange(30) != 3
    picked, _ = cover_columns(*products(C), varying, 0.9, tie_break=np.arange(30))
    assert 3 not in picked


def test_pairwise_rule(rng):
    X = correlated(rng)
    C = X.T @ X / len(X)
    kept = keep_uncorrelated(C, np.ones(30, bool), 0.7, tie_break=np.arange(30))
    among = np.abs(C[np.ix_(kept, kept)]) - np.eye(len(kept))
    assert among.max() < 0.7
    dropped = np.setdiff1d(np.arange(30), kept)
    assert (np.abs(C[np.ix_(dropped, kept)]).max(axis=1) >= 0.7).all()


@pytest.mark.parametrize("rule", ["r2", "correlation"])
def test_order_of_the_columns_does_not_matter(rng, rule):
    X = correlated(rng)
    X = np.hstack([X, X[:, ::2]])  # copies: ties
    name = rng.permutation(X.shape[1])

    def kept(order):
        Z = X[:, order]
        C, d = Z.T @ Z / len(Z), Z.shape[1]
        if rule == "r2":
            found = cover_columns(*products(C), np.ones(d, bool), 0.9, tie_break=name[order])[0]
        else:
            found = keep_uncorrelated(C, np.ones(d, bool), 0.7, tie_break=name[order])
        return set(order[found])

    first = kept(np.arange(X.shape[1]))
    for seed in range(3):
        assert kept(np.random.default_rng(seed).permutation(X.shape[1])) == first
