"""What ``graphsieve select`` and ``graphsieve drop`` do: check the command, read, fit, write."""

import time
from dataclasses import replace

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import get_tags

from .._utils.text import counted
from ..methods import REGISTRY
from .columns import column_values, find_column, find_columns, names_in, read_costs
from .console import messages_shown, note, progress, tell, tell_table, usage_error
from .io.files import FOR_SCORES, WRITABLE, check_input, check_outputs, extension, opened
from .outcome import marks_genes, summary, with_predictors, write
from .prepare import prepare, read


def run(given, method):
    """Read, fit an unfitted method, write and print."""
    _check(given, method)
    with messages_shown(), opened(given.file) as source:
        data = _read(source, given, method)
        estimator = _estimator(given, method, data)
        start = time.perf_counter()
        _fit(estimator, given, data, source[1])
        seconds = time.perf_counter() - start
        ranking, selector = data.ranking(estimator, given.number)
        with progress("Explaining the selection"):
            if given.explain:
                ranking = with_predictors(ranking, data, selector)
            lines = ranking["feature"][ranking["kept"]]
            if not given.names:
                of_all = f"of {counted(len(ranking), 'column')} of {source[1]}"
                rows = counted(len(data.table), "row")
                heading = f"Kept {len(lines):,} {of_all} ({rows}) with {given.method}"
                if given.method == "drop":
                    heading = f"Dropped {len(ranking) - len(lines):,} {of_all} ({rows})"
                lines = [f"{heading} in {seconds:.1f} s", *summary(given, data, ranking, selector)]
        write(given, source, data, ranking, selector)
    for line in lines:
        tell(line) if isinstance(line, str) else tell_table(*line)
    for path in filter(None, (given.output, given.scores, given.save, given.report)):
        (note if given.names else tell)(f"Written: {path}")


def _check(given, method):
    check_input(given.file, given)
    marks = marks_genes(given)
    if marks and extension(given.file) != ".h5ad":
        raise usage_error("an .h5ad file can only be written from one; write .csv", "-o")
    if marks and given.key == "raw/X":
        raise usage_error("raw has genes of its own, not marked in var; write .csv", "--key")
    if given.subset and not marks:
        raise usage_error("only with -o FILE.h5ad; other formats hold nothing else", "--subset")
    outputs = [(given.output, (*WRITABLE, ".h5ad"), "-o"), (given.scores, FOR_SCORES, "--scores")]
    outputs += [(given.save, (".json",), "--save"), (given.report, (".html",), "--report")]
    check_outputs(given, *outputs)
    if given.budget is not None and given.cost is None:
        raise usage_error("needs the costs of the columns: add --cost FILE", "--budget")
    if given.method != "drop" and given.number is None and given.budget is None:
        raise usage_error("give the number of columns, such as -k 50, -k 10% or -k auto", "-k")
    if given.cost is not None and not hasattr(method, "costs"):
        able = " or ".join(_methods_that(lambda method: hasattr(method, "costs")))
        raise usage_error(f"{given.method} takes no costs; use --method {able}", "--cost")
    if given.cost is not None and not given.cost.is_file():
        raise usage_error(f"{given.cost} does not exist", "--cost")


def _methods_that(can):
    return [name for name, cls in sorted(REGISTRY.items()) if can(cls())]


def _read(source, given, method):
    tags = get_tags(method).input_tags
    table = read(source, given, None if method.reads_in_pieces else given.method)
    batch = "--group-by" if any(w.startswith("--group-by") for w in given.arguments) else "--batch"
    carried = find_column(table, given.batch, batch, in_obs=True)
    carried += find_column(table, given.color, "--color")
    how = {"verbatim": given.output is not None, "accepts_gaps": tags.allow_nan}
    data = prepare(source[1], table, given, carried=carried, **how)
    if data.n_gaps:
        options = "--impute median fills missing values, --drop-rows leaves out incomplete rows"
        note(f"{counted(data.n_gaps, 'missing value')}, which the method accepts; {options}")
    if isinstance(given.number, int) and given.number > (most := len(data.features)):
        what = f"-k {given.number} is more than the {counted(most, 'column')} to select from"
        raise ValueError(f"{what}. Run: {given.again(number=most)}")
    if issparse(data.X) and not tags.sparse:
        able = ", ".join(_methods_that(lambda method: get_tags(method).input_tags.sparse))
        raise ValueError(f"{given.method} does not take sparse data; these methods do: {able}")
    return replace(data, batches=column_values(data.table, given.batch, batch, in_obs=True))


def _estimator(given, method, data):
    parameters, number = method.get_params(deep=False), given.number
    for name in ("include", "exclude"):
        items = names_in(getattr(given, name) or [], data.table.names)
        found = find_columns(items, data.table.names, f"--{name}", data.features)
        if found:
            places = np.searchsorted(data.features, found)
            parameters[name] = [j for p in places for j in np.flatnonzero(data.owner == p).tolist()]
        if name == "include" and isinstance(number, int) and len(found) > number:
            many = f"{counted(len(found), 'column')}, which count as selected"
            raise ValueError(f"--include names {many}: use -k {len(found)} or more")
    if given.cost is not None:
        # What a column costs is divided among its values.
        costs = read_costs(given.cost, data.names) / np.bincount(data.owner)
        parameters |= {"costs": costs[data.owner], "budget": given.budget}
    if data.is_encoded and "column_groups" in parameters and number != "auto":
        parameters["column_groups"] = data.owner
    if "n_features_to_select" in parameters:
        number = parameters["n_features_to_select"] = data.count(number, parameters["exclude"])
    estimator, fewest = type(method)(**parameters), {}
    if data.table.labels is not None:
        from ..anndata.select import FEWEST_CELLS, adapt_to_expression, warn_of_values

        adapt_to_expression(estimator, {text.partition("=")[0] for text in given.parameters or []})
        warn_of_values(data.X[:1000], data.X.min(), given.key or "X")
        fewest = {"min_samples": FEWEST_CELLS}
    if data.batches is None or not (fewest or issparse(data.X)):
        return estimator
    # Other tables are centred within every batch, which would fill in the zeros of sparse ones.
    if given.cost is not None or given.method == "drop":
        alone = "drop or --cost does not work together with --batch for AnnData and sparse data"
        raise ValueError(f"{alone}, which are ranked batch by batch")
    from ..inspection import GroupedRanker

    fewest |= {name: parameters[name] for name in ("include", "exclude")}
    return GroupedRanker(estimator, number, **fewest)


def _fit(estimator, given, data, name):
    X = data.X
    with progress(f"{given.method} on {X.shape[0]:,} rows, {X.shape[1]:,} columns") as update:
        watched = getattr(estimator, "estimator", estimator)
        if "callback" in watched.get_params():
            # Not the method's own progress bar: it begins only after the data are read.
            said = "iteration {}, objective {:.6g}".format
            watched.set_params(callback=lambda *state: update(said(*state)))
        try:
            estimator.fit(X, groups=data.batches)
        except ValueError as error:
            if not data.has_gaps:
                raise
            what = f"{name} has missing values: {error}. Run: {given.again('--impute', 'median')}"
            advice = "or use --drop-rows to leave out incomplete rows"
            raise ValueError(f"{what} ({advice})") from error
