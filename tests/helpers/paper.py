"""GAFS with the network of the paper, for tests of the network."""

from graphsieve import GAFS


def paper_gafs(n_features_to_select=None, **params):
    """``GAFS.paper`` in single precision and with a short memory, changed by ``params``."""
    settings = {"dtype": "float32", "memory": 10, "random_state": 0} | params
    return GAFS.paper(n_features_to_select).set_params(**settings)
