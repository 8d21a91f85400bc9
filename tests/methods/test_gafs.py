"""GAFS: reaches what a plain fit reaches, finds planted features, and behaves when disturbed."""

import itertools
import threading
import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from experiments.data import make_planted
from graphsieve import GAFS
from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks
from graphsieve._utils.threads import Workers
from tests.helpers.paper import paper_gafs


@pytest.fixture
def table(rng):
    return rng.random((60, 3)) @ rng.random((3, 15)) + 0.1 * rng.random((60, 15))


def balanced_rows(y, per_class, seed):
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.permutation(np.flatnonzero(y == label))[:per_class] for label in np.unique(y)]
    )


def plain_fit(X, A, theta, m, alpha, graph_weight):
    """float64 NumPy and SciPy, whole matrices, the paper's gradients; returns the objective."""
    n, d = X.shape
    L = laplacian(A)

    def value_and_grad(theta):
        W_in, W_out = theta[: d * m].reshape(d, m), theta[d * m : 2 * d * m].reshape(m, d)
        b_in, b_out = theta[2 * d * m : 2 * d * m + m], theta[2 * d * m + m :]
        H = 1 / (1 + np.exp(-(X @ W_in + b_in)))
        R = 1 / (1 + np.exp(-(H @ W_out + b_out)))
        LH = L @ H
        norm = np.sqrt((W_in**2).sum(axis=1) + 1e-16)
        value = ((X - R) ** 2).sum() / (2 * n) + alpha * norm.sum() + graph_weight * (H * LH).sum()
        D3 = (R - X) * R * (1 - R) / n
        D2 = (D3 @ W_out.T + 2 * graph_weight * LH) * H * (1 - H)
        gradients = (X.T @ D2 + alpha * W_in / norm[:, None], H.T @ D3, D2.sum(0), D3.sum(0))
        return value, np.concatenate([g.ravel() for g in gradients])

    last = [value_and_grad(theta)[0]]

    def stop(intermediate_result):
        last.append(intermediate_result.fun)
        if abs(last[-2] - last[-1]) < 1e-5 * abs(last[-1]):
            raise StopIteration

    options = {"maxiter": 400, "maxcor": 10, "ftol": 0, "gtol": 0, "maxfun": 10_000}
    return scipy.optimize.minimize(
        value_and_grad, theta, jac=True, method="L-BFGS-B", callback=stop, options=options
    ).fun


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.slow
def test_isolet_reaches_the_objective_of_a_plain_fit(real_data):
    content = scipy.io.loadmat(real_data / "Isolet.mat")
    X, y = content["X"], content["Y"].ravel()
    X = X[balanced_rows(y, 30, seed=0)]
    assert X.shape == (780, 617)
    first, second = (paper_gafs().fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.scores_, second.scores_)

    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    A = build_graph(RowBlocks(scaled))
    with Workers(1) as workers:
        objective = Objective(RowBlocks(scaled), None, workers, n_hidden=10)
        W_in, b_in, W_out, b_out = objective.unpack(objective.start(np.random.RandomState(0)))
    theta = np.concatenate([W_in.ravel(), W_out.ravel(), b_in, b_out])
    reached = plain_fit(scaled, A, theta, 10, alpha=1e-2, graph_weight=1e-3)
    assert first.objective_trace_[-1] <= 1.01 * reached


@pytest.mark.parametrize("seed", range(5))
def test_planted_features_come_first(seed):
    X, _, informative = make_planted(random_state=seed)
    assert X.shape[1] == 200
    assert informative.sum() == 20
    order = GAFS(20, random_state=seed).fit(X).order_
    assert informative[order[:20]].sum() >= 19


@pytest.mark.parametrize(("n", "d"), [(300, 500), (600, 300)])
@pytest.mark.parametrize("seed", range(2))
def test_needles_in_noise(n, d, seed):
    """Twenty columns carry five clusters, all others are independent noise of the same variance."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, :20] += 2 * rng.normal(size=(5, 20))[rng.integers(5, size=n)]
    X /= X.std(axis=0)
    order = GAFS(20, random_state=seed).fit(X).order_
    assert (order[:20] < 20).sum() >= 19


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_seeds_agree(load):
    X = load().data
    k = round(0.2 * X.shape[1])
    kept = [set(GAFS(k, random_state=seed).fit(X).order_[:k]) for seed in range(5)]
    jaccard = [len(a & b) / len(a | b) for a, b in itertools.combinations(kept, 2)]
    assert np.mean(jaccard) >= 0.8


def test_the_default_network_does_not_collapse():
    for load in (load_breast_cancer, load_wine):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert GAFS(random_state=0).fit(load().data).explained_ > 0.3


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_objective_never_rises(table):
    trace = paper_gafs(tol=1e-4).fit(table).objective_trace_
    assert (np.diff(trace) <= 1e-6 * trace[:-1]).all()


def test_decay_makes_it_converge(table):
    """Without decay the decoder grows for as long as one lets it; with decay it settles."""
    settings = {"alpha": 1e-3, "dtype": "float64", "tol": 1e-9}

    def decoder_norms(decay):
        norms = []
        for max_iter in (500, 2000):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                fitted = paper_gafs(decay=decay, max_iter=max_iter, **settings).fit(table)
            norms.append(np.linalg.norm(fitted.W_out_))
        return *norms, fitted.converged_

    early, late, converged = decoder_norms(1e-3)
    assert converged
    assert late == pytest.approx(early, rel=0.02)
    early, late, _ = decoder_norms(0.0)
    assert late > 1.1 * early


def test_large_alpha_warns_of_collapse(table):
    with pytest.warns(UserWarning, match="collapsed.*decay"):
        fitted = paper_gafs(alpha=10.0).fit(table)
    assert fitted.scores_.max() < 1e-4
    assert fitted.explained_ < 0.01


def test_convergence_warning_says_what_was_reached(table):
    reached = r"after 3 iterations: it reached max_iter \(objective [\d.]+, last rel"
    with pytest.warns(ConvergenceWarning, match=reached) as caught:
        fitted = paper_gafs(max_iter=3, tol=0).fit(table)
    assert caught[0].filename == __file__  # it points at the user's line
    assert fitted.n_iter_ == 3
    assert len(fitted.objective_trace_) == 4
    assert not fitted.converged_


@pytest.mark.filterwarnings("ignore:.*collapsed", "ignore:all columns of X are constant")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_constant_data_overflow_nothing():
    """The objective goes to 0, and squares of its gradients vanish in single precision."""
    method = GAFS(graph_weight=33.1, n_hidden=8, random_state=4, elimination=None, tol=0.01)
    assert np.isfinite(method.fit(np.ones((17, 9))).scores_).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_outlier_without_scaling_overflows_nothing(rng):
    """Changes of the gradient have squares beyond single precision."""
    X = rng.standard_cauchy((21, 5)).astype(np.float32)
    X[17, 2] = 7e10
    options = {"affinity": "heat", "decay": 1e-6, "scale": None}
    method = GAFS(n_hidden=8, random_state=5, n_jobs=1, **options).fit(X)
    assert np.isfinite(method.objective_trace_).all()


def test_callback_stops_and_keeps_the_result(table):
    seen = []

    def callback(iteration, objective):
        seen.append(objective)
        return iteration == 5

    fitted = paper_gafs(tol=0, callback=callback).fit(table)
    assert fitted.n_iter_ == 5
    np.testing.assert_array_equal(seen, fitted.objective_trace_[1:])
    assert not fitted.converged_


def test_interrupt_leaves_the_estimator_as_it_was(table):
    def interrupt(iteration, objective):
        if iteration == 3:
            raise KeyboardInterrupt

    method = paper_gafs(callback=interrupt)
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt, match="after iteration 3.*callback that returns True"):
        method.fit(table)
    assert threading.active_count() == threads
    with pytest.raises(NotFittedError):
        method.transform(table)
    assert not hasattr(method, "n_features_in_")

    fitted = paper_gafs(tol=1e-3).fit(table)
    scores = fitted.scores_
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(callback=interrupt, tol=0).fit(table[:, :4])
    assert fitted.scores_ is scores
    assert fitted.n_features_in_ == 15


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_progress_bar(table, capsys):
    paper_gafs(max_iter=4, tol=0, verbose=1).fit(table)
    shown = capsys.readouterr()
    assert "4/4" in shown.err
    assert "objective" in shown.err
    assert not shown.out


def test_encode_is_the_hidden_code(table):
    fitted = paper_gafs(tol=1e-3).fit(table)
    scaled = (table - table.min(axis=0)) / np.ptp(table, axis=0)
    expected = 1 / (1 + np.exp(-(scaled @ fitted.W_in_ + fitted.b_in_)))
    np.testing.assert_allclose(fitted.encode(table), expected, rtol=1e-9)
    assert fitted.encode(table[:2]).shape == (2, 10)
    with pytest.raises(ValueError, match="15 features"):
        fitted.encode(table[:, :3])


def test_scores_are_weight_norms(table):
    fitted = paper_gafs(tol=1e-3).fit(table)
    assert fitted.W_in_.shape == (15, 10)
    assert fitted.W_out_.shape == (10, 15)
    np.testing.assert_allclose(fitted.scores_, np.linalg.norm(fitted.W_in_, axis=1))


def test_no_graph_weight_means_no_graph(table):
    def refuse(X):
        raise AssertionError("the graph is not needed")

    paper_gafs(graph_weight=0, affinity=refuse, tol=1e-3).fit(table)


def test_units_do_not_matter(table):
    """Min-max scaling and the graph of the scaled data: metres or millimetres, same order."""
    units = 2.0 ** np.arange(-21, 23, 3)  # powers of two: scaling back is exact
    plain, scaled = (GAFS(random_state=0, tol=1e-3).fit(X) for X in (table, table * units))
    np.testing.assert_array_equal(plain.scores_, scaled.scores_)


def test_paper_setting_is_fixed():
    params = GAFS.paper(7, random_state=3).get_params()
    assert params["n_features_to_select"] == 7
    assert params["memory"] == 100
    assert params["decay"] == 0
    assert params["dtype"] == "float64"


def test_data_outside_the_unit_interval_without_scaling(table):
    X = table / table.max()
    X[3, 4] = 1.5
    with pytest.raises(ValueError, match=r"scale=None.*column 4 lies in \[.*, 1.5\]"):
        GAFS(scale=None, elimination=None).fit(X)
    assert GAFS(4, scale=None).fit(3 * table).support_.sum() == 4  # with a linear output


def test_negative_sparse_data(table):
    X = sp.csr_array(np.where(table < 0.5, 0, table))
    X[0, 3] = -1
    with pytest.raises(ValueError, match=r"sparse and has negative values \(column 3\)"):
        GAFS(elimination=None).fit(X)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("alpha", -1),
        ("n_hidden", 0),
        ("scale", "log"),
        ("elimination", 1.0),
        ("affinity", "cosin"),
        ("n_neighbors", 0),
        ("dtype", "float16"),
        ("max_iter", 0),
    ],
)
def test_bad_parameters_are_named(table, parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of GAFS"):
        GAFS(**{parameter: value}).fit(table)


def test_precomputed_affinity_of_another_size(table):
    with pytest.raises(ValueError, match="one row per sample"):
        GAFS(affinity=np.eye(3)).fit(table)


def test_number_of_threads_changes_nothing(rng):
    X = rng.random((600, 9))
    one, three = (
        GAFS(random_state=0, tol=0, n_jobs=n, callback=stop_at_9).fit(X).scores_ for n in (1, 3)
    )
    np.testing.assert_array_equal(one, three)


def stop_at_9(iteration, objective):
    return iteration == 9
