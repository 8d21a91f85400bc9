"""From the tables to the summary dict: one section per experiment."""

import numpy as np

from ...datasets import DATASETS
from ...evaluation import ALL_FEATURES
from ...plots import (
    LABELS,
    PANEL,
    critical_difference_figure,
    heatmap_figure,
    kept_pixels_figure,
    legend_figure,
    lines_figure,
    share_curves_figure,
)
from .. import load_experiment
from ..cells import load_dataset, plan
from ..claims import FAILS, HOLDS, PARTLY, check, penalties
from ..paired import mean_ranks
from ..summary import (
    SCORES,
    all_features,
    exponents,
    finished,
    fixed,
    oracle,
    scores_by_case,
    unpacked,
)

_KINDS = {HOLDS: "holds", PARTLY: "partly", FAILS: "fails"}
_SHORT = {"accuracy": "Accuracy", "acc": "ACC", "nmi": "NMI"}
_FACES = 5


def summarise(tables):
    """Everything the page shows, figures included, as plain dicts and lists."""
    claims = check(tables)
    sections = []
    for name, build in _SECTIONS.items():
        if name not in tables:
            continue
        table = finished(tables[name])
        experiment = load_experiment(name)
        section = {
            "id": name.replace("_", "-"),
            "title": experiment.title,
            "about": _about(tables[name]),
            "choices": experiment.choices,
            "claims": [
                {
                    "text": claim.text,
                    "verdict": claim.verdict,
                    "evidence": claim.evidence,
                    "kind": _KINDS.get(claim.verdict, "open"),
                }
                for claim in claims.get(name, ())
            ],
            "tables": [],
            "groups": [],
        }
        if len(table):
            section |= build(table)
        sections.append(section)
    return {
        "title": "The experiments of the GAFS paper, run again",
        "introduction": (
            "Every figure of the paper on graph autoencoder feature selection, redrawn from our "
            "own runs, with the paper's claims in our words and what the numbers say about them. "
            "Verdicts are computed from the tables behind the figures."
        ),
        "verdicts": [claim for section in sections for claim in section["claims"]],
        "sections": sections,
        "provenance": [_provenance(name, table) for name, table in tables.items()],
    }


def _comparison(table):
    groups = []
    for score in SCORES:
        best = oracle(table, score)
        groups.append(
            _curves(
                best,
                score,
                name=f"oracle-{score}",
                title=f"{_SHORT[score]}, best setting of each grid (oracle)",
                note="Bands: one standard deviation over the splits or, with one split, over the "
                "repetitions of k-means.",
            )
        )
    for score in SCORES:
        groups.append(
            _curves(
                fixed(table),
                score,
                name=f"fixed-{score}",
                title=f"{_SHORT[score]}, every method at one fixed setting",
                folded=True,
            )
        )
    ranks = _rank_group({score: oracle(table, score) for score in SCORES}, "oracle")
    plain = _rank_group(dict.fromkeys(SCORES, fixed(table)), "fixed setting")
    rank_tables = _rank_tables(
        {
            "oracle": {score: oracle(table, score) for score in SCORES},
            "fixed": dict.fromkeys(SCORES, fixed(table)),
        }
    )
    return {"tables": rank_tables, "groups": [*ranks, *plain, *groups]}


def _honest(table):
    tables = _rank_tables({"defaults": dict.fromkeys(SCORES, table)})
    tables += [_score_table(table, score) for score in SCORES]
    return {"tables": tables, "groups": _rank_group(dict.fromkeys(SCORES, table), "defaults")}


def _hidden(table):
    rows = unpacked(table[table["method"] == "gafs"], ["n_hidden"])
    rows = rows.sort_values("n_hidden").assign(m=lambda t: "m = " + t["n_hidden"].astype(str))
    figures = [
        _entry(
            lines_figure(
                part,
                "share",
                "acc",
                "m",
                title=_title(dataset),
                xlabel="share of features kept",
                log="x",
            ),
            dataset,
            f"ACC of GAFS on {dataset} against the share kept, by hidden size",
        )
        for dataset, part in rows.groupby("dataset", sort=False)
    ]
    return {"groups": [_group(figures)]}


def _penalties(table):
    figures = []
    for dataset, acc in penalties(table).groupby("dataset", sort=False):
        matrix = acc.droplevel("dataset").unstack("graph_weight")
        figure = heatmap_figure(matrix, title=_title(dataset), xlabel="gamma", ylabel="lambda")
        figures.append(_entry(figure, dataset, f"ACC of GAFS on {dataset} by lambda and gamma"))
    return {"groups": [_group(figures, note="ACC with 10 hidden units at 20 % of the features.")]}


def _masks(table):
    cell = next(cell for cell, _, _ in plan(load_experiment("yale_masks"), "full"))
    shape = DATASETS[cell.dataset].image_shape
    try:
        faces = load_dataset(cell.dataset)[0]
    except OSError:
        # Without the data the pixels are still known.
        faces = np.zeros((1, np.prod(shape)))
    rows = np.random.RandomState(cell.seed).permutation(len(faces))[:_FACES]
    images = faces[rows].reshape(-1, *shape)
    shares = cell.protocol["shares"]
    figures = []
    for method, part in table.groupby("method", sort=False):
        order = part.sort_values("position")["feature"].to_numpy(dtype=int)
        # All faces for GAFS, as in the paper; one for each of the others.
        shown = images if method == "gafs" else images[:1]
        figure = kept_pixels_figure(shown, order, shares, title=method)
        figures.append(_entry(figure, method, f"Pixels of Yale kept by {method}"))
    note = "Columns: share of the pixels kept. Pixels that are not kept are white."
    return {"groups": [_group(figures, note=note, wide=True)]}


def _convergence(table):
    rows = unpacked(table)
    labels = [
        f"lambda {alpha:g}, gamma {weight:g}"
        for alpha, weight in zip(rows["alpha"], rows["graph_weight"], strict=True)
    ]
    rows = rows.assign(setting=labels).sort_values(["setting", "iteration"])
    figures = [
        _entry(
            lines_figure(
                part,
                "iteration",
                "objective",
                "setting",
                title=_title(dataset),
                markers=False,
            ),
            dataset,
            f"Objective of GAFS on {dataset} against the iteration",
        )
        for dataset, part in rows.groupby("dataset", sort=False)
    ]
    return {"groups": [_group(figures)]}


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
    return {"groups": [_group([_entry(figure, "accuracy", "Accuracy against training time")])]}


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
        [_cell(name), _cell(paper[name]), _cell(f"{in_n[name]:.2f}"), _cell(f"{in_d[name]:.2f}")]
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
        figures.append(_entry(figure, f"against-{symbol}", f"Time of a fit against {symbol}"))
    return {
        "tables": [
            {
                "title": "Orders of the paper, and measured exponents",
                "note": "Slope of log time over log size; the methods that iterate make 20 steps.",
                "columns": ["method", "paper", "in n", "in d"],
                "rows": rows,
            }
        ],
        "groups": [_group(figures)],
    }


_SECTIONS = {
    "comparison": _comparison,
    "honest": _honest,
    "sensitivity_hidden": _hidden,
    "sensitivity_penalties": _penalties,
    "yale_masks": _masks,
    "convergence": _convergence,
    "training_time": _time,
    "complexity": _complexity,
}


def _curves(table, score, name, title, note="", folded=False):
    """One panel per data set, and a legend for all."""
    order = table.drop_duplicates("method").sort_values("method")["method"]
    methods = ["gafs", *(m for m in order if m not in ("gafs", ALL_FEATURES))]
    rank = {method: place for place, method in enumerate(methods)}
    figures = [
        _entry(legend_figure(methods, all_features=True), f"{name}-legend", "Legend", legend=True)
    ]
    for dataset, part in table.groupby("dataset", sort=False):
        part = part.sort_values("method", key=lambda column: column.map(rank), kind="stable")
        figure = share_curves_figure(part, score, title=_title(dataset), legend=False, size=PANEL)
        alt = f"{LABELS[score]} on {dataset} against the share of features kept"
        figures.append(_entry(figure, f"{name}-{dataset}", alt))
    return _group(figures, title=title, note=note, folded=folded)


def _rank_group(by_score, rule):
    figures = []
    for score, table in by_score.items():
        ranked = mean_ranks(table, score)
        if ranked is not None:
            ranks, difference, p_value = ranked
            title = f"{_SHORT[score]} ({rule}; p = {p_value:.2g})"
            figure = critical_difference_figure(ranks, difference, title=title)
            name = f"ranks-{rule.replace(' ', '-')}-{score}"
            figures.append(_entry(figure, name, f"Mean ranks by {score}, {rule}"))
    note = (
        "A bar joins methods that the data sets cannot tell apart (Nemenyi, 5 %); p is that of "
        "Friedman's test. A data set counts once, with its mean over the shares."
    )
    return [_group(figures, title=f"Mean ranks, {rule}", note=note, wide=True)] if figures else []


def _rank_tables(rules):
    """Mean ranks of all methods, one column per rule and score."""
    columns = {}
    for rule, by_score in rules.items():
        for score, table in by_score.items():
            ranked = mean_ranks(table, score)
            if ranked is not None:
                columns[f"{_SHORT[score]}, {rule}"] = ranked[0]
    if not columns:
        return []
    first = next(iter(columns.values()))
    rows = [
        [
            _cell(method),
            *(
                _cell(
                    f"{ranks[method]:.2f}" if method in ranks else "",
                    ranks.get(method) == min(ranks.values()),
                )
                for ranks in columns.values()
            ),
        ]
        for method in first
    ]
    note = "1 is best; a data set counts once, with its mean over the shares."
    return [{"title": "Mean ranks", "note": note, "columns": ["method", *columns], "rows": rows}]


def _score_table(table, score):
    """Mean over the shares, methods by data sets."""
    means = scores_by_case(table, score).groupby("dataset", sort=False).mean()
    best = means.max(axis="columns")
    order = means.mean().sort_values(ascending=False).index
    rows = [
        [
            _cell(method),
            *(
                _cell("" if np.isnan(value) else f"{value:.3f}", value == best[dataset])
                for dataset, value in means[method].items()
            ),
        ]
        for method in order
    ]
    everything = all_features(table, score)
    rows.append([_cell(ALL_FEATURES), *(_cell(f"{everything[name]:.3f}") for name in means.index)])
    shares = ", ".join(f"{share:.0%}" for share in sorted(table["share"].unique()) if share < 1)
    return {
        "title": f"{_SHORT[score]} at the defaults",
        "note": f"Mean over the shares {shares} and the splits; the best in bold.",
        "columns": ["method", *means.index],
        "rows": rows,
    }


def _about(table):
    cells = table.drop_duplicates("key")
    n_failed = int((cells["status"] == "failed").sum())
    failed = f", {n_failed} of them failed" if n_failed else ""
    return (
        f"Profile {table['profile'].iloc[0]}: {_count(table['dataset'].nunique(), 'data set')}, "
        f"{_count(table['split'].nunique(), 'split')}, {_count(len(cells), 'cell')}{failed}."
    )


def _count(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _provenance(name, table):
    cells = table.drop_duplicates("key")
    packages = ("graphsieve", "numpy", "scipy", "scikit_learn", "python")
    seconds = cells["fit_cpu_seconds"].sum() if "fit_cpu_seconds" in cells else 0.0
    return [
        name,
        table["profile"].iloc[0],
        len(cells),
        int((cells["status"] == "failed").sum()),
        f"{seconds:.0f}",
        ", ".join(sorted(set(cells["commit"]))),
        ", ".join(f"{package} {cells[package].iloc[-1]}" for package in packages),
        ", ".join(sorted(set(cells["cpu"]))),
    ]


def _group(figures, *, title="", note="", folded=False, wide=False):
    return {"title": title, "note": note, "folded": folded, "wide": wide, "figures": figures}


def _entry(figure, name, alt, legend=False):
    return {"figure": figure, "name": name, "alt": alt, "legend": legend}


def _cell(text, best=False):
    return {"text": text, "best": bool(best)}


def _title(dataset):
    return DATASETS[dataset].title.partition(",")[0] if dataset in DATASETS else dataset
