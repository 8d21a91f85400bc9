"""One section per experiment: its tables and figures."""

import numpy as np

from ..analysis import exponents, fixed, under_both_rules, unpacked, with_published
from ..cells import load_dataset, plan
from ..claims import penalties
from ..figures import heatmap_figure, kept_pixels_figure, lines_figure
from ..protocol import ALL_FEATURES
from ..sources import DATASETS
from ..spec import load_experiment
from .parts import (
    SHORT,
    cell,
    cells,
    curves,
    dataset_title,
    entry,
    gains_group,
    group,
    means_table,
    rank_group,
    rank_tables,
    score_table,
    scores_in,
    settings_table,
    wins_table,
)

_FACES = 5


def _comparison(table):
    rules = under_both_rules(table)
    groups = []
    for rule, by_score in rules.items():
        groups += rank_group(by_score, rule)
        if {"gafs", "random"} <= set(table["method"]):
            groups.append(gains_group(by_score, "gafs", rule))
    for score, rows in rules["oracle"].items():
        title = f"{SHORT[score]}, best setting of each grid (oracle)"
        note = (
            "Bands: one standard deviation over the splits or, with one split, over the "
            "repetitions of k-means."
        )
        groups.append(curves(rows, score, f"oracle-{score}", title, note))
    for score, rows in rules["fixed setting"].items():
        title = f"{SHORT[score]}, every method at one fixed setting"
        groups.append(curves(rows, score, f"fixed-{score}", title, folded=True))
    tables = [*rank_tables(rules), settings_table(table)]
    return {"tables": [t for t in tables if t["rows"]], "groups": groups}


def quality(table):
    """Section of an experiment that compares methods at one setting each."""
    scores = scores_in(table)
    table = fixed(table)
    methods = set(table["method"])
    tables = rank_tables({"defaults": dict.fromkeys(scores, table)})
    tables.append(means_table(table, scores))
    if "random" in methods:
        tables.append(wins_table(table, scores))
    tables += [score_table(table, score) for score in scores]
    groups = rank_group(dict.fromkeys(scores, table), "defaults")
    reference = next((name for name in ("gafs", "random") if name in methods), None)
    if reference and len(methods - {ALL_FEATURES}) > 1:
        groups.insert(0, gains_group(dict.fromkeys(scores, table), reference))
    groups += [
        curves(table, score, f"curves-{score}", SHORT[score], folded=True) for score in scores
    ]
    return {"tables": tables, "groups": groups}


def _fseval(table):
    section = quality(table)
    means = with_published(fixed(table), "fseval").dropna(axis="columns")
    if means.empty:
        return section
    ranks = means.rank(axis="columns", ascending=False).mean()
    best = means.max(axis="columns")
    rows = [
        [
            cell(method),
            cell(f"{ranks[method]:.2f}", ranks[method] == ranks.min()),
            cell(f"{means[method].mean():.3f}"),
            *cells(means[method], best),
        ]
        for method in ranks.sort_values().index
    ]
    ours = {
        "title": "Forest accuracy next to the published methods",
        "note": "Mean over 1, 2, 5 and 10 % of the features; the best in bold.",
        "columns": ["method", "mean rank", "mean", *means.index],
        "rows": rows,
    }
    return section | {"tables": [ours, *section["tables"]]}


def _hidden(table):
    rows = unpacked(table[table["method"] == "gafs"], ["n_hidden"])
    rows = rows.sort_values("n_hidden").assign(m=lambda t: "m = " + t["n_hidden"].astype(str))
    figures = [
        entry(
            lines_figure(
                part,
                "share",
                "acc",
                "m",
                title=dataset_title(dataset),
                xlabel="fraction of features selected",
                log="x",
            ),
            dataset,
            f"ACC of GAFS on {dataset} against the fraction selected, by hidden size",
        )
        for dataset, part in rows.groupby("dataset", sort=False)
    ]
    return {"groups": [group(figures)]}


def _penalties(table):
    figures = []
    for dataset, acc in penalties(table).groupby("dataset", sort=False):
        matrix = acc.droplevel("dataset").unstack("graph_weight")
        figure = heatmap_figure(
            matrix, title=dataset_title(dataset), xlabel="gamma", ylabel="lambda"
        )
        figures.append(entry(figure, dataset, f"ACC of GAFS on {dataset} by lambda and gamma"))
    return {"groups": [group(figures, note="ACC with 10 hidden units at 20 % of the features.")]}


def _masks(table):
    cell = next(cell for cell, _, _ in plan(load_experiment("yale_masks"), "full"))
    shape = DATASETS[cell.dataset].image_shape
    try:
        faces = load_dataset(cell.dataset)[0]
    except OSError:
        # The selected pixels can be shown without the images.
        faces = np.zeros((1, np.prod(shape)))
    rows = np.random.RandomState(cell.seed).permutation(len(faces))[:_FACES]
    images = faces[rows].reshape(-1, *shape)
    shares = cell.protocol["shares"]
    figures = []
    for method, part in table[table["split"] == cell.split].groupby("method", sort=False):
        order = part.sort_values("position")["feature"].to_numpy(dtype=int)
        # Five faces for GAFS, as in the paper; one for each of the others.
        shown = images if method == "gafs" else images[:1]
        figure = kept_pixels_figure(shown, order, shares, title=method)
        figures.append(entry(figure, method, f"Pixels of Yale selected by {method}"))
    note = (
        "Columns: fraction of the pixels selected. Pixels that are not selected are white. The "
        "first split is shown."
    )
    return {"groups": [group(figures, note=note, wide=True)]}


def _convergence(table):
    rows = unpacked(table)
    labels = [
        f"lambda {alpha:g}, gamma {weight:g}"
        for alpha, weight in zip(rows["alpha"], rows["graph_weight"], strict=True)
    ]
    rows = rows.assign(setting=labels).sort_values(["setting", "iteration"])
    figures = [
        entry(
            lines_figure(
                part,
                "iteration",
                "objective",
                "setting",
                title=dataset_title(dataset),
                markers=False,
            ),
            dataset,
            f"Objective of GAFS on {dataset} against the iteration",
        )
        for dataset, part in rows.groupby("dataset", sort=False)
    ]
    return {"groups": [group(figures)]}


def _time(table):
    rows = table[table["method"] != ALL_FEATURES]
    if rows.empty:
        return {}
    figure = lines_figure(
        rows.assign(fit_cpu_seconds=rows["fit_cpu_seconds"].clip(lower=1e-3)),
        "fit_cpu_seconds",
        "accuracy",
        "method",
        title="MNIST, 10 % of the pixels",
        xlabel="seconds of one core",
        log="x",
    )
    return {"groups": [group([entry(figure, "accuracy", "Accuracy against training time")])]}


def _complexity(table):
    paper = {
        "gafs": "t m d n^2 + t l m d",
        "lap_score": "d n^2",
        "spec": "r n^3 + d n^2",
        "mrsf": "m n^3 + d n^2",
        "udfs": "n^2 + t d^3",
        "rsr": "t d^2 n + t d^3",
    }
    in_n, in_d = exponents(table, "n_samples"), exponents(table, "n_features")
    rows = [
        [cell(name), cell(paper[name]), cell(f"{in_n[name]:.2f}"), cell(f"{in_d[name]:.2f}")]
        for name in in_n
        if name in in_d
    ]
    figures = []
    for size, other, symbol in (("n_samples", "n_features", "n"), ("n_features", "n_samples", "d")):
        held = table.groupby(other)[size].nunique().idxmax()
        figure = lines_figure(
            table[table[other] == held],
            size,
            "fit_cpu_seconds",
            "method",
            title=f"Seconds against {symbol} ({other} = {held:.0f})",
            xlabel=symbol,
            ylabel="seconds of one core",
            log="xy",
        )
        figures.append(entry(figure, f"against-{symbol}", f"Time of a fit against {symbol}"))
    return {
        "tables": [
            {
                "title": "Orders of the paper and measured exponents",
                "note": "Slope of log time over log size, with its 95 % interval; iterative "
                "methods make 20 iterations.",
                "columns": ["method", "paper", "in n", "in d"],
                "rows": rows,
            }
        ],
        "groups": [group(figures)],
    }


SECTIONS = {
    "comparison": _comparison,
    "comparison_sample": _comparison,
    "quality": quality,
    "fseval": _fseval,
    "sensitivity_hidden": _hidden,
    "sensitivity_penalties": _penalties,
    "yale_masks": _masks,
    "convergence": _convergence,
    "training_time": _time,
    "complexity": _complexity,
}
