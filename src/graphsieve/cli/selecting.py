"""What ``graphsieve select`` does: check the command, read, fit, write, summarise."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

from rich.text import Text
from scipy.sparse import issparse
from sklearn.utils import get_tags

from .._utils.text import counted, printable
from ..methods import REGISTRY
from .arguments import check_input, check_selection, make_method, make_reading, parse_number
from .artifacts import check_artifacts, make_artifacts, name_columns, parse_image_shape
from .columns import Roles, carry_verbatim
from .conditions import (
    batch_option,
    check_conditions,
    column_values,
    one_column,
    rank_within_batches,
    set_constraints,
    set_costs,
    total_cost,
)
from .console import errors_shown, grid, note, out, tell, warnings_shown
from .explain import add_explanations, show_explanations
from .genes import check_counts, fewest_cells, mark_genes, prepare_genes
from .io.reading import Reading
from .io.tables import Table
from .load import assign, opened, prepare_features, read
from .output import write_outputs
from .prepare import Features
from .problems import gaps_error, has_gaps
from .progress import progress

# Columns in the summary.
_SHOWN = 10


@dataclass(frozen=True)
class _Plan:
    """What the options of a command mean.

    ``given`` has the options by name, and ``arguments`` the words of the command line. ``marks``
    is whether genes are marked in a copy of the input.
    """

    given: object
    arguments: list
    reading: Reading
    marks: bool
    image_shape: tuple | None
    n_features: int | float | str | None
    estimator: object


@dataclass(frozen=True)
class _Data:
    """The table in a file, the roles of its columns, and the features among them as numbers."""

    path: Path
    name: str
    table: Table
    roles: Roles
    features: Features
    holds_genes: bool


def run(given, arguments):
    """Run ``graphsieve select``; ``arguments`` is the command as it was typed, for suggestions."""
    plan = _check(given, arguments)
    with errors_shown(), warnings_shown(), opened(given.file) as source:
        data = _read(plan, *source)
        _set_conditions(plan, data)
        estimator, seconds = _fit(plan, data)
        ranking = _rank(plan, data, estimator)
        _write(plan, data, estimator, ranking)
    _summarise(plan, data, ranking, seconds)


def _check(given, arguments):
    """Find whatever is wrong with the command itself, before the data are read."""
    whole = bool(given.impute or given.drop_rows or given.encode or given.batch)
    reading = make_reading(given.reading, whole=whole)
    check_input(given.file, reading)
    marks = check_selection(
        given.file, given.output, given.scores, given.force, given.subset, reading.key
    )
    check_artifacts(given.save, given.report, given.force)
    shape = parse_image_shape(given.image_shape)
    n_features = parse_number(given.number)
    settings = given.parameters or []
    estimator = make_method(given.method, n_features, settings, given.seed, given.jobs)
    check_conditions(estimator, given.method, n_features, given.cost, given.budget)
    return _Plan(given, arguments, reading, marks, shape, n_features, estimator)


def _read(plan, path, name, suffix):
    """Read the input and prepare what the method is fitted on."""
    given, estimator = plan.given, plan.estimator
    in_memory_for = None if estimator._distributes else given.method
    table = read(path, name, suffix, plan.reading, in_memory_for)
    carried = [
        *one_column(table, given.batch, batch_option(plan.arguments), in_obs=True),
        *one_column(table, given.color, "--color"),
    ]
    roles = assign(table, given.drop, [*(given.keep or []), *carried], not given.no_ids)
    if given.output is not None:
        table = carry_verbatim(table, roles)
    table, features = prepare_features(
        name,
        table,
        roles,
        plan.arguments,
        impute=given.impute,
        drop_rows=given.drop_rows,
        encode=given.encode,
        accepts_gaps=estimator._accepts_gaps,
    )
    _check_fit(estimator, given.method, features)
    return _Data(path, name, table, roles, features, suffix == ".h5ad")


def _check_fit(estimator, name, features):
    """Raise an error if the method cannot choose from these features."""
    wanted, n_columns = estimator.n_features_to_select, len(features.names)
    if isinstance(wanted, int) and wanted > n_columns:
        columns = counted(n_columns, "column")
        raise ValueError(f"-k {wanted} is more than the {columns} to select from")
    if issparse(features.X) and not get_tags(estimator).input_tags.sparse:
        able = [o for o, cls in sorted(REGISTRY.items()) if get_tags(cls()).input_tags.sparse]
        raise ValueError(
            f"{name} does not take sparse data; these methods do: {', '.join(able)}. "
            "Or save the array as a dense one"
        )


def _set_conditions(plan, data):
    """Tell the estimator what the user and the kind of file ask for."""
    given, estimator, features = plan.given, plan.estimator, data.features
    if data.holds_genes:
        prepare_genes(estimator, given.parameters)
        check_counts(features, plan.reading.key)
    set_constraints(estimator, features, data.table, data.roles, given.include, given.exclude)
    if line := set_costs(estimator, features, given.cost, given.budget):
        note(line)
    features.select_whole(estimator)


def _fit(plan, data):
    """Fit the estimator, showing its progress; return what was fitted and the seconds taken."""
    given, X = plan.given, data.features.X
    batches = _batches(plan, data)
    fitted = estimator = plan.estimator
    if batches is not None and (data.table.labels is not None or issparse(X)):
        fewest = fewest_cells() if data.holds_genes else None
        fitted = rank_within_batches(estimator, given.cost, fewest)
    start = time.perf_counter()
    with progress(f"{given.method} on {X.shape[0]:,} rows, {X.shape[1]:,} columns") as update:
        if "callback" in estimator.get_params():
            # Not the method's own progress bar: it begins only after the data are read.
            estimator.set_params(
                callback=lambda iteration, objective: update(
                    f"iteration {iteration}, objective {objective:.6g}"
                )
            )
        try:
            fitted.fit(X, groups=batches)
        except ValueError as error:
            if has_gaps(data.features):
                raise gaps_error(data.name, plan.arguments, error) from error
            raise
    return fitted, time.perf_counter() - start


def _batches(plan, data):
    """Batch of every row, or None."""
    option = batch_option(plan.arguments)
    return column_values(data.table, plan.given.batch, option, in_obs=True)


def _rank(plan, data, estimator):
    """Return a frame of the columns, best first, with explanations if they are asked for."""
    given, features = plan.given, data.features
    ranking = features.ranking(estimator, plan.n_features)
    if given.save or given.report or given.explain:
        name_columns(estimator, features)
    if not given.explain:
        return ranking
    return add_explanations(ranking, estimator, features, _batches(plan, data))


def _write(plan, data, estimator, ranking):
    """Write all files; what may fail is made before the first is written."""
    given = plan.given
    made = make_artifacts(
        estimator,
        data.features,
        ranking,
        given.save,
        given.report,
        title=data.name,
        image_shape=plan.image_shape,
        groups=_batches(plan, data),
        color=column_values(data.table, given.color, "--color"),
    )
    kept = _marked(plan, data, estimator) if plan.marks else _kept(data, ranking)
    for line in write_outputs(kept, given.output, ranking, given.scores, raw_names=given.raw_names):
        note(line)
    for artifact, destination in made:
        artifact.save(destination)


def _marked(plan, data, estimator):
    """Return what writes the copy of the input in which the selected genes are marked."""
    given = plan.given
    settings = {
        "layer": plan.reading.key,
        "batch_key": given.batch,
        "random_state": given.seed,
        "method_parameters": given.parameters,
    }
    return mark_genes(
        data.path,
        data.table,
        data.roles,
        estimator,
        subset=given.subset,
        method=given.method,
        settings=settings,
    )


def _kept(data, ranking):
    """Return the table of the selected and the carried columns, in the order of the file."""
    table, roles = data.table, data.roles
    kept = set(ranking["feature"][ranking["kept"]])
    selected = [j for j in roles.features if table.names[j] in kept]
    table = table.take(sorted([*selected, *roles.carried]))
    if table.labels is None:
        return table
    return replace(table, labels=table.labels[roles.labels])


def _summarise(plan, data, ranking, seconds):
    given, best = plan.given, ranking[ranking["kept"]]
    tell(
        f"Kept {len(best):,} of {counted(len(ranking), 'column')} of {data.name} "
        f"({counted(len(data.table), 'row')}) with {given.method} in {seconds:.1f} s"
    )
    table = grid({"rank": "right", "feature": "left", "score": "right"})
    for row in best.head(_SHOWN).itertuples():
        table.add_row(str(row.rank), Text(printable(row.feature)), _rounded(row.score))
    out.print(table)
    if len(best) > _SHOWN:
        out.print(f"... and {len(best) - _SHOWN:,} more")
    if given.cost is not None:
        tell(total_cost(plan.estimator, given.budget))
    if given.explain:
        show_explanations(ranking)
    for path in filter(None, (given.output, given.scores, given.save, given.report)):
        tell(f"Written: {path}")


def _rounded(score):
    """A score with four digits, or all of them if it is a whole number, as a rank would be."""
    return f"{score:,.0f}" if score == round(score) and abs(score) < 1e15 else f"{score:.4g}"
