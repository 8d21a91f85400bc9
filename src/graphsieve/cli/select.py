"""``graphsieve select``: the best columns of a table in a file."""

import time

import typer
from rich.text import Text

from . import options
from .console import errors_shown, examples, note, out, printable, tell, warnings_shown
from .load import assign, opened, prepare_features, read
from .progress import progress

EPILOG = examples(
    "graphsieve select genes.csv -k 50 -o selected.csv",
    "graphsieve select profiles.csv -k 10% --keep 'Metadata_*' --impute median -o selected.csv",
    "graphsieve select genes.csv -k 50 --include panel.txt --save kept.json --report page.html",
    "graphsieve select sensors.csv --cost prices.csv --budget 900 --batch site --explain",
    "graphsieve select cells.h5ad -k 300 --include panel.txt --batch donor -o marked.h5ad",
    "graphsieve select pixels.npy -k 100 --method lap_score --set n_neighbors=10",
    "graphsieve select faces.mat -k 5% --key fea -o faces.parquet --force",
    "zcat sensors.csv.gz | graphsieve select - -k 20 --drop time --scores scores.csv",
    note="Exit codes: 0 success, 1 a problem with the data or the run, 2 a wrong command. "
    "A run that fails writes nothing.",
)

# Columns in the summary.
_SHOWN = 10


def select(
    ctx: typer.Context,
    file: options.File,
    number: options.Number = None,
    output: options.Output = None,
    scores: options.Scores = None,
    save: options.Save = None,
    report: options.Report = None,
    subset: options.Subset = False,
    explain: options.Explain = False,
    image_shape: options.ImageShape = None,
    color: options.Color = None,
    raw_names: options.RawNames = False,
    force: options.Force = False,
    method: options.Method = "gafs",
    parameters: options.Parameters = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    cost: options.Cost = None,
    budget: options.Budget = None,
    batch: options.Batch = None,
    no_ids: options.NoIds = False,
    impute: options.Impute = None,
    drop_rows: options.DropRows = False,
    encode: options.Encode = None,
    key: options.Key = None,
    no_header: options.NoHeader = False,
    sep: options.Separator = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    index: options.Index = False,
    transpose: options.Transpose = False,
    max_size: options.MaxSize = None,
):
    """Select the features that carry the structure of a table."""
    # NumPy and scikit-learn are slow to load: not for a call of --help.
    from scipy.sparse import issparse

    from .arguments import check_input, check_selection, make_method, make_reading, parse_number
    from .artifacts import (
        check_artifacts,
        make_artifacts,
        name_columns,
        parse_image_shape,
    )
    from .columns import carry_verbatim
    from .conditions import (
        check_conditions,
        column_values,
        one_column,
        rank_within_batches,
        set_constraints,
        set_costs,
        total_cost,
    )
    from .explain import add_explanations, learn, show_explanations
    from .genes import check_counts, mark_genes, prepare_genes
    from .output import write_outputs

    # Whatever is wrong with the command itself is found before the data are read.
    whole = bool(impute or drop_rows or encode or batch)
    reading = make_reading(ctx.params, whole=whole)
    check_input(file, reading)
    marks = check_selection(file, output, scores, force, subset, key)
    check_artifacts(save, report, force)
    shape = parse_image_shape(image_shape)
    n_features = parse_number(number)
    estimator = make_method(method, n_features, parameters or [], seed, jobs)
    check_conditions(estimator, method, n_features, cost, budget)
    arguments = ctx.meta["arguments"]
    with errors_shown(), warnings_shown(), opened(file) as (path, name, suffix):
        table = read(path, name, suffix, reading, None if estimator._distributes else method)
        carried = [*one_column(table, batch, "--batch"), *one_column(table, color, "--color")]
        roles = assign(table, drop, [*(keep or []), *carried], not no_ids)
        if suffix == ".h5ad":
            prepare_genes(estimator, parameters)
        if output is not None:
            table = carry_verbatim(table, roles)
        mending = {"impute": impute, "drop_rows": drop_rows, "encode": encode}
        accepts_gaps = estimator._accepts_gaps
        table, features = prepare_features(
            name, table, roles, arguments, accepts_gaps=accepts_gaps, **mending
        )
        _check_fit(estimator, method, features)
        set_constraints(estimator, features, include, exclude)
        if line := set_costs(estimator, features, cost, budget):
            note(line)
        features.select_whole(estimator)
        if suffix == ".h5ad":
            check_counts(features, key)
        batches = column_values(table, batch, "--batch")
        if batches is not None and (table.labels is not None or issparse(features.X)):
            estimator = rank_within_batches(estimator, cost)
        seconds = _fit(estimator, method, features, name, arguments, batches)
        ranking = features.ranking(estimator, n_features)
        if explain:
            learn(estimator, features)
        if save or report or explain:
            name_columns(estimator, features)
        if explain:
            ranking = add_explanations(ranking, estimator, features)
        looks = {"image_shape": shape, "color": column_values(table, color, "--color")}
        made = make_artifacts(estimator, features, ranking, save, report, title=name, **looks)
        if marks:
            settings: dict[str, object] = {
                "layer": key,
                "batch_key": batch,
                "random_state": seed,
                "method_parameters": parameters,
            }
            kept = mark_genes(
                path, table, roles, estimator, subset=subset, method=method, settings=settings
            )
        else:
            kept = _kept(table, roles, ranking)
        for line in write_outputs(kept, output, ranking, scores, raw_names=raw_names):
            note(line)
        for artifact, destination in made:
            artifact.save(destination)
    _summarise(name, method, len(table), ranking, seconds)
    if cost is not None:
        tell(total_cost(estimator, budget))
    if explain:
        show_explanations(ranking)
    for path in filter(None, (output, scores, save, report)):
        tell(f"Written: {path}")


def _check_fit(estimator, name, features):
    """Raise an error if the method cannot choose from these features."""
    from scipy.sparse import issparse
    from sklearn.utils import get_tags

    from ..methods import REGISTRY

    wanted, n_columns = estimator.n_features_to_select, len(features.names)
    if isinstance(wanted, int) and wanted > n_columns:
        raise ValueError(f"-k {wanted} is more than the {n_columns} columns to select from")
    if issparse(features.X) and not get_tags(estimator).input_tags.sparse:
        able = [o for o, cls in sorted(REGISTRY.items()) if get_tags(cls()).input_tags.sparse]
        raise ValueError(
            f"{name} does not take sparse data; these methods do: {', '.join(able)}. "
            "Or save the array as a dense one"
        )


def _fit(estimator, method, features, name, arguments, batches):
    """Fit the estimator, showing its progress; return the seconds taken."""
    from .problems import gaps_error, has_gaps

    start = time.perf_counter()
    n_rows, n_columns = features.X.shape
    with progress(f"{method} on {n_rows:,} rows, {n_columns:,} columns") as update:
        fitted = getattr(estimator, "estimator", estimator)
        if "callback" in fitted.get_params():
            # Not the method's own progress bar: it begins only after the data are read.
            fitted.set_params(
                callback=lambda iteration, objective: update(
                    f"iteration {iteration}, objective {objective:.6g}"
                )
            )
        try:
            estimator.fit(features.X, groups=batches)
        except ValueError as error:
            if has_gaps(features):
                raise gaps_error(name, arguments, error) from error
            raise
    return time.perf_counter() - start


def _kept(table, roles, ranking):
    """Return the table of the selected and the carried columns, in the order of the file."""
    from dataclasses import replace

    kept = set(ranking["feature"][ranking["kept"]])
    selected = [j for j in roles.features if table.names[j] in kept]
    table = table.take(sorted([*selected, *roles.carried]))
    if table.labels is None:
        return table
    return replace(table, labels=table.labels[roles.labels])


def _summarise(name, method, n_rows, ranking, seconds):
    from rich.table import Table as Grid

    best = ranking[ranking["kept"]]
    tell(
        f"Kept {len(best)} of {len(ranking)} columns of {name} ({n_rows} rows) with {method} in "
        f"{seconds:.1f} s"
    )
    grid = Grid(box=None, header_style="bold", pad_edge=False)
    grid.add_column("rank", justify="right")
    grid.add_column("feature")
    grid.add_column("score", justify="right")
    for row in best.head(_SHOWN).itertuples():
        grid.add_row(str(row.rank), Text(printable(row.feature)), f"{row.score:.4g}")
    out.print(grid)
    if len(best) > _SHOWN:
        out.print(f"... and {len(best) - _SHOWN} more")
