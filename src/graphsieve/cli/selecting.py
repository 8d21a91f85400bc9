"""What ``graphsieve select`` does: check the command, read, fit, write, summarise."""

import time
from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np
from rich.text import Text
from scipy.sparse import issparse
from sklearn.utils import get_tags

from .._utils.names import suggestion
from .._utils.text import counted, listed, printable
from ..methods import REGISTRY
from .columns import (
    column_values,
    command_line,
    find_column,
    find_columns,
    names_in,
    read_costs,
)
from .console import (
    TableError,
    errors_shown,
    grid,
    note,
    out,
    progress,
    tell,
    usage_error,
    warnings_shown,
)
from .io.files import (
    WRITABLE,
    check_input,
    check_output,
    check_outputs,
    extension,
    opened,
    write_outputs,
)
from .io.tables import Table
from .methods import make_method
from .prepare import has_gaps, prepare, read

# Columns in the summary, and dropped columns that are explained there.
_SHOWN = 10


def run(file, given, arguments):
    """Run ``graphsieve select``; ``arguments`` is the command as it was typed, for suggestions."""
    method = _check(file, given)
    with errors_shown(), warnings_shown(), opened(file) as source:
        data, batches = _read(source, given, method, arguments)
        estimator = _estimator(given, method, data, batches)
        start = time.perf_counter()
        _fit(estimator, given, data, batches, source, arguments)
        seconds = time.perf_counter() - start
        ranking, selector = data.features.ranking(estimator, given.number)
        if given.explain:
            coverage = selector.coverage(data.features.X, groups=batches)
            ranking = _explained(ranking, coverage, data.features)
        _write(given, source, data, batches, ranking, selector)
    _summarise(given, source, data, ranking, selector, seconds)


def _check(file, given):
    """Find whatever is wrong with the command itself; returns the method with its parameters."""
    check_input(file, given)
    marks = _marks(given)
    if marks and extension(file) != ".h5ad":
        raise usage_error(
            "an .h5ad file can only be written from one; write .csv or .parquet", "-o"
        )
    if marks and given.key == "raw/X":
        raise usage_error(
            "raw has genes of its own, which cannot be marked in var; give -o FILE.csv, or a layer",
            "--key",
        )
    if given.subset and not marks:
        raise usage_error("only with -o FILE.h5ad; other formats hold nothing else", "--subset")
    writable = (*WRITABLE, ".h5ad")
    check_outputs(file, given.output, given.scores, force=given.force, writable=writable)
    check_output(given.save, (".json",), given.force, "--save")
    check_output(given.report, (".html",), given.force, "--report")
    method = make_method(given)
    if given.budget is not None and given.cost is None:
        raise usage_error("needs the costs of the columns: add --cost FILE", "--budget")
    if given.number is None and given.budget is None:
        raise usage_error("give the number of columns, such as -k 50, -k 10% or -k auto", "-k")
    if given.cost is not None and not hasattr(method, "costs"):
        able = [name for name, cls in sorted(REGISTRY.items()) if hasattr(cls(), "costs")]
        raise usage_error(
            f"{given.method} takes no costs; use --method {' or '.join(able)}", "--cost"
        )
    if given.cost is not None and not given.cost.is_file():
        raise usage_error(f"{given.cost} does not exist", "--cost")
    return method


def _marks(given):
    """Whether genes are marked in a copy of the input."""
    return given.output is not None and extension(given.output) == ".h5ad"


def _read(source, given, method, arguments):
    """Read the input; returns the Data, and the batch of every row or None."""
    table = read(source, given, None if method.reads_in_pieces else given.method)
    used = any(word.partition("=")[0] == "--group-by" for word in arguments)
    option = "--group-by" if used else "--batch"
    carried = []
    if given.batch is not None:
        carried.append(find_column(table, given.batch, option, in_obs=True))
    if given.color is not None:
        carried.append(find_column(table, given.color, "--color"))
    data = prepare(
        source[1],
        table,
        given,
        arguments,
        carried=carried,
        verbatim=given.output is not None,
        accepts_gaps=get_tags(method).input_tags.allow_nan,
    )
    wanted, n_columns = given.number, len(data.features.names)
    if isinstance(wanted, int) and wanted > n_columns:
        columns = counted(n_columns, "column")
        raise ValueError(f"-k {wanted} is more than the {columns} to select from")
    if issparse(data.features.X) and not get_tags(method).input_tags.sparse:
        able = [o for o, cls in sorted(REGISTRY.items()) if get_tags(cls()).input_tags.sparse]
        raise ValueError(
            f"{given.method} does not take sparse data; these methods do: {', '.join(able)}. "
            "Or save the array as a dense one"
        )
    return data, column_values(data.table, given.batch, option, in_obs=True)


def _estimator(given, method, data, batches):
    """Return the estimator with all that the user and the kind of file ask for."""
    features, parameters = data.features, method.get_params(deep=False)
    for name in ("include", "exclude"):
        if items := getattr(given, name):
            parameters[name] = _positions(name, items, given.number, data)
    if given.cost is not None:
        parameters |= {"costs": _costs(given.cost, features), "budget": given.budget}
    if features.owner is not None and "column_groups" in parameters and given.number != "auto":
        parameters["column_groups"] = features.owner
    number = features.count(given.number, parameters["exclude"])
    estimator = type(method)(**(parameters | {"n_features_to_select": number}))
    fewest, holds_genes = {}, data.table.labels is not None
    if holds_genes:
        from ..anndata.select import FEWEST_CELLS, adapt_to_expression, warn_of_values

        given_names = {setting.partition("=")[0] for setting in given.parameters or []}
        adapt_to_expression(estimator, given_names)
        warn_of_values(features.X[:1000], features.X.min(), given.key or "X")
        fewest = {"min_samples": FEWEST_CELLS}
    if batches is None or not (holds_genes or issparse(features.X)):
        return estimator
    # Other tables are centred within every batch, which would fill in the zeros of sparse ones.
    if given.cost is not None:
        raise ValueError(
            "--cost does not work together with --batch for AnnData and sparse data, which are "
            "ranked batch by batch"
        )
    from ..inspection import GroupedRanker

    constraints = {name: parameters[name] for name in ("include", "exclude")}
    return GroupedRanker(estimator, number, **constraints, **fewest)


def _positions(parameter, items, number, data):
    """Positions in the features of the columns that must be in or out."""
    place = {position: j for j, position in enumerate(data.roles.features)}
    names = data.table.names
    found = find_columns(names_in(items), names, f"--{parameter}", data.roles.features)
    if parameter == "include" and isinstance(number, int) and len(found) > number:
        raise ValueError(
            f"--include names {counted(len(found), 'column')}, which count as selected: use "
            f"-k {len(found)} or more"
        )
    return data.features.columns([place[position] for position in found])


def _costs(path, features):
    """Return the cost of every feature from a file, and say which columns have none."""
    given = read_costs(path)
    position = {name: j for j, name in enumerate(features.names)}
    found = {position[name]: cost for name, cost in given.items() if name in position}
    unknown = [name for name in given if name not in position]
    if not found:
        raise TableError(
            f"--cost: {path.name} has no cost for any column to select from"
            f"{suggestion(unknown[0], features.names)}; it names {listed(unknown)}"
        )
    notes = []
    if missing := len(features.names) - len(found):
        notes.append(f"{missing} of {len(features.names)} columns have no cost and count as 1")
    if unknown:
        notes.append(f"not selected from, and therefore ignored: {listed(unknown)}")
    if notes:
        note(f"{path.name}: {'; '.join(notes)}")
    costs = np.ones(len(features.names))
    costs[list(found)] = list(found.values())
    return features.costs(costs)


def _fit(estimator, given, data, batches, source, arguments):
    """Fit the estimator, and show its progress."""
    X = data.features.X
    with progress(f"{given.method} on {X.shape[0]:,} rows, {X.shape[1]:,} columns") as update:
        watched = getattr(estimator, "estimator", estimator)
        if "callback" in watched.get_params():
            # Not the method's own progress bar: it begins only after the data are read.
            watched.set_params(
                callback=lambda iteration, objective: update(
                    f"iteration {iteration}, objective {objective:.6g}"
                )
            )
        try:
            estimator.fit(X, groups=batches)
        except ValueError as error:
            if not has_gaps(data.features):
                raise
            raise TableError(
                f"{source[1]} has missing values: {error}. Run: "
                f"{command_line([*arguments, '--impute', 'median'])} (or use --drop-rows to leave "
                "out incomplete rows)"
            ) from error


def _explained(ranking, coverage, features):
    """Return the ranking with the R^2 of every dropped column and the columns that predict it."""
    if features.owner is not None:
        coverage = _of_columns(coverage, features)
    by = {}
    for row in coverage[coverage["kept"].notna()].itertuples():
        weight = "" if isnan(row.weight) else f" ({row.weight:.3g})"
        by.setdefault(row.feature, []).append(f"{row.kept}{weight}")
    r2 = coverage.drop_duplicates("feature").set_index("feature")["r2"]
    explained_by = [", ".join(by.get(name, [])) for name in ranking["feature"]]
    return ranking.assign(r2=ranking["feature"].map(r2), explained_by=explained_by)


def _of_columns(coverage, features):
    """Return the coverage of indicators as that of the columns that they encode.

    The R^2 is that of all indicators together. The weights of indicators do not add up to one
    weight; the columns are in the order of their importance.
    """
    column = dict(zip(features.X, (features.names[j] for j in features.owner), strict=True))
    variance = coverage["feature"].map(features.X.var())
    table = coverage.assign(
        feature=coverage["feature"].map(column),
        kept=coverage["kept"].map(column),
        importance=coverage["importance"] * variance,
        explained=coverage["r2"] * variance,
        variance=variance,
    )
    single = table[~coverage["feature"].duplicated()].groupby("feature")
    r2 = single["explained"].sum() / single["variance"].sum()
    importance = table.groupby(["feature", "kept"], dropna=False, sort=False)["importance"].sum()
    table = importance.sort_values(ascending=False).reset_index()
    return table.assign(r2=table["feature"].map(r2), weight=float("nan"))


def _write(given, source, data, batches, ranking, selector):
    """Write all files or none; what may fail is made before the first is written."""
    save = page = None
    if given.save is not None:
        save = _selection(selector, data.features, ranking).save
    if given.report is not None:
        with progress(f"Preparing {given.report.name}"):
            page = selector.report(
                data.features.X,
                groups=batches,
                title=source[1],
                image_shape=given.image_shape,
                color=column_values(data.table, given.color, "--color"),
            ).save
    kept = _marked(given, source, data, selector) if _marks(given) else _kept(data, ranking)
    scores = Table(ranking, list(ranking))
    outputs = [(given.output, kept), (given.scores, scores), (given.save, save)]
    for line in write_outputs([*outputs, (given.report, page)], raw_names=given.raw_names):
        note(line)


def _selection(selector, features, ranking):
    """The selection of columns, also where a selector has seen values of text columns."""
    selection = selector.to_selection()
    if features.owner is None:
        return selection
    position = {name: j for j, name in enumerate(features.names)}
    in_order = ranking["feature"].map(position)
    return replace(
        selection,
        kept=sorted(in_order[ranking["kept"]].tolist()),
        n_features_in=len(features.names),
        feature_names_in=features.names,
        order=in_order.tolist(),
        scores=ranking.set_index("feature")["score"][features.names].tolist(),
    )


def _kept(data, ranking):
    """Return the table of the selected and the carried columns, in the order of the file."""
    table, roles = data.table, data.roles
    kept = set(ranking["feature"][ranking["kept"]])
    selected = [j for j in roles.features if table.names[j] in kept]
    table = table.take(sorted([*selected, *roles.carried]))
    return table if table.labels is None else replace(table, labels=table.labels[roles.labels])


def _marked(given, source, data, selector):
    """Return a function that writes a copy of an AnnData file with the selected genes marked."""
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
    return partial(annotate_h5ad, source[0], columns=columns, record=record, subset=given.subset)


def _summarise(given, source, data, ranking, selector, seconds):
    best = ranking[ranking["kept"]]
    tell(
        f"Kept {len(best):,} of {counted(len(ranking), 'column')} of {source[1]} "
        f"({counted(len(data.table), 'row')}) with {given.method} in {seconds:.1f} s"
    )
    table = grid({"rank": "right", "feature": "left", "score": "right"})
    for row in best.head(_SHOWN).itertuples():
        table.add_row(str(row.rank), Text(printable(row.feature)), _rounded(row.score))
    out.print(table)
    if len(best) > _SHOWN:
        out.print(f"... and {len(best) - _SHOWN:,} more")
    if given.cost is not None:
        of_budget = "" if given.budget is None else f" of a budget of {given.budget:g}"
        tell(f"Cost: {selector.costs[selector.support_].sum():g}{of_budget}")
    if given.explain:
        _show_explanations(ranking[~ranking["kept"]].sort_values("r2", kind="stable"))
    for path in filter(None, (given.output, given.scores, given.save, given.report)):
        tell(f"Written: {path}")


def _rounded(score):
    """A score with four digits, or all of them if it is a whole number, as a rank would be."""
    return f"{score:,.0f}" if score == round(score) and abs(score) < 1e15 else f"{score:.4g}"


def _show_explanations(dropped):
    """Print the dropped columns that the kept ones predict worst."""
    if not len(dropped):
        return
    out.print()
    table = grid({"dropped": "left", "R^2": "right", "predicted from (weight)": "left"})
    for row in dropped.head(_SHOWN).itertuples():
        by = printable(row.explained_by) or ("nothing" if row.r2 <= 0 else "constant")
        r2 = "" if isnan(row.r2) else f"{row.r2:.2f}"
        table.add_row(Text(printable(row.feature)), r2, Text(by))
    out.print(table)
    if len(dropped) > _SHOWN:
        out.print(
            f"... and {len(dropped) - _SHOWN:,} more, better predicted; --scores has them all"
        )
