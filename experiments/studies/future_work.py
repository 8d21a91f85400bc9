"""The future work of the GAFS paper with recursive elimination: labels, noise, contraction.

    GRAPHSIEVE_DATA=folder python -m experiments.studies.future_work --splits 3
    python -m experiments.studies.future_work --table

- Labels: classes of some training rows are further outputs of the network, with as much variance
  as the data; rows without a label have no error there.
- Denoising (Vincent et al. 2008): a fifth of the entries of the input are set to the mean of their
  column, drawn anew in every round, and the output stays.
- Contraction (Rifai et al. 2011): a penalty on the squared norm of the derivative of the code by
  the data, a tenth of the variance at the start.

One pass of the same network, without any of these, shows what the elimination itself adds, the
network without the graph what the graph adds, and AEFS what both add. On the fourteen wide data
sets, under the protocol of the quality study, from split 200 on. The rows are kept in
experiments/records/quality/future_work_elimination.csv.
"""

import argparse
import warnings
from dataclasses import asdict
from functools import partial

import numpy as np
import pandas as pd

from experiments.analysis import gains
from experiments.baselines import ExtraTrees
from experiments.cells import Cell
from experiments.protocol import fit_on, score_order
from experiments.provenance import provenance
from experiments.spec import load_experiment
from experiments.studies.resume import append, finished
from experiments.studies.tables import RECORDS, markdown, write_page
from graphsieve import AEFS, GAFS
from graphsieve._network.elimination import TargetObjective, code
from graphsieve._network.lbfgs import lbfgs
from graphsieve._utils.monitor import Monitor
from graphsieve._utils.threads import single_threaded_blas

OUT = RECORDS / "quality" / "future_work_elimination.csv"
PAGE = RECORDS / "future_work.md"
FIRST_SPLIT = 200
MASKED, CONTRACTION = 0.2, 0.1
SCORES = ["accuracy", "acc", "nmi"]
TITLES = {"accuracy": "accuracy", "acc": "ACC", "nmi": "NMI"}


class Objective(TargetObjective):
    """The objective of `GAFS` with a contractive penalty, and targets that some rows lack.

    With S = H * (1 - H), the penalty is contraction / n sum_ik S_ik^2 |column k of W_in|^2.
    """

    def __init__(self, problem, n_hidden, penalties, missing=None, contraction=0.0):
        super().__init__(problem, n_hidden, penalties)
        self.missing, self.contraction = missing, contraction

    def value_and_grad(self, z):
        weights = self.split(z)
        problem, (X, T, *_) = self.problem, self.problem
        H = code(problem, weights.W_in, weights.b_in)
        if self.missing is not None:
            # Where there is no target, the output itself is the target: no error, no gradient.
            T = np.where(self.missing, H @ weights.W_out + weights.b_out, T)
            self.problem = problem._replace(T=T.astype(X.dtype))
        value, grad = super().value_and_grad(z)
        self.problem = problem
        if self.contraction:
            S2, lengths = (H * (1 - H)) ** 2, np.square(weights.W_in).sum(axis=0)
            weight = self.contraction / len(H)
            value += weight * float((S2 @ lengths).sum())
            D = 2 * weight * S2 * (1 - 2 * H) * lengths
            G_in, g_in, _, _ = self.split(grad)
            G_in += self.products(D.astype(X.dtype)) + 2 * weight * weights.W_in * S2.sum(axis=0)
            g_in += D.sum(axis=0)
        return value, grad


class Variant(GAFS):
    """GAFS with an objective of this study; ``known`` has classes of the rows, -1 for unknown."""

    masked, contractive, known = 0.0, 0.0, None

    def _make_problem(self, rows, structure, L):
        problem = super()._make_problem(rows, structure, L)
        self._missing = None
        if self.known is not None:
            given = self.known >= 0
            Y = np.zeros((len(given), self.known.max() + 1))
            Y[given, self.known[given]] = 1
            Y[given] -= Y[given].mean(axis=0)
            T = problem.T
            Y *= np.sqrt(np.vdot(T, T) / len(T) / (np.vdot(Y, Y) / given.sum()))
            self._missing = np.zeros((len(T), T.shape[1] + Y.shape[1]), dtype=bool)
            self._missing[~given, T.shape[1] :] = True
            problem = problem._replace(T=np.hstack([T, Y]).astype(T.dtype))
        self._noise, self._contraction = np.random.default_rng(0), None
        return problem

    def _descend(self, problem, weights, penalties, fraction=1.0, callback=None):
        if self.masked:
            X = problem.dense()
            noise = self._noise.random(X.shape, dtype=np.float32) >= self.masked
            problem = problem._replace(X=X * noise, mean=None)
        if self.contractive and self._contraction is None:
            H = code(problem, weights.W_in, weights.b_in)
            slope = float(((H * (1 - H)) ** 2 @ np.square(weights.W_in).sum(axis=0)).sum())
            self._contraction = self.contractive * np.vdot(problem.T, problem.T) / slope
        added = self._missing, self._contraction or 0.0
        objective = Objective(problem, len(weights.b_in), penalties, *added)
        monitor = Monitor(tol=self.tol, max_iter=max(1, round(fraction * 30)), title="GAFS")
        with monitor:
            result = lbfgs(
                objective.value_and_grad, objective.pack(weights), monitor, dtype=self.dtype
            )
        return result, objective.split(result.x)


class Denoising(Variant):
    masked = MASKED


class Contractive(Variant):
    contractive = CONTRACTION


def labelled(n_features_to_select, fraction, split, seed):
    """GAFS with the labels of a fraction of the training rows, of every class at least one."""
    classes, known = np.unique(split.y_train, return_inverse=True)
    rng = np.random.default_rng(seed)
    for number in range(len(classes)):
        rows = rng.permutation(np.flatnonzero(known == number))
        known[rows[max(1, round(fraction * len(rows))) :]] = -1
    # A class, because estimators are cloned before they are fitted.
    return type("Labelled", (Variant,), {"known": known})(n_features_to_select)


def variants(most, split, seed):
    """What is compared, by name."""
    with_labels = partial(labelled, most, split=split, seed=seed)
    return {
        "gafs": GAFS(most),
        # All features but the last ten or fewer leave after the first training.
        "one pass of the same network": GAFS(most, elimination=0.999),
        "without the graph": GAFS(most, graph_weight=0),
        "AEFS, one pass without the graph": AEFS(most, random_state=seed),
        "denoising": Denoising(most),
        "contractive": Contractive(most),
        "10 % of the labels": with_labels(0.1),
        "30 % of the labels": with_labels(0.3),
        "all labels": with_labels(1.0),
        "extra trees, all labels": ExtraTrees(most),
    }


def run(n_splits):
    warnings.simplefilter("ignore")
    experiment, profile = load_experiment("quality").profile("medium")
    protocol = asdict(experiment.protocol)
    done = finished(OUT, ["dataset", "split", "method"])
    for number in range(FIRST_SPLIT, FIRST_SPLIT + n_splits):
        for dataset in profile.datasets:
            cell = Cell("shares", dataset, number, "gafs", {}, protocol)
            for rows in measure(cell, done):
                append(OUT, rows)
            print(f"split {number}: {dataset}", flush=True)


def measure(cell, done=()):
    """Scores of every variant on one split, but for those that are ``done``."""
    split = cell.load_split()
    for name, method in variants(max(cell.counts), split, cell.seed).items():
        if (cell.dataset, cell.split, name) in done:
            continue
        if "n_jobs" in method.get_params():
            method.set_params(n_jobs=1)
        labels = split.y_train if getattr(method, "uses_labels", False) else None
        with single_threaded_blas():
            fitted, _ = fit_on(method, split.X_train, cell.seed, labels)
            rows = score_order(
                fitted.order_,
                split,
                shares=cell.counts,
                metrics=("accuracy", "clustering"),
                n_repeats=cell.protocol["n_repeats"],
                random_state=cell.seed,
            )
        about = {"dataset": cell.dataset, "split": cell.split, "method": name}
        yield rows[["n_features", *SCORES]].assign(**about, commit=provenance()["commit"])


def table():
    """Means over the data sets, and gains over GAFS with intervals."""
    found = pd.read_csv(OUT)
    means = found.groupby(["method", "dataset"])[SCORES].mean().groupby("method", sort=False).mean()
    by_score = {score: gains(found, score, "gafs").set_index("method") for score in SCORES}
    lines = []
    for name in found["method"].unique():
        line = {"": name}
        for score, frame in by_score.items():
            line[TITLES[score]] = f"{means.loc[name, score]:.3f}"
            if name != "gafs":
                gain, low, high = frame.loc[name, ["gain", "low", "high"]].astype(float)
                line[TITLES[score]] += f" ({gain:+.3f} [{low:+.3f}, {high:+.3f}])"
        lines.append(line)
    return markdown(pd.DataFrame(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--table", action="store_true", help="write the table of the record")
    arguments = parser.parse_args()
    if not arguments.table:
        run(arguments.splits)
    write_page(PAGE, lambda name: table() if name == "future_work" else None)


if __name__ == "__main__":
    main()
