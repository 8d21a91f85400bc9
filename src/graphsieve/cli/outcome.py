"""What became of a table: the files that are written and the lines that are printed."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from .._linear.regression import explained_fraction
from .._utils.text import counted
from ..inspection.coverage import CLOSE, overview
from ..inspection.grouped import GroupedRanker
from .columns import column_values
from .console import note, out
from .io.files import extension, write_outputs
from .io.tables import Table

# Rows of a table on a terminal, and names in a cell.
_MOST_ROWS, _MOST_NAMES = 50, 3

# ``ranking`` has one row per column of the table, and ``selector`` one entry per column of the
# features, which are more where text was encoded.


def marks_genes(given):
    """Whether genes are marked in a copy of the input."""
    return given.output is not None and extension(given.output) == ".h5ad"


def write(given, source, data, ranking, selector):
    """Write all files or none."""

    def write_page(path):
        color = column_values(data.table, given.color, "--color")
        selector.report(data.X, groups=data.batches, title=source[1], color=color).save(path)

    if marks_genes(given):
        content = _marked(given, source[0], data, selector)
    else:
        kept, names = set(ranking["feature"][ranking["kept"]]), data.table.names
        selected = [j for j in data.features if names[j] in kept]
        content = data.table.take(sorted([*selected, *data.carried]))
        if content.labels is not None:
            content = replace(content, labels=content.labels[data.labels])
    scores = Table(ranking, list(ranking))
    save = (given.save, lambda path: _selection(data, ranking, selector).save(path))
    outputs = [(given.output, content), (given.scores, scores), save, (given.report, write_page)]
    for line in write_outputs(outputs, raw_names=given.raw_names):
        note(line)


def with_predictors(ranking, data, selector):
    """The ranking with the R^2 of every dropped column and what predicts it.

    That of an encoded column is the mean, as in the explained fraction. The weights of its values
    do not add up to one weight; the columns are in the order of their importance.
    """
    table = selector.coverage(data.X, groups=data.batches)
    column = dict(zip(selector.feature_names_in_, data.owners, strict=True))
    table = table.assign(column=table["feature"].map(column), by=table["kept"].map(column))
    r2 = table.drop_duplicates("feature").groupby("column")["r2"].mean()
    table = table[table["by"].notna()]
    if data.is_encoded:
        table = table.sort_values("importance", ascending=False, kind="stable")
        table = table.drop_duplicates(["column", "by"])
    else:
        table = table.assign(by=table["by"] + table["weight"].map(" ({:.3g})".format))
    by, names = table.groupby("column")["by"].agg(", ".join), ranking["feature"]
    if hasattr(selector, "r2_"):  # as promised for the rows used
        training = names.map(pd.Series(selector.r2_).groupby(data.owners).min())
        ranking = ranking.assign(training_r2=training.where(names.map(r2).notna()))
    return ranking.assign(r2=names.map(r2), explained_by=names.map(by).fillna(""))


def _selection(data, ranking, selector):
    table, names = data.table, data.names
    carried = [*(table.names[j] for j in data.carried), *data.labels]
    known = {*names, *carried}
    dropped = [name for name in table.names if name not in known]
    changes = {"carried": carried, "dropped": dropped}
    if data.is_encoded:
        order = ranking["feature"].map({name: j for j, name in enumerate(names)})
        changes |= {"kept": sorted(order[ranking["kept"]].tolist()), "order": order.tolist()}
        changes |= {"fitted": {}, "n_features_in": len(names), "feature_names_in": names}
        changes["scores"] = ranking.set_index("feature")["score"][names].tolist()
    return replace(selector.to_selection(), **changes)


def _marked(given, path, data, selector):
    from ..anndata.files import annotate_h5ad
    from ..anndata.select import gene_columns, make_record

    columns = gene_columns(selector, np.array(data.features), len(data.table.names))
    settings = {"n_top_genes": selector.n_features_, "layer": given.key, "batch_key": given.batch}
    settings |= {"random_state": given.seed, "method_parameters": given.parameters}
    for name in ("include", "exclude"):
        settings[name] = data.owners[getattr(selector, name) or []].tolist() or None
    record = make_record(given.method, settings)
    return partial(annotate_h5ad, path, columns=columns, record=record, subset=given.subset)


def summary(given, data, ranking, selector):
    """What is printed below the heading: lines, and tables as arguments of ``tell_table``."""
    about = _about_dropped if given.method == "drop" else _about_kept
    yield from about(given, data, ranking, selector)
    if given.explain and not ranking["kept"].all():
        yield ""
        yield from _about_predictions(ranking)


def _about_kept(given, data, ranking, selector):
    best, scores = ranking[ranking["kept"]], selector.scores_
    most = _MOST_ROWS if out.is_terminal else None
    how = {"groups": data.batches, "column_groups": data.owners, "most": most}
    table, coverage = overview(selector, data.X, **how)
    cells = {
        "rank": best["rank"],
        "column": best["feature"],
        "score": best["score"].map("{:.4g}".format),
        "adds": table["adds"].map("{:z.1%}".format),
        "stands for": table["stands_for"].map(_few),
    }
    if np.isin(scores, np.arange(len(scores) + 1)).all():
        del cells["score"]  # it only counts down the columns
    yield cells, ("column", "stands for")
    if len(table) < len(best):
        yield f"... and {len(best) - len(table):,} more; --names lists them all"
    left = coverage[~selector.support_].dropna()
    worst = f"; worst explained: {left.idxmin()} ({left.min():z.0%})" if len(left) else ""
    together = np.nan_to_num(explained_fraction(coverage))
    yield f"Together they explain {together:.1%} of the table{worst}."
    yield "adds: share of the table explained on top of those above (mean R^2 on held-out rows)"
    yield f"stands for: the dropped columns closest to it (correlation of {CLOSE} or more)"
    if "score" in cells and isinstance(selector, GroupedRanker):
        yield "score: minus the mean rank within the batches"
    if given.cost is not None:
        of_budget = "" if given.budget is None else f" of a budget of {given.budget:g}"
        yield f"Cost: {selector.costs[selector.support_].sum():g}{of_budget}"


def _about_dropped(given, data, ranking, selector):
    dropped, names = ranking["feature"][~ranking["kept"]], data.owners
    shown, where = dropped.head(_MOST_ROWS), " where they are complete" if data.has_gaps else ""
    # Of the values of an encoded column, the one that is predicted worst speaks for it.
    worst = {names[j]: j for j in np.argsort(-selector.r2_, kind="stable")}
    features = [worst[name] for name in shown]
    heldout = pd.Series(selector.heldout_r2_).groupby(names).mean()[shown]
    r2, by = selector.r2_[features], selector.represented_by_[features]
    if len(dropped):
        cells = {
            "dropped": shown,
            "R^2": np.where(by < 0, "", pd.Series(r2).map("{:.2f}".format)),
            "held-out R^2": np.where(by < 0, "", heldout.map("{:.2f}".format)),
            "contributes most": np.where(by < 0, "constant", names[by]),
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
    dropped = ranking[~ranking["kept"]].sort_values("r2", kind="stable")
    shown = dropped.head(_MOST_ROWS)
    r2, nothing = shown["r2"], np.where(shown["r2"] <= 0, "nothing", "constant")
    cells = {
        "dropped": shown["feature"],
        "held-out R^2": r2.map("{:z.2f}".format).replace("nan", ""),
    }
    by = shown["explained_by"].mask(shown["explained_by"] == "", nothing)
    yield cells | {"predicted from (weight)": by}, ("dropped", "predicted from (weight)")
    if more := len(dropped) - len(shown):
        yield f"... and {more:,} more, better predicted; --scores has them all"


def _few(names):
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return f"{len(names):,}: {', '.join(names[:_MOST_NAMES])}{more}" if names else "only itself"
