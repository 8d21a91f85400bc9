"""GraphSieve: right on ordinary tables, equal to its definition, in any units and storage."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_wine

from experiments.data import make_planted
from experiments.planted_tables import KINDS, batches, covered, mixed, n_dimensions, needles
from graphsieve import GAFS, GraphSieve, GreedyCSS
from graphsieve._graph.affinity import build_graph
from graphsieve._graph.spectral import embedding
from graphsieve._linear.forward import FactorTarget, GramTarget, join_targets
from graphsieve._rows import RowBlocks
from tests.helpers.mapped import mapped


def fit(X, n_features=6, **params):
    return GraphSieve(n_features, random_state=0, **params).fit(X)


def table(rng, n=60, d=15):
    return rng.random((n, 4)) @ rng.random((4, d)) + 0.2 * rng.random((n, d))


# Ordinary tables


def mean_coverage(method, kind):
    """Fraction of the groups of a table that the first columns represent, over three seeds."""
    found = []
    for seed in range(3):
        X, group = KINDS[kind](np.random.default_rng(seed))
        n_first = n_dimensions(kind, group)
        found.append(covered(method(n_first).fit(X).order_, group, n_first))
    return np.mean(found)


@pytest.mark.parametrize("kind", KINDS)
def test_one_column_of_every_group_comes_first(kind):
    # A flag of log-normal amounts still comes before them now and then.
    assert mean_coverage(GraphSieve, kind) >= (0.9 if kind == "flags_of_amounts" else 0.97)


@pytest.mark.slow
def test_gafs_finds_most_groups():
    found = {kind: mean_coverage(GAFS, kind) for kind in KINDS}
    assert min(found["mixed"], found["mixed_with_noise"], found["batches"]) >= 0.85
    assert min(found["heavy_tails"], found["pairs_and_singles"]) >= 0.95
    assert np.mean(list(found.values())) >= 0.9


def test_heavy_tails_do_not_hide_groups_from_greedy_css():
    for seed in range(3):
        X, group = KINDS["heavy_tails"](np.random.default_rng(seed))
        assert covered(GreedyCSS(5).fit(X).order_, group, 5) == 1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", [GraphSieve, GAFS])
def test_needles_in_noise(seed, method):
    X, group = needles(np.random.default_rng(seed))
    assert (group[method(20).fit(X).order_[:20]] == 0).sum() >= 18


@pytest.mark.parametrize("seed", range(5))
def test_planted_features_come_first(seed):
    X, _, informative = make_planted(random_state=seed)
    assert informative[GraphSieve(20).fit(X).order_[:20]].sum() >= 19


@pytest.mark.parametrize("method", [GraphSieve, GAFS, GreedyCSS])
def test_copies_come_after_independent_columns(rng, method):
    a, b, *others = rng.normal(size=(6, 200))
    X = np.column_stack([a, 2 * a, b, 1.8 * b + 32, *others])
    first = set(method(6).fit(X).order_[:6])
    assert {4, 5, 6, 7} < first
    assert len(first & {0, 1}) == len(first & {2, 3}) == 1


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.1, 0.15])
def test_near_copies_come_after_everything_else(rng, noise):
    """Squared correlations from .96 to .9999 with a column that is ranked before them."""
    Z = rng.normal(size=(500, 4))
    X = np.column_stack([Z[:, j] + noise * rng.normal(size=500) for j in (0, 0, 0, 1, 1, 2, 2)])
    coin = rng.integers(0, 2, (500, 1))
    order = GraphSieve(4).fit(np.hstack([X, coin])).order_.tolist()
    group = np.array([0, 0, 0, 1, 1, 2, 2, 3])
    assert set(group[order[:4]]) == {0, 1, 2, 3}
    assert order[3] == 7  # nothing predicts the coin, so it follows the signals that others share


@pytest.mark.parametrize("scale", ["auto", "standard"])
def test_amounts_come_before_the_flags_that_summarise_them(scale):
    found = []
    for seed in range(6):
        X, group = KINDS["flags_of_amounts"](np.random.default_rng(seed))
        found.append(covered(fit(X, 4, scale=scale).order_, group, 4))
    assert np.mean(found) >= 0.9


@pytest.mark.parametrize("noise", [0.001, 0.01, 0.05, 0.1])
def test_gafs_keeps_one_of_two_near_copies(noise):
    for seed in range(3):
        X = np.random.default_rng(seed).normal(size=(200, 9))
        X[:, 3:6] = X[:, :3] + noise * X[:, 3:6]
        group = np.array([0, 1, 2, 0, 1, 2, 3, 4, 5])
        assert len(set(group[GAFS(5).fit(X).order_[:5]])) == 5


@pytest.mark.parametrize("seed", range(3))
def test_single_columns_come_before_the_second_of_a_pair(seed):
    """Squared correlation .89: no near-copies, and nothing predicts the single columns."""
    X = np.random.default_rng(seed).normal(size=(200, 9))
    X[:, 3:6] = X[:, :3] + 0.35 * X[:, 3:6]
    group = np.array([0, 1, 2, 0, 1, 2, 3, 4, 5])
    assert len(set(group[GraphSieve(5).fit(X).order_[:5]])) == 5


@pytest.mark.parametrize("method", [GraphSieve, GAFS])
def test_a_coin_comes_after_a_signal_that_six_columns_share(rng, method):
    signal = rng.normal(size=(300, 1))
    X = np.hstack([signal + 0.1 * rng.normal(size=(300, 6)), rng.integers(0, 2, (300, 1))])
    assert method(2).fit(X).order_[0] != 6


@pytest.mark.parametrize(("make", "expected"), [(mixed, 6), (batches, 4), (needles, 20)])
def test_auto_counts_what_is_distinct(make, expected):
    kept = [GraphSieve("auto").fit(make(np.random.default_rng(s))[0]).n_features_ for s in range(3)]
    assert abs(np.mean(kept) - expected) <= 1


@pytest.mark.parametrize("scale", ["auto", "global"])
def test_auto_keeps_few_counts_that_share_only_their_depth(rng, scale):
    rate = np.exp(rng.normal(-1, 1, 800))
    X = rng.poisson(rate * rng.gamma(5, 0.2, (200, 1)))
    X = np.log1p(1e4 * X / X.sum(axis=1, keepdims=True))
    assert GraphSieve("auto", scale=scale).fit(X).n_features_ < 20


def test_auto_on_noise_keeps_one_and_says_so(rng):
    with pytest.warns(UserWarning, match="keeps one feature"):
        assert GraphSieve("auto").fit(rng.normal(size=(300, 50))).n_features_ == 1


@pytest.mark.parametrize("kind", ["mixed", "heavy_tails", "customers"])
def test_units_and_offsets_of_single_columns_do_not_matter(kind, rng):
    X, _ = KINDS[kind](rng)
    expected = fit(X).order_
    for _ in range(5):
        changed = X.copy()
        columns = rng.choice(X.shape[1], 4, replace=False)
        spread = X[:, columns].std(axis=0)
        changed[:, columns] *= 10.0 ** rng.integers(-6, 7, 4)
        changed[:, columns] += changed[:, columns].std(axis=0) * rng.choice([0, 1e4], 4)
        assert (spread > 0).all()
        np.testing.assert_array_equal(fit(changed).order_, expected)


def test_the_order_does_not_depend_on_the_number(rng):
    X = table(rng, 80, 40)
    expected = fit(X, 2)
    assert expected.n_exact_ == 40
    for n_features in (6, 20, 40, 0.5, None, "auto"):
        np.testing.assert_array_equal(fit(X, n_features).order_, expected.order_)


@pytest.mark.parametrize("n", [15, 25, 40])
def test_trust_fades_out_with_few_rows(rng, n):
    """A squared correlation of .25 is enough, however few rows there are."""
    signal = rng.normal(size=(n, 2))
    X = np.hstack([signal @ rng.normal(size=(2, 6)) + 0.3 * rng.normal(size=(n, 6))])
    assert fit(X, 3).trusted_.mean() > 0.5


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_no_random_numbers_on_tables_of_ordinary_size(load):
    X = load().data
    orders = {tuple(GraphSieve(5, random_state=seed).fit(X).order_) for seed in range(3)}
    assert len(orders) == 1


# The definition


def ridge_selection(X, T, n_picks, weights, noise=0.1):
    """Refit the ridge regression for every candidate, every time."""
    X, picks = X - X.mean(axis=0), []
    squares = (X**2).sum(axis=0)
    before = (T**2).sum()
    for _ in range(n_picks):
        errors = np.full(X.shape[1], np.inf)
        for j in set(range(X.shape[1])) - set(picks):
            S, s = X[:, [*picks, j]], noise * squares[[*picks, j]]
            B = np.linalg.solve(S.T @ S + np.diag(s), S.T @ T)
            errors[j] = ((T - S @ B) ** 2).sum() + (s[:, None] * B**2).sum()
        picks.append(int(((before - errors) * weights).argmax()))
        before = errors[picks[-1]]
    return picks


def parts_of_the_target(X, n_components):
    """Directions of the rows in units of the columns, and the embedding of their graph."""
    assert (abs(X - X.mean(axis=0)) < 5 * X.std(axis=0)).all()  # nothing is limited
    scaled = (X - X.mean(axis=0)) / np.maximum(np.ptp(X, axis=0), 7 * X.std(axis=0))
    Z = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    Z -= Z.mean(axis=0)
    ratio = scaled.var(axis=0) / Z.var(axis=0)
    is_flag = [len(np.unique(column)) == 2 for column in X.T]
    Z *= np.where(is_flag, np.sqrt(np.minimum(ratio / np.median(ratio), 1)), 1)
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    rows = (U * s)[:, : max(n_components, 2)]
    return Z, embedding(build_graph(RowBlocks(rows)), 10, np.random.RandomState(0))


@pytest.mark.parametrize("with_flag", [False, True])
@pytest.mark.parametrize("graph_weight", [0, 0.5, 1.0])
def test_picks_meet_refitting(rng, graph_weight, with_flag):
    X = table(rng)
    if with_flag:
        X[:, 0] = X[:, 0] > np.median(X[:, 0])
    method = fit(X, graph_weight=graph_weight)
    Z, U = parts_of_the_target(X, method.n_components_)
    T = join_targets([FactorTarget(Z), FactorTarget.centred(U)], [1.0, graph_weight]).T
    first = [j for j in method.order_ if method.layers_[j] == 1][:5]
    threshold = 12 / 60
    weights = 1 - 2 / 3 * threshold / np.maximum(method.predictability_, threshold)
    assert first == ridge_selection(X, T, len(first), weights)


def test_targets_have_the_energy_of_their_weights(rng):
    parts = [rng.normal(size=(30, 4)), 100 * rng.normal(size=(30, 2)), np.ones((30, 3))]
    parts = [FactorTarget.centred(part) for part in parts]
    T = join_targets(parts, np.ones(3)).T
    assert T.shape == (30, 6)  # a constant part is no target
    assert FactorTarget(T).energy == pytest.approx(1)
    assert (T[:, :4] ** 2).sum() == pytest.approx(0.5)
    np.testing.assert_allclose(T.sum(axis=0), 0, atol=1e-12)
    T = join_targets(parts, [1.0, 0.25, 3.0]).T
    assert (T[:, :4] ** 2).sum() == pytest.approx(0.8)
    gram = join_targets([GramTarget(parts[0].gram()), parts[1]], [1.0, 0.25])
    np.testing.assert_allclose(gram.M, T @ T.T, atol=1e-12)


def test_full_ranking_and_scores(rng):
    method = fit(table(rng))
    assert sorted(method.order_) == list(range(15))
    np.testing.assert_array_equal(method.scores_[method.order_], np.arange(15, 0, -1))


def test_square_roots_of_counts(rng):
    """scale="auto" of counts is that of their roots."""
    counts = rng.poisson(rng.random(20) * rng.exponential(0.15, (150, 1)), (150, 20))
    assert (counts == 0).mean() > 0.9
    assert counts.max() > 1
    found, wanted = fit(counts), fit(np.sqrt(counts) + 1)
    np.testing.assert_array_equal(found.order_, wanted.order_)
    np.testing.assert_allclose(found.gains_, wanted.gains_, rtol=1e-9)


# Storage


def test_sparse_equals_dense(rng):
    X = table(rng, 40, 30)
    X[np.quantile(X, 0.6) > X] = 0
    X[:, 3] *= -1  # negative values are no obstacle
    np.testing.assert_array_equal(fit(X).order_, fit(sp.csr_array(X)).order_)


@pytest.mark.parametrize("n", [300, 2100])  # structure is estimated from at most 2,000 rows
def test_storage_does_not_matter_where_most_columns_are_noise(n):
    X, _ = needles(np.random.default_rng(0), n, 60)
    X -= X.min(axis=0)
    expected = fit(X, 20).order_[:20]
    for stored in (sp.csr_array(X), mapped(X)):
        assert fit(stored, 20).order_[:20].tolist() == expected.tolist()


def test_smallest_tables_need_no_warning():
    for X in (np.eye(2), np.array([[0, 1], [1, 0], [1, 1]]), np.arange(3)[:, np.newaxis]):
        assert sorted(fit(X, 1).order_) == list(range(X.shape[1]))


def test_constant_tables_are_called_constant():
    for X in (np.ones((12, 4)), np.zeros((20, 8)), np.tile([1.0, 2.0, 3.0], (12, 1))):
        with pytest.warns(UserWarning, match="all columns of X are constant") as caught:
            assert fit(X, 1).order_.tolist() == list(range(X.shape[1]))
        assert len(caught) == 1


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, mapped])
def test_many_samples_are_ranked_on_some(container, rng):
    """The whole fit is that of the sample, and ``None`` uses all samples."""
    X = rng.normal(size=(3_000, 4)) @ rng.normal(size=(4, 12)) + rng.normal(size=(3_000, 12))
    given = container(X)
    sel = GraphSieve(4, max_samples=1_000, random_state=0).fit(given)
    chosen = np.sort(np.random.RandomState(0).choice(3_000, 1_000, replace=False))
    assert sel.n_sampled_ == 1_000
    np.testing.assert_array_equal(sel.order_, GraphSieve(4).fit(X[chosen]).order_)
    assert GraphSieve(4, max_samples=None, random_state=0).fit(given).n_sampled_ == 3_000


def test_a_given_graph_is_that_of_the_sample(rng):
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 12)) + rng.normal(size=(300, 12))
    A = build_graph(RowBlocks(X))
    sel = GraphSieve(4, max_samples=200, affinity=A, random_state=0).fit(X)
    chosen = np.sort(np.random.RandomState(0).choice(300, 200, replace=False))
    alone = GraphSieve(4, affinity=A[chosen][:, chosen]).fit(X[chosen])
    np.testing.assert_array_equal(sel.order_, alone.order_)


def test_columns_that_are_constant_in_the_sample_come_late(rng):
    X = rng.normal(size=(3_000, 2)) @ rng.normal(size=(2, 6)) + rng.normal(size=(3_000, 6))
    X[:, 2] = 0
    X[0, 2] = 1
    assert GraphSieve(4, max_samples=50, random_state=0).fit(X).order_[-1] == 2
