"""GreedyCSS compared with fastcan, whose guide uses principal components as targets without labels.

Both take columns one by one, each for what it adds to those before. fastcan adds up squared
canonical correlations with the first k components, whatever their variance; GreedyCSS minimises
the squared error of all columns.
"""

from fastcan import FastCan
from measure import unit_range
from sklearn.decomposition import PCA

from graphsieve import GreedyCSS

PEER = "fastcan"


def pairs(dataset, k=50):
    X = unit_range(dataset)
    k = min(k, X.shape[1] // 4)

    def select(X):
        targets = PCA(k, random_state=0).fit_transform(X)
        return FastCan(k, verbose=0).fit(X, targets).indices_

    return X, {"GreedyCSS": (lambda X: GreedyCSS(k).fit(X).order_, select)}
