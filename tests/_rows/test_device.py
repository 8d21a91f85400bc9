"""Arrays of other libraries: the passes run on their device and give the same scores."""

import array_api_strict
import numpy as np
import pytest
import sklearn

from graphsieve import GAFS
from graphsieve._autoencoder.passes import DevicePart, HostPart
from graphsieve.methods import REGISTRY

pytestmark = pytest.mark.filterwarnings("ignore:.*max_iter")


@pytest.fixture(params=["array_api_strict", "torch"])
def asarray(request):
    if request.param == "torch":
        torch = pytest.importorskip("torch", reason="torch is not installed")
        return torch.asarray
    return array_api_strict.asarray


@pytest.fixture(autouse=True)
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.fixture
def table(rng):
    X = rng.random((300, 8)) @ rng.random((8, 30)) + 0.1 * rng.random((300, 30))
    X[:, 4] = 2.5
    return X


CASES = [
    {},
    {"graph_weight": 0, "alpha": 1e-3, "decay": 1e-3},
    {"selection": "greedy"},
    {"solver": "minibatch"},
    # On this path single precision parts from itself by 3e-5 within eight iterations.
    {"scale": "global", "output": "identity", "dtype": "float64"},
]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("parameters", CASES, ids=str)
def test_scores_are_those_of_numpy(asarray, table, dtype, parameters):
    parameters = {"dtype": dtype, **parameters}
    X = table.astype(dtype)
    method = GAFS(5, max_iter=15, tol=0, random_state=0, **parameters)
    wanted = method.fit(X).scores_
    scores = method.fit(asarray(X)).scores_
    tolerance = 1e-5 if parameters["dtype"] == "float32" else 1e-9
    np.testing.assert_allclose(scores, wanted, atol=tolerance * abs(wanted).max())


def test_the_passes_run_on_the_device(asarray, table, monkeypatch):
    calls = []
    encode = DevicePart.encode
    monkeypatch.setattr(DevicePart, "encode", lambda *args: calls.append(1) or encode(*args))
    monkeypatch.setattr(HostPart, "encode", None)
    GAFS(5, max_iter=3, random_state=0).fit(asarray(table))
    assert calls


def test_what_comes_back(asarray, table):
    """Scores are NumPy arrays; what is made from X is of its kind."""
    if asarray is array_api_strict.asarray and sklearn.__version__.startswith("1.6."):
        pytest.skip("scikit-learn 1.6 indexes such arrays with a mask of NumPy")
    X = asarray(table)
    method = GAFS(5, max_iter=3, random_state=0).fit(X)
    assert isinstance(method.scores_, np.ndarray)
    assert type(method.transform(X)) is type(X)
    assert type(method.encode(X)) is type(X)
    np.testing.assert_array_equal(np.asarray(method.transform(X)), table[:, method.get_support()])
    np.testing.assert_allclose(
        np.asarray(method.encode(X)), method.fit(table).encode(table), rtol=1e-5
    )


@pytest.mark.parametrize("name", REGISTRY)
def test_every_method_takes_them(asarray, table, name):
    method = REGISTRY[name](5)
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    if "max_iter" in method.get_params():
        method.set_params(max_iter=3)
    wanted = method.fit(table).scores_
    scores = method.fit(asarray(table)).scores_
    np.testing.assert_allclose(scores, wanted, rtol=1e-5, atol=1e-6 * abs(wanted).max())


def test_missing_values_are_named(asarray, table):
    table[17, 3] = np.nan
    with pytest.raises(ValueError, match="row 17, column 3"):
        GAFS.paper(5).fit(asarray(table))
