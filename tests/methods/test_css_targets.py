"""Greedy selection against orthogonal forward selection with a full refit at every step."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphsieve._linear.columns import Columns
from graphsieve._linear.forward import FactorTarget, ForwardSelection, join_targets
from graphsieve._rows import RowBlocks
from graphsieve.methods import css
from graphsieve.methods.css import data_problem


def greedy_order(data, n_picks, *, code=None, targets="data", share=0.9):
    """Forward selection for the data, a code, or both."""
    if targets == "data":
        columns, target, _ = data_problem(data, n_picks)
    else:
        X = data.whole()
        X = X.toarray() if sp.issparse(X) else X.astype(np.float64)
        parts = [code] if targets == "code" else [X, code]
        columns, target = Columns(data), _joined(parts)
    share = share if data.n_samples <= data.n_features else 1.0
    selection = ForwardSelection(columns, target, np.zeros(data.n_features), share)
    while len(selection.order) < n_picks and selection.pick() is not None:
        pass
    return selection.finish()


def _joined(parts):
    return join_targets([FactorTarget.centred(part) for part in parts], np.ones(len(parts)))


def forward_selection(X, T, n_picks):
    """Columns and gains: each column is tried in turn, with a least-squares fit of the targets."""
    X, T = X - X.mean(axis=0), T - T.mean(axis=0)
    picks, gains = [], []
    error = (T**2).sum()
    for _ in range(n_picks):
        errors = np.full(X.shape[1], np.inf)
        for j in set(range(X.shape[1])) - set(picks):
            S = X[:, [*picks, j]]
            errors[j] = ((T - S @ np.linalg.lstsq(S, T, rcond=None)[0]) ** 2).sum()
        picks.append(int(errors.argmin()))
        gains.append((error - errors.min()) / (T**2).sum())
        error = errors.min()
    return picks, gains


def correlated(rng, n, d):
    return rng.random((n, d)) @ rng.random((d, d)) + 5


def nonlinear_code(rng, X, n_hidden=4):
    return np.tanh((X - X.mean(axis=0)) @ rng.standard_normal((X.shape[1], n_hidden)))


def unit(T):
    T = T - T.mean(axis=0)
    return T / np.linalg.norm(T)


@pytest.mark.parametrize(("n", "d"), [(40, 12), (13, 12), (12, 12), (12, 30)])
@pytest.mark.parametrize("targets", ["data", "code", "both"])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_equals_forward_selection(rng, n, d, targets, container):
    X = container(correlated(rng, n, d))
    dense = X.toarray() if sp.issparse(X) else X.astype(np.float64)
    H = nonlinear_code(rng, dense)
    T = {"data": dense, "code": H, "both": np.hstack([unit(dense), unit(H)])}[targets]
    # One direction before the rank is full: in the last one all columns are equal.
    n_picks = min(n - 2, d)
    picks, gains = forward_selection(dense, T, n_picks)
    greedy = greedy_order(RowBlocks(X), n_picks, code=H, targets=targets, share=1.0)
    assert greedy.order[:n_picks].tolist() == picks
    np.testing.assert_allclose(greedy.gains[picks], gains, atol=1e-9)


def test_equals_forward_selection_on_faces(yale):
    picks, gains = _forward_selection_by_projection(yale, yale, 60)
    greedy = greedy_order(RowBlocks(yale), 60, share=1.0)
    assert greedy.order[:60].tolist() == picks
    np.testing.assert_allclose(greedy.gains[picks], gains, rtol=1e-8)


def _forward_selection_by_projection(X, T, n_picks):
    X, T = X - X.mean(axis=0), T - T.mean(axis=0)
    picks, gains = [], []
    for _ in range(n_picks):
        Q = np.linalg.qr(X[:, picks])[0]
        E, R = X - Q @ (Q.T @ X), T - Q @ (Q.T @ T)
        gain = ((R.T @ E) ** 2).sum(axis=0) / np.maximum((E**2).sum(axis=0), 1e-9)
        picks.append(int(gain.argmax()))
        gains.append(gain.max() / (T**2).sum())
    return picks, gains


@pytest.mark.parametrize("n", [200, 20])
def test_layers_start_afresh_on_the_columns_left(rng, n):
    """With n <= d each layer is a forward selection of its own, to 90 % of the energy."""
    X = correlated(rng, n, 60)
    T = X - X.mean(axis=0)
    greedy = greedy_order(RowBlocks(X), 60)
    if n > 60:
        assert (greedy.layers == 1).all()
        return
    start = 0
    for layer in range(1, greedy.layers.max()):
        left = np.sort(greedy.order[start:])
        size = (greedy.layers == layer).sum()
        picks, gains = forward_selection(X[:, left], T, size)
        assert greedy.order[start : start + size].tolist() == left[picks].tolist()
        assert sum(gains) >= 0.9 > sum(gains[:-1])
        start += size
    assert layer >= 3


@pytest.mark.parametrize(("n", "d"), [(50, 30), (30, 50)])
@pytest.mark.parametrize("targets", ["data", "code"])
def test_longer_run_begins_the_same(rng, n, d, targets):
    X = correlated(rng, n, d)
    H = nonlinear_code(rng, X)
    full = greedy_order(RowBlocks(X), d, code=H, targets=targets)
    assert sorted(full.order) == list(range(d))
    for n_picks in (1, 7, 25):
        part = greedy_order(RowBlocks(X), n_picks, code=H, targets=targets)
        assert sorted(part.order) == list(range(d))
        np.testing.assert_array_equal(part.order[:n_picks], full.order[:n_picks])
        np.testing.assert_array_equal(part.gains[full.order[:n_picks]], _first(full, n_picks))
        assert (part.layers > 0).sum() == n_picks


def _first(greedy, n):
    return greedy.gains[greedy.order[:n]]


def test_the_rest_is_ordered_by_what_it_would_add(rng):
    X = correlated(rng, 60, 20)
    Xc = X - X.mean(axis=0)
    greedy = greedy_order(RowBlocks(X), 5)
    S = Xc[:, greedy.order[:5]]
    E = Xc - S @ np.linalg.lstsq(S, Xc, rcond=None)[0]
    rest = greedy.order[5:]
    gain = ((E.T @ E) ** 2).sum(axis=0)[rest] / (E**2).sum(axis=0)[rest] / (Xc**2).sum()
    assert (np.diff(gain) <= 0).all()
    np.testing.assert_allclose(greedy.gains[rest], gain, rtol=1e-9)


@pytest.mark.parametrize(("n", "d"), [(100, 20), (30, 20), (24, 60)])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_no_copy_before_all_originals(rng, n, d, container):
    """Copies are rescaled, shifted and shuffled; 2 d > n in the last two, d > n in the last."""
    X = correlated(rng, n, d)
    shuffled = rng.permutation(d)
    copies = [X[:, shuffled], 3 - 0.01 * X]
    column = np.concatenate([np.arange(d), shuffled, np.arange(d)])
    data = RowBlocks(container(np.hstack([X, *copies])))
    for n_picks in (1, d, 2 * d, 3 * d):
        greedy = greedy_order(data, n_picks)
        exact = column[greedy.order[:n_picks]]
        for first in range(0, n_picks, d):
            group = exact[first : first + d]
            assert len(set(group)) == len(group)


def test_dependent_columns_wait_for_the_next_layer(rng):
    """Sums of others span nothing new: they come when every direction has been taken."""
    X = rng.standard_normal((50, 6))
    X = np.hstack([X, X[:, :3] + X[:, 3:]])
    greedy = greedy_order(RowBlocks(X), 9)
    assert (greedy.layers[greedy.order] == [1] * 6 + [2] * 3).all()
    assert np.linalg.matrix_rank(X[:, greedy.order[:6]]) == 6


def test_finds_the_columns_that_make_the_code(rng):
    X = rng.standard_normal((200, 40))
    H = X[:, [3, 17, 30]] @ rng.standard_normal((3, 5))
    greedy = greedy_order(RowBlocks(X), 3, code=H, targets="code")
    assert set(greedy.order[:3]) == {3, 17, 30}
    np.testing.assert_allclose(_first(greedy, 3).sum(), 1)


@pytest.mark.parametrize("n", [80, 15])
def test_gains_are_the_explained_share(rng, n):
    X = correlated(rng, n, 30)
    H = nonlinear_code(rng, X)
    greedy = greedy_order(RowBlocks(X), 10, code=H, targets="code", share=1.0)
    S, T = (X - X.mean(axis=0))[:, greedy.order[:10]], H - H.mean(axis=0)
    explained = 1 - ((T - S @ np.linalg.lstsq(S, T, rcond=None)[0]) ** 2).sum() / (T**2).sum()
    np.testing.assert_allclose(_first(greedy, 10).sum(), explained)
    assert (greedy.gains >= 0).all()


@pytest.mark.parametrize("n", [80, 20])
def test_units_of_a_column_and_rotation_of_the_code_do_not_matter(rng, n):
    X = correlated(rng, n, 30)
    H = nonlinear_code(rng, X)
    order = greedy_order(RowBlocks(X), 30, code=H, targets="code").order
    scaled = X * 10.0 ** rng.uniform(-4, 4, 30) + rng.standard_normal(30)
    rotation = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    np.testing.assert_array_equal(
        greedy_order(RowBlocks(scaled), 30, code=H, targets="code").order, order
    )
    np.testing.assert_array_equal(
        greedy_order(RowBlocks(X), 30, code=H @ rotation, targets="code").order, order
    )


@pytest.mark.parametrize("n", [60, 20])
def test_permuted_rows_and_columns(rng, n):
    X = correlated(rng, n, 30)
    order = greedy_order(RowBlocks(X), 15).order
    rows, columns = rng.permutation(n), rng.permutation(30)
    permuted = greedy_order(RowBlocks(X[rows][:, columns]), 15).order
    np.testing.assert_array_equal(columns[permuted], order)


def test_constant_columns_come_last(rng):
    X = correlated(rng, 30, 8)
    X[:, 2], X[:, 5] = 0.1, 0.0
    for data in (X, X[:6], sp.csr_array(X)):
        greedy = greedy_order(RowBlocks(data), 8)
        assert greedy.order[-2:].tolist() == [2, 5]
        assert (greedy.gains[[2, 5]] == 0).all()


def test_nothing_to_explain(rng):
    greedy = greedy_order(RowBlocks(np.ones((5, 4))), 3)
    assert greedy.order.tolist() == [0, 1, 2, 3]
    assert greedy.order.tolist() == [0, 1, 2, 3]


def test_ties_go_to_the_first_column():
    """Three orthogonal columns of equal norm, twice."""
    X = np.array([[1, 1, 1], [-1, 1, -1], [1, -1, -1], [-1, -1, 1]])
    for data in (np.hstack([X, X]), sp.csr_array(np.hstack([X, X]))):
        assert greedy_order(RowBlocks(data), 6).order.tolist() == [0, 1, 2, 3, 4, 5]


def test_nearly_dependent_columns_are_judged_by_what_is_left_of_them(rng):
    """Columns that differ from the first by a millionth still give the textbook's order."""
    x = rng.standard_normal((40, 1))
    X = np.hstack([x, x + 1e-4 * rng.standard_normal((40, 8))])
    H = rng.standard_normal((40, 3))
    picks, gains = forward_selection(X, H, 9)
    greedy = greedy_order(RowBlocks(X), 9, code=H, targets="code")
    assert greedy.order.tolist() == picks
    np.testing.assert_allclose(greedy.gains[picks], gains, rtol=1e-5)


@pytest.mark.parametrize("name", ["PCMAC", "BASEHOCK", "RELATHE"])
def test_text_stays_sparse(real_data, name, monkeypatch):
    """Counts of words as CSR: the order of the dense data, and no array of their size."""
    from scipy.io import loadmat

    X = loadmat(real_data / f"{name}.mat")["X"][:300].astype(np.float64)
    dense = greedy_order(RowBlocks(X), 100)
    toarray = sp.csr_array.toarray

    def small_only(self, *args, **kwargs):
        assert np.prod(self.shape) < X.size / 4, "the data were made dense"
        return toarray(self, *args, **kwargs)

    for cls in (sp.csr_array, sp.csc_array):
        monkeypatch.setattr(cls, "toarray", small_only)
    greedy = greedy_order(RowBlocks(sp.csr_array(X)), 100)
    np.testing.assert_array_equal(greedy.order[:100], dense.order[:100])


def test_small_row_blocks_give_the_same(rng, monkeypatch):
    X = correlated(rng, 500, 12)
    whole = greedy_order(RowBlocks(X), 12)
    monkeypatch.setattr(
        RowBlocks, "slices", lambda *args: [slice(a, a + 20) for a in range(0, 500, 20)]
    )
    np.testing.assert_array_equal(greedy_order(RowBlocks(X), 12).order, whole.order)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_large_data_need_no_square_matrix(rng, monkeypatch, container):
    """The same picks with a truncated SVD."""
    X = rng.normal(size=(70, 6)) @ rng.normal(size=(6, 40)) + 0.05 * rng.normal(size=(70, 40))
    data = RowBlocks(container(X))
    expected = greedy_order(data, 6)
    monkeypatch.setattr(css, "MOST_SQUARE", 5)
    columns, target, energy = data_problem(data, 6)
    assert energy == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(
        target.forms(columns) / target.energy, _exact_forms(X), rtol=1e-6, atol=1e-9
    )
    assert greedy_order(data, 6).order[:6].tolist() == expected.order[:6].tolist()


def _exact_forms(X):
    Z = X - X.mean(axis=0)
    return ((Z.T @ Z) ** 2).sum(axis=0) / (Z**2).sum()
