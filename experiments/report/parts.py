"""Parts of which the sections consist: groups of figures, and tables, as plain dicts."""

import numpy as np

from ..analysis import ERRORS, all_features, gains, mean_ranks, scores_by_case, wins
from ..figures import (
    LABELS,
    critical_difference_figure,
    gains_figure,
    legend_figure,
    share_curves_figure,
)
from ..protocol import ALL_FEATURES
from ..sources import DATASETS

SHORT = {
    "accuracy": "Accuracy",
    "neighbor_accuracy": "1-NN accuracy",
    "forest": "Forest accuracy",
    "acc": "ACC",
    "nmi": "NMI",
    "reconstruction": "Reconstruction error",
    "neighborhood": "Neighbours preserved",
}

# Mean scores that differ by no more are a tie.
_TIE = 0.01


def scores_in(table):
    """Scores that a table has."""
    return [score for score in SHORT if score in table and table[score].notna().any()]


def group(figures, *, title="", note="", folded=False, wide=False):
    """Figures that belong together."""
    return {"title": title, "note": note, "folded": folded, "wide": wide, "figures": figures}


def entry(figure, name, alt, legend=False):
    """A figure, the name of its file and its description."""
    return {"figure": figure, "name": name, "alt": alt, "legend": legend}


def cell(text, best=False):
    """A cell of a table."""
    return {"text": text, "best": bool(best)}


def cells(values, best=None, form=".3f"):
    """Cells of numbers, empty for NaN; ``best`` has the numbers that are best."""
    best = [None] * len(values) if best is None else best
    pairs = zip(values, best, strict=True)
    return [cell("" if np.isnan(v) else format(v, form), v == other) for v, other in pairs]


def dataset_title(dataset):
    """Short title of a data set."""
    return DATASETS[dataset].title.partition(",")[0] if dataset in DATASETS else dataset


def curves(table, score, name, title, note="", folded=False):
    """A score against the fraction of features: one panel per data set, one legend for all."""
    order = table.drop_duplicates("method").sort_values("method")["method"]
    methods = [m for m in order if m not in ("gafs", ALL_FEATURES)]
    if "gafs" in set(order):
        methods.insert(0, "gafs")
    rank = {method: place for place, method in enumerate(methods)}
    figures = [
        entry(legend_figure(methods, all_features=True), f"{name}-legend", "Legend", legend=True)
    ]
    for dataset, part in table.groupby("dataset", sort=False):
        part = part.sort_values("method", key=lambda column: column.map(rank), kind="stable")
        figure = share_curves_figure(part, score, title=dataset_title(dataset))
        alt = f"{LABELS[score]} on {dataset} against the fraction of features selected"
        figures.append(entry(figure, f"{name}-{dataset}", alt))
    return group(figures, title=title, note=note, folded=folded)


def rank_group(by_score, rule):
    """Diagrams of the mean ranks, one per score."""
    figures = []
    for score, table in by_score.items():
        ranked = mean_ranks(table, score)
        if ranked is not None:
            ranks, difference, p_value = ranked
            title = f"{SHORT[score]} ({rule}; p = {p_value:.2g})"
            figure = critical_difference_figure(ranks, difference, title=title)
            name = f"ranks-{rule.replace(' ', '-')}-{score}"
            figures.append(entry(figure, name, f"Mean ranks by {score}, {rule}"))
    note = (
        "A bar joins methods that do not differ significantly (Nemenyi, 5 %); p is that of "
        "Friedman's test. A data set counts once, with its mean over the fractions."
    )
    return [group(figures, title=f"Mean ranks, {rule}", note=note, wide=True)] if figures else []


def rank_tables(rules):
    """Mean ranks of all methods, one column per rule and score."""
    columns = {}
    for rule, by_score in rules.items():
        for score, table in by_score.items():
            ranked = mean_ranks(table, score)
            if ranked is not None:
                columns[f"{SHORT[score]}, {rule}"] = ranked[0]
    if not columns:
        return []
    best = [min(ranks.values()) for ranks in columns.values()]
    rows = []
    for method in next(iter(columns.values())):
        ranks = [ranks.get(method, np.nan) for ranks in columns.values()]
        rows.append([cell(method), *cells(ranks, best, ".2f")])
    note = (
        "1 is best; a data set counts once, with its mean over the fractions. Methods that miss a "
        "data set are left out."
    )
    return [{"title": "Mean ranks", "note": note, "columns": ["method", *columns], "rows": rows}]


def settings_table(table):
    """How much the setting of a method matters, if it is the same for all data sets."""
    scores = ["accuracy", "acc"]
    by_case = table.groupby(["method", "setting", "dataset"], sort=False)[scores].mean()
    rows = []
    for method, means in by_case.groupby(["method", "setting"]).mean().groupby("method"):
        if len(means) > 1 and (method, 0) in means.index:
            numbers = [means.min(), means.loc[(method, 0)], means.max()]
            texts = [" / ".join(f"{row[score]:.3f}" for score in scores) for row in numbers]
            rows.append([cell(text) for text in (method, str(len(means)), *texts)])
    return {
        "title": "One setting for all data sets",
        "note": "Accuracy / ACC, means over fractions and splits, then over data sets. Lowest and "
        "highest are those of the score, not of one setting.",
        "columns": ["method", "settings", "lowest", "fixed setting", "highest"],
        "rows": rows,
    }


def score_table(table, score):
    """Mean over the fractions, methods by data sets."""
    means = scores_by_case(table, score).groupby("dataset", sort=False).mean()
    lower = score in ERRORS
    best = means.min(axis="columns") if lower else means.max(axis="columns")
    order = means.mean().sort_values(ascending=lower).index
    rows = [[cell(method), *cells(means[method], best)] for method in order]
    everything = all_features(table, score).reindex(means.index)
    rows.append([cell(ALL_FEATURES), *cells(everything)])
    shares = ", ".join(f"{share:.3g}" for share in 100 * np.sort(table["share"].unique()))
    shares = shares.removesuffix(", 100")
    return {
        "title": f"{SHORT[score]} at the defaults",
        "note": f"Mean over {shares} % of the features and the splits; the best in bold.",
        "columns": ["method", *means.index],
        "rows": rows,
    }


def gains_group(by_score, reference, rule=""):
    """Gains over a reference method with bootstrap intervals, one diagram per score."""
    figures = []
    for score, table in by_score.items():
        figure = gains_figure(
            gains(table, score, reference), reference=reference, title=SHORT[score]
        )
        name = "-".join(["gains", *rule.split(), score])
        figures.append(entry(figure, name, f"Gain in {score} over {reference}"))
    note = (
        "Mean difference on the same splits, and its 95 % bootstrap interval over data sets and "
        "splits; to the right is better. Methods that miss data sets are compared on the others."
    )
    title = f"Compared with {reference}" + (f", {rule}" if rule else "")
    return group(figures, title=title, note=note, wide=True)


def wins_table(table, scores):
    """Data sets on which a method is better or worse than random selection."""
    results = {score: wins(table, score, margin=_TIE).set_index("method") for score in scores}
    order = next(iter(results.values())).index
    rows = []
    for method in order:
        row = [cell(method)]
        for result in results.values():
            if method not in result.index:
                row += [cell(""), cell("")]
                continue
            values = result.loc[method]
            row.append(cell(f"{values['wins']} / {values['ties']} / {values['losses']}"))
            row.append(cell(f"{values['worst']:+.3f} {values['worst_dataset']}"))
        rows.append(row)
    columns = [text for score in scores for text in (SHORT[score], "worst data set")]
    return {
        "title": "Data sets won, tied and lost against random",
        "note": f"A difference of at most {_TIE} is a tie.",
        "columns": ["method", *columns],
        "rows": rows,
    }


def means_table(table, scores):
    """Mean over data sets, fractions and splits, with the time of a fit."""
    rows = table[table["method"] != ALL_FEATURES]
    by_case = rows.groupby(["method", "dataset"], sort=False)
    means = by_case[scores].mean().groupby("method", sort=False).mean()
    sets = by_case.ngroup().groupby(rows["method"]).nunique()
    seconds = rows.drop_duplicates("key").groupby("method")["fit_cpu_seconds"].mean()
    best = [means[s].min() if s in ERRORS else means[s].max() for s in scores]
    order = means.sort_values(scores[0], ascending=scores[0] in ERRORS).index
    return {
        "title": "Mean scores",
        "note": "Mean over data sets, fractions and splits; seconds of one core for a fit.",
        "columns": ["method", *(SHORT[score] for score in scores), "seconds", "data sets"],
        "rows": [
            [
                cell(method),
                *cells(means.loc[method, scores], best),
                cell(f"{seconds[method]:.2f}"),
                cell(str(sets[method])),
            ]
            for method in order
        ],
    }
