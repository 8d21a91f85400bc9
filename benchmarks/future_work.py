"""The future work of the GAFS paper, judged: denoising, contraction, and some labels.

    GRAPHSIEVE_DATA=folder python benchmarks/future_work.py 100,101     measure these splits
    python benchmarks/future_work.py                                    report

Splits, scores and the table ``results/quality/future_work.csv`` are explained in ``study.py``.

- Denoising (Vincent et al. 2008): the network reconstructs the data from a copy in which a fifth
  of the entries are set to the mean of their column, drawn anew every 25 iterations.
- Contraction (Rifai et al. 2011): a penalty on the squared norm of the derivative of the code by
  the data, ten percent of the variance at the start.
- Labels: for 10 or 30 % of the training rows, pairs of known and equal class are joined by an edge
  of weight 1, and edges between known and different classes are removed.

Each network is judged twice: by the norms of its weights, and with its code as a third target of
greedy selection.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.special import expit
from study import report, run

from graphsieve import GAFS
from graphsieve._solvers.lbfgs import lbfgs
from graphsieve._solvers.monitor import Monitor

OUT = Path(__file__).resolve().parents[1] / "results" / "quality" / "future_work.csv"
N_ITERATIONS = 100
MASKED = 0.2
CONTRACTION = 0.1
TINY = 1e-12


class Network:
    """The objective of GAFS with a noisy input and a penalty on the derivative of the code."""

    def __init__(self, X, L, penalties, start):
        self.X, self.L, self.penalties = X, L, penalties
        self.noisy = X
        self.contraction = 0.0
        self.shapes = [part.shape for part in start]
        self.start = np.concatenate([np.ravel(part) for part in start])

    def mask(self, rng):
        """Set a fifth of the entries of the input to the mean of their column."""
        self.noisy = np.where(rng.random_sample(self.X.shape) < MASKED, self.X.mean(0), self.X)

    def contract(self):
        """Make the penalty ten percent of the variance at the start."""
        self.contraction = 1.0
        _, penalty = self._contract(self._code(*self.unpack(self.start)[:2]), self.start)
        self.contraction = CONTRACTION * self.X.var(axis=0).sum() / 2 / max(penalty, TINY)

    def unpack(self, z):
        ends = np.cumsum([np.prod(shape) for shape in self.shapes])
        return [
            part.reshape(s) for part, s in zip(np.split(z, ends[:-1]), self.shapes, strict=True)
        ]

    def value_and_grad(self, z):
        n, (alpha, graph_weight, decay) = len(self.X), self.penalties
        W_in, b_in, W_out, b_out = self.unpack(z)
        H = self._code(W_in, b_in)
        R = expit(H @ W_out + b_out)
        E = (R - self.X) * R * (1 - R) / n
        D = E @ W_out.T
        value = ((R - self.X) ** 2).sum() / (2 * n)
        if self.L is not None:
            value += graph_weight * np.vdot(H, self.L @ H)
            D += 2 * graph_weight * (self.L @ H)
        slope = H * (1 - H)
        D *= slope
        by_input, penalty = self._contract(H, z)
        D += by_input
        norms = np.sqrt((W_in**2).sum(axis=1) + TINY)
        value += penalty + alpha * norms.sum() + decay / 2 * ((W_in**2).sum() + (W_out**2).sum())
        G_in = self.noisy.T @ D + alpha * W_in / norms[:, None] + decay * W_in
        G_in += self.contraction / n * W_in * (slope**2).sum(axis=0)
        G_out = H.T @ E + decay * W_out
        return value, np.concatenate([G_in.ravel(), D.sum(0), G_out.ravel(), E.sum(0)])

    def _code(self, W_in, b_in):
        return expit(self.noisy @ W_in + b_in)

    def _contract(self, H, z):
        """Gradient of the penalty by the input of the hidden layer, and the penalty."""
        slope, squares = H * (1 - H), (self.unpack(z)[0] ** 2).sum(axis=0)
        weight = self.contraction / len(H)
        return weight * squares * slope**2 * (1 - 2 * H), weight / 2 * (slope**2 @ squares).sum()


class Variant(GAFS):
    """GAFS with a network of the script; ``kind`` names what is changed."""

    kind = "plain"

    def _train(self, X, L, penalties, rng, *, n_hidden=None, start=None):
        network = Network(X.dense(slice(None)).astype(float), L, penalties, start)
        if self.kind == "contractive":
            network.contract()
        z = network.start
        for _ in range(N_ITERATIONS // 25):
            if self.kind == "denoising":
                network.mask(rng)
            monitor = Monitor(tol=1e-6, max_iter=25)
            z = lbfgs(network.value_and_grad, z, monitor).x
        self.W_in_, self.b_in_, self.W_out_, self.b_out_ = network.unpack(z)


class Denoising(Variant):
    kind = "denoising"


class Contractive(Variant):
    kind = "contractive"


class Labelled(GAFS):
    """GAFS whose graph knows the classes ``known`` of the training rows, -1 for unknown."""

    known = None

    def _graph(self, X, rows=None):
        A = sp.coo_array(super()._graph(X, rows))
        known = self.known
        one, other = known[A.row], known[A.col]
        kept = (one == other) | (one < 0) | (other < 0)
        A = sp.csr_array((A.data[kept], (A.row[kept], A.col[kept])), shape=A.shape)
        given = np.flatnonzero(known >= 0)
        member = sp.csr_array(
            (np.ones(len(given)), (given, known[given])), shape=(len(known), known.max() + 1)
        )
        return sp.csr_array(A.maximum(member @ member.T - sp.diags_array((known >= 0) * 1.0)))


def known_labels(y, fraction, rng):
    """Classes of some rows, of every class at least one; -1 for the others."""
    classes, known = np.unique(y, return_inverse=True)
    for number in range(len(classes)):
        rows = rng.permutation(np.flatnonzero(known == number))
        known[rows[max(1, round(fraction * len(rows))) :]] = -1
    return known


def variants(split, seed):
    code = {"targets": ("data", "graph", "code")}
    yield "gafs", GAFS(0.2)
    for kind in (Variant, Denoising, Contractive):
        yield f"norm, {kind.kind}", kind(0.2, selection="norm")
        yield f"code, {kind.kind}", kind(0.2, **code)
    for fraction in (0.1, 0.3):
        labelled = type("Labelled", (Labelled,), {"__init__": GAFS.__init__})
        labelled.known = known_labels(split.y_train, fraction, np.random.RandomState(seed))
        yield f"{fraction:.0%} of the labels", labelled(0.2)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(OUT, [int(number) for number in sys.argv[1].split(",")], variants)
    report(pd.read_csv(OUT))
