"""What became of a table: the files that are written and the lines that are printed."""

from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np
import pandas as pd

from .._linear.regression import added, coverage_curve, explained_fraction
from .._rows.scaling import standardised
from .._utils.text import counted
from ..inspection.coverage import CLOSE, closest_kept, most_added, rows_of
from .columns import column_values
from .console import note, out, progress
from .io.files import extension, write_outputs
from .io.tables import Table
from .prepare import has_gaps

# Rows of a table on a terminal, and names in a cell.
_MOST_ROWS, _MOST_NAMES = 50, 3

# ``ranking`` has one row per column of the table, and ``selector`` one entry per column of the
# features, which are more where text was encoded.


def marks_genes(given):
    """Whether genes are marked in a copy of the input."""
    return given.output is not None and extension(given.output) == ".h5ad"


def write(given, source, data, batches, ranking, selector):
    """Write all files or none; what may fail is made before the first file is written."""
    save = page = None
    if given.save is not None:
        save = _selection(data, ranking, selector).save
    if given.report is not None:
        with progress(f"Preparing {given.report.name}"):
            page = selector.report(
                data.features.X,
                groups=batches,
                title=source[1],
                image_shape=given.image_shape,
                color=column_values(data.table, given.color, "--color"),
            ).save
    marks = marks_genes(given)
    kept = _marked(given, source[0], data, selector) if marks else _kept(data, ranking)
    scores = Table(ranking, list(ranking))
    outputs = [(given.output, kept), (given.scores, scores), (given.save, save)]
    for line in write_outputs([*outputs, (given.report, page)], raw_names=given.raw_names):
        note(line)


def with_predictors(ranking, features, selector, batches):
    """The ranking with the R^2 of every dropped column and what predicts it."""
    coverage = selector.coverage(features.X, groups=batches)
    if features.owner is not None:
        coverage = _of_columns(coverage, features)
    by = {}
    for row in coverage[coverage["kept"].notna()].itertuples():
        weight = "" if isnan(row.weight) else f" ({row.weight:.3g})"
        by.setdefault(row.feature, []).append(f"{row.kept}{weight}")
    r2 = coverage.drop_duplicates("feature").set_index("feature")["r2"]
    explained_by = [", ".join(by.get(name, [])) for name in ranking["feature"]]
    r2 = ranking["feature"].map(r2)
    if hasattr(selector, "r2_"):  # as promised for the rows used
        names = np.array(features.names, dtype=object)
        names = names if features.owner is None else names[features.owner]
        training = ranking["feature"].map(pd.Series(selector.r2_).groupby(names).min())
        ranking = ranking.assign(training_r2=training.where(r2.notna()))
    return ranking.assign(r2=r2, explained_by=explained_by)


def _of_columns(coverage, features):
    """Return the coverage of indicators as that of the columns that they encode.

    The R^2 is the mean, as in the explained fraction. The weights of indicators do not add up to
    one weight; the columns are in the order of their importance.
    """
    column = dict(zip(features.X, (features.names[j] for j in features.owner), strict=True))
    of_each = coverage.drop_duplicates("feature")
    r2 = of_each["r2"].groupby(of_each["feature"].map(column)).mean()
    table = coverage.sort_values("importance", ascending=False, kind="stable")
    table = table.assign(feature=table["feature"].map(column), kept=table["kept"].map(column))
    table = table.drop_duplicates(["feature", "kept"])
    return table.assign(r2=table["feature"].map(r2), weight=float("nan"))


def _selection(data, ranking, selector):
    """The selection of columns, also where a selector has seen values of text columns."""
    table, names = data.table, data.features.names
    carried = [*(table.names[j] for j in data.roles.carried), *data.roles.labels]
    dropped = [name for name in table.names if name not in {*names, *carried}]
    selection = replace(selector.to_selection(), carried=carried, dropped=dropped)
    if data.features.owner is None:
        return selection
    in_order = ranking["feature"].map({name: j for j, name in enumerate(names)})
    return replace(
        selection,
        kept=sorted(in_order[ranking["kept"]].tolist()),
        n_features_in=len(names),
        feature_names_in=names,
        order=in_order.tolist(),
        scores=ranking.set_index("feature")["score"][names].tolist(),
        fitted={},
    )


def _kept(data, ranking):
    """The table of the selected and the carried columns, in the order of the file."""
    table, roles = data.table, data.roles
    kept = set(ranking["feature"][ranking["kept"]])
    selected = [j for j in roles.features if table.names[j] in kept]
    table = table.take(sorted([*selected, *roles.carried]))
    return table if table.labels is None else replace(table, labels=table.labels[roles.labels])


def _marked(given, path, data, selector):
    """A function that writes a copy of an AnnData file with the selected genes marked."""
    from ..anndata.select import annotate_h5ad, gene_columns, make_record

    parameters, genes = selector.get_params(deep=False), np.array(data.roles.features)
    names = np.array(data.table.names, dtype=object)[genes]
    columns = gene_columns(selector, genes, len(data.table.names))
    columns = {f"highly_variable{ending}": values for ending, values in columns.items()}
    settings = {
        "n_top_genes": selector.n_features_,
        **{key: names[parameters[key] or []].tolist() or None for key in ("include", "exclude")},
        "layer": given.key,
        "batch_key": given.batch,
        "random_state": given.seed,
        "method_parameters": given.parameters,
    }
    record = make_record(given.method, settings)
    return partial(annotate_h5ad, path, columns=columns, record=record, subset=given.subset)


def summary(given, data, batches, ranking, selector):
    """What is printed below the heading: lines, and tables as arguments of ``tell_table``."""
    features = data.features
    names = np.array(features.names, dtype=object)  # of the columns behind all features
    if features.owner is not None:
        names = names[features.owner]
    if given.method == "drop":
        where = " where they are complete" if has_gaps(features) else ""
        yield from _about_dropped(given, names, ranking, selector, where)
    else:
        values = rows_of(selector, features.X, batches).values
        yield from _about_kept(given, names, ranking, selector, values)
    if given.explain and not ranking["kept"].all():
        yield ""
        yield from _about_predictions(ranking)


def _about_kept(given, names, ranking, selector, values):
    """Every kept column, what it adds to those above it, and what it stands for."""
    best, scores = ranking[ranking["kept"]], selector.scores_
    adds, coverage = _what_they_add(selector, names, values)
    stands_for = _stands_for(selector, names, values)
    cells = {
        "rank": best["rank"],
        "column": best["feature"],
        "score": [f"{score:.4g}" for score in best["score"]],
        "adds": [f"{step:z.1%}" for step in adds],
        "stands for": [_few(stands_for.get(name)) for name in best["feature"]],
    }
    if (scores == scores.round()).all() and scores.min() >= 0 and scores.max() <= len(scores):
        del cells["score"]  # it only counts down the columns
    yield cells, ("column", "stands for")
    if len(adds) < len(best):
        yield f"... and {len(best) - len(adds):,} more; --names lists them all"
    left, worst = np.where(selector.support_, np.nan, coverage), ""
    if not np.isnan(left).all():
        j = int(np.nanargmin(left))
        worst = f"; worst explained: {names[j]} ({left[j]:.0%})"
    together = np.nan_to_num(explained_fraction(coverage))
    yield f"Together they explain {together:.1%} of the table{worst}."
    yield "adds: share of the table explained on top of those above (mean R^2 on held-out rows)"
    yield f"stands for: the dropped columns closest to it (correlation of {CLOSE} or more)"
    if given.cost is not None:
        of_budget = "" if given.budget is None else f" of a budget of {given.budget:g}"
        yield f"Cost: {selector.costs[selector.support_].sum():g}{of_budget}"


def _about_dropped(given, names, ranking, selector, where):
    """Every dropped column, how well the kept ones predict it, and which contributes most."""
    dropped = ranking["feature"][~ranking["kept"]]
    shown = dropped.head(_MOST_ROWS)
    # Of the values of an encoded column, the one that is predicted worst speaks for it.
    worst = {names[j]: j for j in np.argsort(-selector.r2_, kind="stable")}
    features = [worst[name] for name in shown]
    heldout = pd.Series(selector.heldout_r2_).groupby(names).mean()[shown]
    r2, by = selector.r2_[features], selector.represented_by_[features]
    if len(dropped):
        cells = {
            "dropped": shown,
            "R^2": np.where(by < 0, "", [f"{value:.2f}" for value in r2]),
            "held-out R^2": np.where(by < 0, "", [f"{value:.2f}" for value in heldout]),
            "contributes most": ["constant" if i < 0 else names[i] for i in by],
        }
        yield cells, ("dropped", "contributes most")
    if len(dropped) > len(shown):
        yield f"... and {len(dropped) - len(shown):,} more, better predicted; --scores lists them"
    kept = counted(len(ranking) - len(dropped), "kept column")
    missed = np.unique(names[selector.r2_ < given.explained - 1e-6])
    but = f", but for {counted(len(missed), 'column')}" if len(missed) else ""
    yield f"R^2: predicted from the {kept} together{where}, {given.explained:g} or more{but}."
    filled = ", with gaps filled by means" if where else ""
    yield f"held-out R^2: the same on left-out rows{filled}."


def _about_predictions(ranking):
    """The dropped columns that the kept ones predict worst, and from which of them."""
    dropped = ranking[~ranking["kept"]].sort_values("r2", kind="stable")
    shown = dropped.head(_MOST_ROWS)
    nothing = np.where(shown["r2"] <= 0, "nothing", "constant")
    by = shown["explained_by"]
    cells = {
        "dropped": shown["feature"],
        "held-out R^2": ["" if isnan(r2) else f"{r2:.2f}" for r2 in shown["r2"]],
        "predicted from (weight)": by.where(by != "", nothing),
    }
    yield cells, ("dropped", "predicted from (weight)")
    if more := len(dropped) - len(shown):
        yield f"... and {more:,} more, better predicted; --scores has them all"


def _few(names):
    if names is None:
        return "only itself"
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return f"{len(names):,}: {', '.join(names[:_MOST_NAMES])}{more}"


def _what_they_add(selector, names, values):
    """What kept columns add to those before them, and how well all explain every column.

    It is a difference of the explained fraction, which the curve of the report shows.
    """
    # The values of an encoded column follow each other, and enter together.
    behind = names[selector.order_[: selector.n_features_]]
    last = np.append(np.flatnonzero(behind[1:] != behind[:-1]) + 1, len(behind))
    most = _MOST_ROWS if out.is_terminal else most_added(values)
    n_kept = np.append(last[:most], last[most:][-1:])
    coverage = coverage_curve(values, selector.order_, n_kept).coverage
    return added(coverage)[:most], coverage[-1]


def _stands_for(selector, names, values):
    """Names of the dropped columns that are closest to every kept one, the closest first."""
    n_kept, Z = selector.n_features_, standardised(values)[0]
    position, correlation = closest_kept(Z, selector.order_, n_kept).at(n_kept)
    close = np.where(selector.support_, 0, abs(correlation))
    closest = {}
    for j in np.argsort(-close, kind="stable")[: np.count_nonzero(close >= CLOSE)]:
        closest.setdefault(names[j], names[selector.order_[position[j]]])
    groups = {}
    for dropped, kept in closest.items():
        groups.setdefault(kept, []).append(dropped)
    return groups
