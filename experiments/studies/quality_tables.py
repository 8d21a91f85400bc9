"""Writes the tables of quality into the pages, and draws two figures.

    python -m experiments.studies.quality_tables

``quality`` are the fourteen wide data sets, ``earlier`` further methods on other splits of them,
``others`` the fourteen small tables and series of sensors, ``fseval`` the protocol of FSEVAL.
docs/choosing_defaults.md has a summary of them, and experiments/records/quality.md everything. The
figure of docs/choosing.md has the mean ranks of some methods, for every purpose; the other one
their gains over random selection.
"""

import matplotlib.pyplot as plt
import pandas as pd

from experiments.analysis import ERRORS, by_split, gains, with_published
from experiments.studies.fifty_features import OUT as FIFTY
from experiments.studies.other_sets import OUT as OTHER_SETS
from experiments.studies.tables import RECORDS, ROOT, markdown, write_page
from graphsieve.evaluation import ALL_FEATURES

PAGES = (ROOT / "docs" / "choosing_defaults.md", RECORDS / "quality.md")
FIGURE = ROOT / "docs" / "images" / "choosing.png"
GAINS_FIGURE = ROOT / "docs" / "images" / "results.png"
TITLES = {
    "accuracy": "accuracy",
    "neighbor_accuracy": "1-NN",
    "acc": "ACC",
    "nmi": "NMI",
    "neighborhood": "neighbourhood",
}
RANKED = ("accuracy", "acc", "nmi")
COMPARED = (
    *("gafs", "fastcan", "fastcan_spectral", "css", "mrsf", "gsr_sfs", "mcfs", "random"),
    *("extra_trees", "f_test"),
)
DRAWN = {
    "sieve": "Graph\nSieve",
    "gafs": "GAFS",
    "css": "Greedy\nCSS",
    "gsr_sfs": "GSRSFS",
    "mrsf": "MRSF",
    "mcfs": "MCFS",
    "pfa": "PFA",
    "rsr": "RSR",
    "lap_score": "Laplacian\nscore",
    "variance": "Variance",
    "random": "Random",
}
# Methods in the figure of gains, and what their dots stand for.
OURS, LABELS = ("sieve", "gafs"), ("extra_trees", "f_test")
LABELLED = {
    "fastcan": "FastCan, principal components",
    "fastcan_spectral": "FastCan, spectral embedding",
    "ndfs": "NDFS",
    "qr": "QR pivoting",
    "extra_trees": "Extra trees, all labels",
    "f_test": "F test, all labels",
}
# Methods of the summary. The last two see the labels of the training rows.
SHOWN = (
    *("sieve", "gafs", "css", "mrsf", "gsr_sfs", "mcfs", "fastcan", "fastcan_spectral", "pfa"),
    *("qr", "variance", "random", "extra_trees", "f_test"),
)
# Differences in accuracy that are worth a word.
NOTABLE = 0.005
FIFTY_TITLES = {"isolet": "ISOLET", "mnist": "MNIST, 10,000 rows", "coil20": "COIL20"}
# Accuracy, error and seconds of the published notebooks.
FIFTY_PUBLISHED = {
    "*FAE, published*": (".888, .0146, 5,490 s", ".925, .0189, 7,617 s", ".995, .0104, 155 s"),
    "*CAE, published*": (".883, .0135, 34,087 s", ".925, .0189, 5,121 s", ".990, .0105, 2,159 s"),
    "*PFA, published*": (".867, .0154, 54 s", ".879, .0288, 42 s", ".995, .0093, 5 s"),
}
PURPOSES = {
    "predict classes\n(softmax accuracy)": "accuracy",
    "find similar samples\n(1-NN accuracy)": "neighbor_accuracy",
    "find clusters\n(k-means ACC)": "acc",
    "find clusters\n(k-means NMI)": "nmi",
    "keep neighbourhoods\n(overlap of neighbours)": "neighborhood",
}


def read(name):
    """Finished rows of an experiment, without the scores of all features."""
    table = pd.read_parquet(RECORDS / "quality" / f"{name}.parquet")
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


def named(method):
    return f"**`{method}`**" if method in ("sieve", "gafs") else f"`{method}`"


def score_table(table, scores):
    """One row per method: those on all data sets and splits by rank, then each of the others."""
    by_set = means(table, scores)
    rivals = table[~table["method"].isin(LABELS)]
    by_score = {score: ranks(rivals, score) for score in scores if score in RANKED}
    order = by_score["accuracy"].sort_values().index
    rows = [
        {
            "method": named(method),
            **{TITLES[s]: number(by_set.loc[method][s].mean()) for s in scores},
            "mean rank: accuracy / ACC / NMI": " / ".join(
                f"{ranked[method]:.1f}" for ranked in by_score.values()
            ),
            "above random": "" if method == "random" else above_random(table, method),
        }
        for method in order
    ]
    for method in by_set.index.unique("method").difference(order):
        if method not in LABELS:
            rows += on_fewer_sets(table, scores, method)
    for method in by_set.index.unique("method").intersection(LABELS):
        rows.append(
            {
                "method": f"{named(method)} (all labels)",
                **{TITLES[s]: number(by_set.loc[method][s].mean()) for s in scores},
                "above random": above_random(table, method),
            }
        )
    return pd.DataFrame(rows).fillna("")


def on_fewer_sets(table, scores, method):
    """Rows of a method that was not run everywhere, and of GraphSieve on the same ones."""
    cells = table.set_index(["dataset", "split"])
    cells = cells.loc[cells.index.isin(cells.index[cells["method"] == method])]
    sets, splits = cells.index.unique("dataset"), cells.index.unique("split")
    by_set = means(cells.reset_index(), scores)
    for name in (method, "sieve"):
        yield {
            "method": f"{named(name)} on {len(sets)} sets, {len(splits)} splits",
            **{TITLES[s]: number(by_set.loc[name][s].mean()) for s in scores},
            "above random": above_random(table, method) if name == method else "",
        }


def quality_table():
    return score_table(read("quality"), TITLES)


def earlier_table():
    return score_table(read("earlier"), TITLES)


def gains_table():
    """GraphSieve minus other methods, with intervals."""
    table = read("quality")
    found = {score: gains(table, score, "sieve").set_index("method") for score in RANKED}
    rows = []
    for method in COMPARED:
        row = {"`sieve` minus": f"`{method}`"}
        for score, frame in found.items():
            gain, low, high = -frame.loc[method, ["gain", "high", "low"]].astype(float)
            row[TITLES[score]] = f"{gain:+.3f} [{low:+.3f}, {high:+.3f}]".replace("0.", ".")
        rows.append(row)
    return pd.DataFrame(rows)


def others_table():
    return score_table(pd.read_csv(OTHER_SETS), ("accuracy", "neighbor_accuracy", "acc", "nmi"))


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


def everything():
    """The scores on all 28 data sets."""
    columns = ["dataset", "split", "method", *RANKED]
    return pd.concat([read("quality"), pd.read_csv(OTHER_SETS)], ignore_index=True)[columns]


def summary_table():
    """Means over the wide and the small data sets, and how often accuracy is above random."""
    both = everything()
    splits = read("quality").groupby("method")["split"].nunique()
    wide, small = (means(t, RANKED) for t in (read("quality"), pd.read_csv(OTHER_SETS)))
    rows = []
    for method in SHOWN:
        row = {"method": named(method) + (" (all labels)" if method in LABELS else "")}
        if splits[method] < splits.max():
            row["method"] += f" ({splits[method]} splits)"
        for words, found in (("14 wide", wide), ("14 small", small)):
            scores = found.loc[method].mean()
            row[f"{words}: accuracy / ACC / NMI"] = " / ".join(map(number, scores))
        row["more accurate than random"] = "" if method == "random" else above_random(both, method)
        rows.append(row)
    return pd.DataFrame(rows)


def behind():
    """Data sets on which GraphSieve is less accurate than random selection, as a sentence."""
    means = by_split(everything(), "accuracy")[["sieve", "random"]].groupby("dataset").mean()
    loss = (means["sieve"] - means["random"]).sort_values()
    loss = loss[loss < -NOTABLE]
    sets = [f"{dataset} ({value:+.3f})".replace("0.", ".") for dataset, value in loss.items()]
    return f"Less accurate than random selection by more than {NOTABLE}: {', '.join(sets)}."


def with_labels():
    """GraphSieve without labels minus extra trees with all of them, as a sentence."""
    table = everything()
    parts = []
    for score in RANKED:
        found = gains(table, score, "sieve").set_index("method").loc["extra_trees"]
        gain, low, high = -found[["gain", "high", "low"]].astype(float)
        parts.append(f"{TITLES[score]} {gain:+z.3f} [{low:+.3f}, {high:+.3f}]".replace("0.", "."))
    return f"GraphSieve without labels minus extra trees with all of them: {', '.join(parts)}."


def fseval_summary():
    """Mean over ten data sets, and mean rank."""
    return fseval_table()[["", "mean", "mean rank"]]


def fifty_table():
    """Accuracy, error and seconds of fifty features."""
    found = pd.read_csv(FIFTY).groupby(["method", "dataset"], sort=False)
    found = found[["accuracy", "error", "seconds"]].mean()
    rows = []
    for method in found.index.unique("method"):
        row = {"": named(method)}
        for dataset, title in FIFTY_TITLES.items():
            accuracy, error, seconds = found.loc[method, dataset]
            error = f"{error:.4f}".removeprefix("0")
            row[title] = f"{number(accuracy)}, {error}, {seconds:.1f} s"
        rows.append(row)
    titles = list(FIFTY_TITLES.values())
    rows += [{"": name} | dict(zip(titles, v, strict=True)) for name, v in FIFTY_PUBLISHED.items()]
    return pd.DataFrame(rows)


WRITERS = {
    "summary": summary_table,
    "fseval_summary": fseval_summary,
    "fifty": fifty_table,
    "quality": quality_table,
    "quality_gains": gains_table,
    "earlier": earlier_table,
    "others": others_table,
    "fseval": fseval_table,
}
SENTENCES = {"behind": behind, "labels": with_labels}


def write(name):
    """The table or sentence of a mark, as Markdown."""
    return SENTENCES[name]() if name in SENTENCES else markdown(WRITERS[name]())


def mean_ranks():
    """One row per purpose, one column per method, and the number of data sets."""
    wide, others = read("quality"), pd.read_csv(OTHER_SETS)
    rows, counts = {}, {}
    for purpose, score in PURPOSES.items():
        tables = (wide, others) if score in others else (wide,)
        # Splits that all of the methods have.
        parts = [by_split(table, score)[list(DRAWN)].dropna() for table in tables]
        values = pd.concat(part.groupby("dataset").mean() for part in parts)
        ranked = values.rank(axis="columns", ascending=score in ERRORS)
        rows[purpose], counts[purpose] = ranked.mean(), len(values)
    return pd.DataFrame(rows).T, counts


def draw(ranks, counts):
    figure, axes = plt.subplots(figsize=(11, 4.8), layout="constrained")
    shown = axes.imshow(ranks, cmap="cividis_r", vmin=1, vmax=len(DRAWN), aspect="auto")
    for i, row in enumerate(ranks.to_numpy()):
        for j, rank in enumerate(row):
            best = rank == row.min()
            color = "black" if rank < (1 + len(row)) / 2 else "white"
            weight = "bold" if best else "normal"
            axes.text(j, i, f"{rank:.1f}", ha="center", va="center", color=color, weight=weight)
            if best:
                box = plt.Rectangle((j - 0.47, i - 0.46), 0.94, 0.92, fill=False, lw=2.5)
                axes.add_patch(box)
    axes.set_xticks(range(len(DRAWN)), DRAWN.values())
    axes.set_yticks(range(len(ranks)), [f"{p[:-1]}, {counts[p]} sets)" for p in ranks.index])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_ylabel("what you want to do")
    figure.colorbar(shown, label="mean rank (1 is best)", shrink=0.9)
    return figure


def gains_over_random():
    """Gains of the methods of the figure over random selection, by score, with intervals."""
    table = everything()
    names = {**DRAWN, **LABELLED}
    found = {score: gains(table, score, "random").set_index("method") for score in RANKED}
    order = [name for name in found["accuracy"].index if name in names]
    return {score: frame.loc[order] for score, frame in found.items()}


def draw_gains(found):
    """One panel per score: a dot and an interval per method, best accuracy on top."""
    names = {name: text.replace("\n", " ") for name, text in {**DRAWN, **LABELLED}.items()}
    names |= {"sieve": "GraphSieve", "css": "GreedyCSS"}
    figure, panels = plt.subplots(1, 3, figsize=(11, 5.2), sharey=True, layout="constrained")
    for axes, (score, frame) in zip(panels, found.items(), strict=True):
        for y, (method, row) in enumerate(frame.iterrows()):
            colour = "#0072B2" if method in OURS else "#D55E00" if method in LABELS else "#666666"
            axes.plot([row["low"], row["high"]], [y, y], color=colour, lw=2)
            axes.plot(row["gain"], y, "D" if method in LABELS else "o", color=colour, ms=7)
        axes.axvline(0, color="black", lw=1)
        axes.set_xlabel(f"{TITLES[score]}: gain over random selection")
        axes.locator_params(axis="x", nbins=5)
        axes.grid(axis="x", alpha=0.3)
        axes.spines[["top", "right", "left"]].set_visible(False)
    order = found["accuracy"].index
    counts = found["accuracy"]["n_datasets"]
    labels = [f"{names[m]} ({counts[m]} sets)" if counts[m] < 28 else names[m] for m in order]
    panels[0].set_yticks(range(len(order)), labels)
    panels[0].invert_yaxis()
    panels[0].text(0, -0.9, "random", ha="center", va="bottom")
    return figure


def main():
    for page in PAGES:
        write_page(page, write)
    draw(*mean_ranks()).savefig(FIGURE, dpi=110)
    draw_gains(gains_over_random()).savefig(GAINS_FIGURE, dpi=110)


if __name__ == "__main__":
    main()
