"""Writes the tables of results/quality/ into README.md and docs/choosing_defaults.md.

    python benchmarks/quality_tables.py

The marks in these pages are those of ``tables.py``. ``quality`` are the fourteen wide data sets,
``others`` the fourteen small tables and series of sensors, ``fseval`` the protocol of FSEVAL.
"""

from pathlib import Path

import pandas as pd
from other_sets import OUT as OTHER_SETS
from tables import fill_marks

from graphsieve.evaluation import ALL_FEATURES
from graphsieve.paper.paired import ERRORS, by_split, gains
from graphsieve.paper.published import with_published

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "choosing_defaults.md")
TITLES = {
    "accuracy": "accuracy",
    "neighbor_accuracy": "1-NN",
    "acc": "ACC",
    "nmi": "NMI",
    "reconstruction": "reconstruction error",
    "neighborhood": "neighbourhood",
}
RANKED = ("accuracy", "acc", "nmi")
COMPARED = ("fastcan", "css", "mrsf", "gsr_sfs", "scufs", "mcfs", "random")
SHOWN = ("gafs", "css", "gsr_sfs", "mrsf", "scufs", "mcfs", "pfa", "qr", "variance", "random")


def read(name):
    """Finished rows of an experiment, without the scores of all features."""
    table = pd.read_parquet(ROOT / "results" / "quality" / f"{name}.parquet")
    return table[(table["status"] == "ok") & (table["method"] != ALL_FEATURES)]


def means(table, scores):
    """Scores by method and data set."""
    return table.groupby(["method", "dataset"])[list(scores)].mean()


def ranks(table, score):
    """Mean rank of every method that was run on all data sets and splits."""
    scores = by_split(table, score).dropna(axis="columns").groupby("dataset").mean()
    # Rounded, so that the last digit of a mean decides no rank.
    return scores.round(9).rank(axis="columns", ascending=score in ERRORS).mean()


def number(value):
    """Three digits, as in .806."""
    return f"{value:.3f}".replace("0.", ".", 1)


def above_random(table, method):
    """Number of data sets on which a method is more accurate than random selection."""
    scores = by_split(table, "accuracy")[[method, "random"]].dropna().groupby("dataset").mean()
    return f"{int((scores[method] > scores['random']).sum())} of {len(scores)}"


def seconds(table, method):
    """Mean processor seconds of a fit, if they were recorded."""
    if "fit_cpu_seconds" not in table:
        return {}
    return {"CPU seconds": f"{table.loc[table['method'] == method, 'fit_cpu_seconds'].mean():.2f}"}


def named(method):
    return f"**`{method}`**" if method == "gafs" else f"`{method}`"


def score_table(table, scores):
    """One row per method: those on all data sets and splits by rank, then each of the others."""
    by_set = means(table, scores)
    by_score = {score: ranks(table, score) for score in scores if score in RANKED}
    order = by_score["accuracy"].sort_values().index
    rows = [
        {
            "method": named(method),
            **{TITLES[s]: number(by_set.loc[method][s].mean()) for s in scores},
            "mean rank: accuracy / ACC / NMI": " / ".join(
                f"{ranked[method]:.1f}" for ranked in by_score.values()
            ),
            "above random": "" if method == "random" else above_random(table, method),
            **seconds(table, method),
        }
        for method in order
    ]
    for method in by_set.index.unique("method").difference(order):
        rows += on_fewer_sets(table, scores, method)
    return pd.DataFrame(rows).fillna("")


def on_fewer_sets(table, scores, method):
    """Rows of a method that was not run everywhere, and of GAFS on the same sets and splits."""
    cells = table.set_index(["dataset", "split"])
    cells = cells.loc[cells.index.isin(cells.index[cells["method"] == method])]
    sets, splits = cells.index.unique("dataset"), cells.index.unique("split")
    by_set = means(cells.reset_index(), scores)
    for name in (method, "gafs"):
        yield {
            "method": f"{named(name)} on {len(sets)} sets, {len(splits)} splits",
            **{TITLES[s]: number(by_set.loc[name][s].mean()) for s in scores},
            "above random": above_random(table, method) if name == method else "",
            **seconds(cells, name),
        }


def quality_table():
    return score_table(read("quality"), TITLES)


def gains_table():
    """GAFS minus other methods, with intervals."""
    table = read("quality")
    found = {score: gains(table, score, "gafs").set_index("method") for score in RANKED}
    rows = []
    for method in COMPARED:
        row = {"`gafs` minus": f"`{method}`"}
        for score, frame in found.items():
            gain, low, high = -frame.loc[method, ["gain", "high", "low"]].astype(float)
            row[TITLES[score]] = f"{gain:+.3f} [{low:+.3f}, {high:+.3f}]".replace("0.", ".")
        rows.append(row)
    return pd.DataFrame(rows)


def others_table():
    return score_table(pd.read_csv(OTHER_SETS), ("accuracy", "neighbor_accuracy", "acc", "nmi"))


def readme_table():
    """Means and mean ranks of some methods on both groups of data sets."""
    rows = []
    for name, table in (("wide", read("quality")), ("others", pd.read_csv(OTHER_SETS))):
        by_set = means(table, RANKED)
        for score in RANKED:
            mean = by_set[score].groupby("method").mean()
            row = {"": f"{TITLES[score]}, {name}"}
            rows.append(row | {f"`{method}`": number(mean[method]) for method in SHOWN})
        for score in RANKED:
            ranked = ranks(table, score)
            row = {"": f"mean rank in {TITLES[score]}, {name}"}
            rows.append(row | {f"`{method}`": f"{ranked[method]:.1f}" for method in SHOWN})
    return pd.DataFrame(rows)


def fseval_table():
    """Accuracy of a random forest by data set, next to the published methods."""
    scores = with_published(read("fseval"), "fseval").dropna(axis="columns")
    summary = pd.DataFrame(
        {"mean": scores.mean(), "rank": scores.rank(axis="columns", ascending=False).mean()}
    ).sort_values("rank")
    return pd.DataFrame(
        {
            "": f"*{name.removesuffix(' (fseval)')}*" if "fseval" in name else named(name),
            **{dataset: number(scores.loc[dataset, name]) for dataset in scores.index},
            "mean": number(row["mean"]),
            "mean rank": f"{row['rank']:.1f}",
        }
        for name, row in summary.iterrows()
    )


WRITERS = {
    "quality": quality_table,
    "quality_gains": gains_table,
    "others": others_table,
    "quality_readme": readme_table,
    "fseval": fseval_table,
}


def main():
    for page in PAGES:
        text = page.read_text("utf-8")
        page.write_text(fill_marks(text, lambda name: WRITERS[name]()), "utf-8")


if __name__ == "__main__":
    main()
