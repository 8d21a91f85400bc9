"""GAFS and LassoNet, trained to reconstruct its input, as in the LassoNet project's MNIST example.

Both rebuild the data through ten hidden units and a penalty on the rows of the first weights.
LassoNet follows a path of penalties until no column is left and ranks columns by when they went;
columns that went together keep their order. Its defaults, but steps of 5 % on the path, not 2 %.
Columns are brought to [0, 1] one by one: the tables have units.
"""

import numpy as np
from lassonet import LassoNetRegressor
from sklearn.preprocessing import minmax_scale

from graphsieve import GAFS
from graphsieve.datasets import load

PEER = "lassonet"


def pairs(dataset, path_multiplier=1.05):
    X = minmax_scale(load(dataset).X.astype(np.float32))

    def select(X):
        net = LassoNetRegressor(
            hidden_dims=(10,),
            path_multiplier=path_multiplier,
            verbose=0,
            random_state=0,
            torch_seed=0,
        )
        net.path(X, X)
        return np.argsort(-net.feature_importances_.numpy(), kind="stable")

    return X, {"GAFS": (lambda X: GAFS(random_state=0).fit(X).order_, select)}
