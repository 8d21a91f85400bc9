"""Variants of GAFS that were tried. Only the roots of counts and the core of columns were kept.

    GRAPHSIEVE_DATA=folder python benchmarks/variants.py counts 100,101,102,103
    GRAPHSIEVE_DATA=folder python benchmarks/variants.py diffusion 100,101,102,103,104,105
    GRAPHSIEVE_DATA=folder python benchmarks/variants.py weights 100,101,112,113,114
    GRAPHSIEVE_DATA=folder python benchmarks/variants.py others 100,101
    GRAPHSIEVE_DATA=folder python benchmarks/variants.py core $(seq -s, 310 319)
    python benchmarks/variants.py                                       report

- Counts: functions of x / (smallest positive value of the column), on the text sets and MNIST.
- Diffusion: the directions of the graph have the weights of a diffusion map (Coifman and Lafon
  2006). On splits 100 to 105 it seemed to help, on 106 to 111 it did not.
- Weights of the graph: more than the weight of the data.
- Core: GAFS finds structure once more in the trusted columns where they are the minority. The
  variant "all columns" does not. Kept for needles in noise, see ``needles.py``.
- Others: bagging (ten fits on half of the rows each, geometric mean of the ranks), and weights by
  predictability for the columns that are not trusted.

Splits, scores and the table ``results/quality/variants.csv`` are explained in ``study.py``.
"""

import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
import scipy.sparse as sp
from study import report, run

from graphsieve import GAFS
from graphsieve._graph.spectral import embedding
from graphsieve._linear.targets import join_targets, make_target

OUT = Path(__file__).resolve().parents[1] / "results" / "quality" / "variants.csv"
WITH_COUNTS = ("pcmac", "relathe", "basehock", "mnist")
MOSTLY_NOISE = ("allaml", "colon", "leukemia", "madelon", "pcmac", "relathe", "basehock")
FUNCTIONS = {
    "square root": np.sqrt,
    "log": np.log1p,
    "log log": lambda X: np.log1p(np.log1p(X)),
    "present": np.sign,
}
N_BAGS = 10


class Changed(GAFS):
    """GAFS of a function of the data."""

    function = None

    def fit(self, X, y=None, groups=None):
        smallest = np.where(X > 0, X, np.inf).min(axis=0)
        X = X / np.where(np.isfinite(smallest), smallest, 1.0)
        return super().fit(type(self).function(X))


class Bagged(GAFS):
    """Geometric mean of the ranks on halves of the rows."""

    def fit(self, X, y=None, groups=None):
        rng = np.random.RandomState(0)
        n_rows = -(-len(X) // 2)
        fits = (
            GAFS(**self.get_params()).fit(X[rng.choice(len(X), n_rows, replace=False)])
            for _ in range(N_BAGS)
        )
        self.order_ = np.argsort(np.mean([np.log(f.ranking_) for f in fits], 0), kind="stable")
        return self


class Weighted(GAFS):
    """Other weights of the graph and of its directions."""

    graph, time = 1.0, 0

    def _targets(self, X, A, scores, rng):
        U = embedding(A, min(10, X.n_samples - 2), rng)
        degree = np.asarray(A.sum(axis=1)).ravel()
        walk = sp.diags_array(np.divide(1, degree, where=degree > 0, out=np.zeros(len(degree)))) @ A
        stays = np.einsum("ij,ij->j", U, degree[:, None] * (walk @ U))  # 1 - eigenvalue
        targets = join_targets([scores, U * np.maximum(stays, 0) ** self.time])
        targets[:, scores.shape[1] :] *= np.sqrt(self.graph)
        return make_target(targets)


class AllColumns(GAFS):
    """Structure of all columns, even where most of them are noise."""

    def fit(self, X, y=None, groups=None):
        with patch("graphsieve._linear.structure._FEWEST_TRUSTED", np.inf):
            return super().fit(X)


class Soft(GAFS):
    """Columns that are not trusted count by their predictability instead of alike."""

    def _coordinates(self, X, structure):
        self._n_rows = structure.n_rows
        return super()._coordinates(X, structure)

    def _rules(self, later=None, weights=None):
        if later is not None:
            soft = np.maximum(self._n_rows * self.predictability_ / 36, 0.02)
            weights = np.where(later, soft, weights)
        return super()._rules(later=later, weights=weights)


def variant(base, **settings):
    """A subclass of a variant, made for its settings."""
    return type(base.__name__, (base,), {"__init__": GAFS.__init__, **settings})(0.2)


def of_counts(split, seed):
    yield "gafs, minmax", GAFS(0.2, scale="minmax")
    for name, function in FUNCTIONS.items():
        changed = variant(Changed, function=staticmethod(function)).set_params(scale="minmax")
        yield name, changed


def others(split, seed):
    yield "gafs", GAFS(0.2)
    yield "bagging", variant(Bagged)
    yield "soft trust", variant(Soft)


def weights(split, seed):
    yield "gafs", GAFS(0.2)
    for graph in (2, 4, 8):
        yield f"graph with weight {graph}", variant(Weighted, graph=graph)


def core(split, seed):
    yield "gafs", GAFS(0.2)
    yield "all columns", variant(AllColumns)


def diffusion(split, seed):
    yield "gafs", GAFS(0.2)
    for time in (1, 3):
        yield f"diffusion map, time {time}", variant(Weighted, time=time)


KINDS = {
    "counts": (of_counts, WITH_COUNTS),
    "diffusion": (diffusion,),
    "weights": (weights,),
    "others": (others,),
    "core": (core, MOSTLY_NOISE),
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(OUT, [int(number) for number in sys.argv[2].split(",")], *KINDS[sys.argv[1]])
    table = pd.read_csv(OUT)
    counts = table["variant"].isin(["gafs, minmax", *FUNCTIONS])
    report(table[counts], "gafs, minmax")
    for name, rows in table[~counts].groupby(table["split"] > 105):
        print("splits from 106" if name else "splits 100 to 105")
        report(rows)
