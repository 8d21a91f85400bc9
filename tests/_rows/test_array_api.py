"""Arrays of other libraries are converted at the border."""

import array_api_strict
import numpy as np
import pytest
import sklearn

from graphsieve import GAFS
from graphsieve.methods import REGISTRY

pytestmark = pytest.mark.filterwarnings("ignore:.*max_iter")


@pytest.fixture(autouse=True)
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


@pytest.fixture
def table(rng):
    X = rng.random((300, 8)) @ rng.random((8, 30)) + 0.1 * rng.random((300, 30))
    X[:, 4] = 2.5
    return X


@pytest.mark.parametrize("name", REGISTRY)
def test_every_method_takes_them(table, name):
    method = REGISTRY[name](5)
    if "random_state" in method.get_params():
        method.set_params(random_state=0)
    if "max_iter" in method.get_params():
        method.set_params(max_iter=3)
    wanted = method.fit(table).scores_
    scores = method.fit(array_api_strict.asarray(table)).scores_
    np.testing.assert_array_equal(scores, wanted)


def test_missing_values_are_named(table):
    table[17, 3] = np.nan
    with pytest.raises(ValueError, match="row 17, column 3"):
        GAFS.paper(5).fit(array_api_strict.asarray(table))
