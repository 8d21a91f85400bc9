"""Agreement of label-free criteria with labels, and what choosing a method by them costs.

    python -m experiments.studies.label_free                    report
    GRAPHSIEVE_DATA=folder python -m experiments.studies.label_free --measure 0,1

The report uses two tables of ``experiments/records``. ``quality/quality.parquet`` has the
reconstruction error and the preserved neighbours of all methods on held-out rows, next to the
scores with labels. ``label_free/halves.csv`` has what ``graphsieve compare`` computes on the
training rows alone, including stability and redundancy, next to the scores of the selection from
all training rows on the test rows; ``--measure`` adds the splits that it lacks. Labels never enter
a choice.
"""

import argparse
import warnings
from dataclasses import asdict

import numpy as np
import pandas as pd

from experiments.baselines import ranker
from experiments.cells import Cell
from experiments.protocol import fit_on, score_order
from experiments.spec import load_experiment
from experiments.studies.resume import append, finished
from experiments.studies.tables import RECORDS
from graphsieve.inspection.compare import CRITERIA, Judged, choose, judge

QUALITY = RECORDS / "quality" / "quality.parquet"
HALVES = RECORDS / "label_free" / "halves.csv"
METHODS = ("gafs", "css", "mrsf", "mcfs", "lap_score", "pfa", "variance", "random")
SHARES = (0.05, 0.2)
N_REPEATS = 2
SCORES = ("accuracy", "acc")
# The method that is taken without evidence; chosen on other splits (docs/choosing_defaults.md).
INCUMBENT = "gafs"
CASE = ["dataset", "share", "split"]


def measure(numbers, datasets=None):
    """Adds a row per method for every split that the table lacks: criteria and scores."""
    experiment, profile = load_experiment("quality").profile("medium")
    protocol = asdict(experiment.protocol)
    done = finished(HALVES, ["dataset", "split"])
    for number in numbers:
        for dataset in datasets or profile.datasets:
            if (dataset, number) in done:
                continue
            cell = Cell("shares", dataset, number, INCUMBENT, {}, protocol)
            rows = [row for share in SHARES for row in measure_share(cell, share)]
            append(HALVES, pd.DataFrame(rows))
            print(f"split {number}: {dataset}", flush=True)


def measure_share(cell, share):
    split = cell.load_split()
    count = max(1, round(share * split.X_train.shape[1]))
    candidates = {name: one_thread(ranker(name)(count)) for name in METHODS}
    judged = judge(candidates, split.X_train, count, n_repeats=N_REPEATS, random_state=cell.seed)
    means = judged.halves.groupby("candidate").mean()
    chosen = {f"by_{name}": choose(judged, name, INCUMBENT)[0] for name in CRITERIA}
    for name, estimator in candidates.items():
        fitted, _ = fit_on(estimator, split.X_train, cell.seed)
        scores = score_order(
            fitted.order_,
            split,
            shares=[count],
            metrics=("accuracy", "clustering"),
            n_repeats=cell.protocol["n_repeats"],
            random_state=cell.seed,
        ).iloc[0]
        yield {
            **{"dataset": cell.dataset, "split": cell.split, "share": share, "method": name},
            **{score: scores[score] for score in SCORES},
            **means.loc[name, ["structure", "neighborhood", "reconstruction", "redundancy"]],
            "stability": judged.stability[name].value,
            **{column: name == best for column, best in chosen.items()},
        }


def one_thread(estimator):
    return estimator.set_params(n_jobs=1) if "n_jobs" in estimator.get_params() else estimator


def agreement(table):
    """Mean rank correlation of every criterion with the scores, over the methods of a case."""
    rows = []
    for criterion in [name for name in CRITERIA if name in table]:
        sign = 1 if CRITERIA[criterion] else -1
        row = {"criterion": criterion}
        for score in SCORES:
            by_case = [
                sign * case[criterion].corr(case[score], method="spearman")
                for _, case in table.groupby(CASE)
            ]
            by_set = pd.Series(by_case).groupby(
                [dataset for (dataset, _, _), _ in table.groupby(CASE)]
            )
            row |= {
                f"{score}, mean": np.nanmean(by_case),
                f"{score}, sets above 0": int((by_set.mean() > 0).sum()),
            }
        rows.append(row)
    return pd.DataFrame(rows)


def losses(table, choices):
    """Mean loss of every choice of a method per case, against the best fixed method."""
    wide = {score: table.pivot(index=CASE, columns="method", values=score) for score in SCORES}
    best = {score: values.mean().idxmax() for score, values in wide.items()}
    rows = []
    for name, chosen in choices.items():
        row = {"choice": name, "changes": (chosen != INCUMBENT).mean()}
        for score, values in wide.items():
            taken = [values.loc[case, method] for case, method in chosen.items()]
            row[f"{score}, loss"] = values[best[score]].mean() - np.mean(taken)
        rows.append(row)
    return pd.DataFrame(rows), best


def by_criterion(table, criterion):
    """The best method of every case by one criterion."""
    values = table.pivot(index=CASE, columns="method", values=criterion)
    return values.idxmax(axis=1) if CRITERIA[criterion] else values.idxmin(axis=1)


def by_rule(table, criterion):
    """The incumbent unless another method is clearly better over the splits of a data set."""
    chosen = {}
    for (dataset, share), group in table.groupby(["dataset", "share"]):
        halves = group.rename(columns={"method": "candidate", "split": "half"})
        halves = halves[["candidate", "half", *[c for c in CRITERIA if c in group]]]
        halves = halves.assign(**missing(halves))
        best = choose(Judged(halves, {}, 0, 0), criterion, INCUMBENT)[0]
        chosen |= {(dataset, share, split): best for split in group["split"].unique()}
    return pd.Series(chosen)


def missing(halves):
    """Columns that the decision expects and this table does not have."""
    return {name: np.nan for name in (*CRITERIA, "seconds") if name not in halves}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", metavar="N,...", help="measure these splits, and add them")
    parser.add_argument("--datasets", metavar="NAME,...", help="only these data sets")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.measure:
        numbers = [int(number) for number in options.measure.split(",")]
        datasets = options.datasets.split(",") if options.datasets else None
        measure(numbers, datasets)
    report()


def report():
    quality = pd.read_parquet(QUALITY)
    # Only methods with all data sets and splits can be compared.
    n_rows = quality["method"].map(quality["method"].value_counts())
    quality = quality[n_rows == (quality["method"] == "gafs").sum()]
    measured = ["neighborhood", "reconstruction"]
    choices = {f"best {name}": by_criterion(quality, name) for name in measured}
    choices |= {f"clearly better {name}": by_rule(quality, name) for name in measured}
    show("All methods on held-out rows", quality, choices)
    table = pd.read_csv(HALVES)
    choices = {f"best {name}": by_criterion(table, name) for name in CRITERIA}
    for name in CRITERIA:
        choices[f"clearly better {name}"] = table[table[f"by_{name}"]].set_index(CASE)["method"]
    splits = ", ".join(map(str, sorted(table["split"].unique())))
    show(f"graphsieve compare on the training rows, splits {splits}", table, choices)


def show(title, table, choices):
    loss, best = losses(table, choices)
    print(f"\n{title}: rank correlation with labels")
    print(agreement(table).to_string(index=False, float_format="%.3f"))
    print(f"\n{title}: loss against the best fixed method, {best}")
    print(loss.to_string(index=False, float_format="%.4f"))


if __name__ == "__main__":
    main()
