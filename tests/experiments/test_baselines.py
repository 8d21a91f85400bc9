"""The baselines on small cases whose answer is known."""

import numpy as np
import pytest

from experiments import baselines
from experiments.baselines import BASELINES, CorrelationPruning, MissingPackage
from graphsieve.evaluation import fit_on

PACKAGES = {
    "cur": "skmatter",
    "fps": "skmatter",
    "fastcan": "fastcan",
    "fastcan_spectral": "fastcan",
    "ndfs": "skfeature",
    "lscae": "lscae",
}
# LSCAE trains for 500 epochs, too long for a test; NDFS does not look at redundancy, and the
# references with labels have tests of their own.
OTHERS = {"lscae", "ndfs", "extra_trees", "f_test"}


@pytest.fixture(params=[name for name in BASELINES if name not in OTHERS])
def baseline(request):
    if request.param in PACKAGES:
        pytest.importorskip(PACKAGES[request.param])
    cls = BASELINES[request.param]
    return lambda k: cls(k, random_state=0) if "random_state" in cls().get_params() else cls(k)


@pytest.fixture
def groups(rng):
    """Four independent signals of equal strength, each in five columns with a little noise."""
    signals = rng.standard_normal((80, 4))
    return np.repeat(signals, 5, axis=1) + 0.05 * rng.standard_normal((80, 20))


def test_one_column_of_every_group(baseline, groups):
    order = baseline(4).fit(groups).order_
    assert set(order[:4] // 5) == {0, 1, 2, 3}
    assert sorted(order) == list(range(20))


@pytest.mark.filterwarnings("ignore:Column vector contains only zeros")
def test_more_columns_than_the_rank(baseline, rng):
    X = rng.standard_normal((8, 30))
    order = baseline(25).fit(X).order_
    assert sorted(order) == list(range(30))


def test_same_seed_same_ranking(baseline, groups):
    first, again = (baseline(6).fit(groups).order_ for _ in range(2))
    np.testing.assert_array_equal(first, again)


def test_pruning_keeps_to_the_threshold(rng):
    X = rng.standard_normal((60, 3)) @ rng.standard_normal((3, 700))
    selector = CorrelationPruning(threshold=0.8).fit(X)
    correlation = np.abs(np.corrcoef(X, rowvar=False))
    variance = X.var(axis=0)
    kept = []
    for j in np.argsort(-variance, kind="stable"):
        if not kept or correlation[j, kept].max() <= 0.8:
            kept.append(j)
    assert selector.order_[: len(kept)].tolist() == kept


@pytest.mark.parametrize("name", ["extra_trees", "f_test"])
def test_references_rank_by_the_labels(name, rng):
    X, y = rng.standard_normal((90, 6)), np.arange(90) % 3
    X[:, 4] += y
    selector = fit_on(BASELINES[name](2), X, 0, y)[0]
    assert selector.order_[0] == 4
    with pytest.raises(ValueError, match="reference with labels: pass y"):
        BASELINES[name](2).fit(X)


def test_ndfs_prefers_columns_of_the_clusters(rng):
    pytest.importorskip("skfeature")
    X = rng.random((60, 8))
    X[:, :4] += 2 * rng.random((5, 4))[np.arange(60) % 5]
    first, again = (BASELINES["ndfs"](2, random_state=0).fit(X).order_ for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert first[0] < 4


def test_baselines_that_select_anew_for_every_size():
    assert [name for name, cls in BASELINES.items() if not cls.nested] == ["pfa", "lscae"]


@pytest.mark.parametrize(("name", "package"), PACKAGES.items())
def test_missing_package_is_named(monkeypatch, groups, name, package):
    def absent(module):
        raise ModuleNotFoundError(module)

    monkeypatch.setattr(baselines, "import_module", absent)
    with pytest.raises(MissingPackage, match=f"needs {package}.*. Run: python -m pip install"):
        BASELINES[name](3).fit(groups)
