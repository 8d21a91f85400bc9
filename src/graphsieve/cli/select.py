"""``graphsieve select``: the best columns of a table in a file."""

import time
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from .console import err, errors_shown, examples, out, warnings_shown

EPILOG = examples(
    "graphsieve select genes.csv -k 50 -o selected.csv",
    "graphsieve select genes.csv -k 10% --drop id,label --scores scores.csv",
    "graphsieve select pixels.npy -k 100 --method lap_score --set n_neighbors=10",
    "graphsieve select faces.mat -k 5% --key fea -o faces.parquet --force",
    "graphsieve select beyond-memory.zarr -k 50 --drop 0 -o selected.zarr",
    note="Exit codes: 0 done, 1 the data or the run failed, 2 the command is wrong. "
    "A run that fails writes nothing.",
)

# Columns in the summary.
_SHOWN = 10


def select(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Table with one sample per row: CSV, TSV, Parquet, NPY, NPZ, MAT or Zarr.",
            exists=True,
            show_default=False,
        ),
    ],
    keep: Annotated[
        str,
        typer.Option(
            "-k",
            "--keep",
            metavar="N|P%|auto",
            help="Columns to keep: a number, a percentage, or auto for the knee of the scores.",
            show_default=False,
        ),
    ],
    method: Annotated[
        str, typer.Option("-m", "--method", metavar="NAME", help="See: graphsieve methods")
    ] = "gafs",
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Parameter of the method; may be repeated.",
            show_default=False,
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            "--drop",
            metavar="COLUMN,...",
            help="Columns to leave out, by name or by position from 0; may be repeated.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Write the kept columns here, in the format of the extension.",
            show_default=False,
        ),
    ] = None,
    scores: Annotated[
        Path | None,
        typer.Option(
            "--scores",
            metavar="FILE",
            help="Write every column with score, rank and whether it is kept (CSV, TSV, Parquet).",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="NAME",
            help="Array to take from an NPZ, MAT or Zarr file; default X, or the only matrix.",
            show_default=False,
        ),
    ] = None,
    no_header: Annotated[
        bool, typer.Option("--no-header", help="The first line of a CSV or TSV file is data.")
    ] = False,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Seed of methods that use chance.")
    ] = 0,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            min=1,
            help="Threads of methods that use several; default all.",
            show_default=False,
        ),
    ] = None,
):
    """Keep the columns of a table that carry its structure."""
    # NumPy and scikit-learn are slow to load: not for a call of --help.
    from .arguments import check_input, check_outputs, make_method, parse_keep

    # Whatever is wrong with the command itself is found before the data are read.
    check_input(file, key, not no_header)
    check_outputs(file, output, scores, force)
    estimator = make_method(method, parse_keep(keep), parameters or [], seed, jobs)
    with errors_shown(), warnings_shown():
        table = _read(file, key, not no_header, drop or [])
        _check_fit(estimator, method, table)
        _say_how(file, table, estimator, method)
        seconds = _fit(estimator, method, table)
        kept = table.take(estimator.get_support(indices=True).tolist())
        ranking = _ranking(estimator, table)
        _write(kept, output, ranking, scores)
    _summarise(file, method, table, kept, ranking, seconds)
    for path in filter(None, (output, scores)):
        out.print(f"Written: {path}", markup=False, soft_wrap=True)


def _read(file, key, header, drop):
    from .io.files import read_table

    with err.status(Text(f"Reading {file.name}")):
        table = read_table(file, key=key, header=header).drop(drop)
        table.check()
    return table


def _check_fit(estimator, name, table):
    """An error if the method cannot choose from this table, in the words of the command."""
    from scipy.sparse import issparse
    from sklearn.utils import get_tags

    from ..methods import REGISTRY

    wanted, n_columns = estimator.n_features_to_select, len(table.names)
    if isinstance(wanted, int) and wanted > n_columns:
        raise ValueError(f"-k {wanted} is more than the table's {n_columns} columns")
    if issparse(table.X) and not get_tags(estimator).input_tags.sparse:
        able = [o for o, cls in sorted(REGISTRY.items()) if get_tags(cls()).input_tags.sparse]
        raise ValueError(
            f"{name} does not take sparse data; these methods do: {', '.join(able)}. "
            "Or save the array as a dense one"
        )


def _say_how(file, table, estimator, name):
    """One line about a file that is not read whole: what is read at a time."""
    if not table.how:
        return
    n_rows, n_columns = table.X.shape
    then = "" if estimator._distributes else f"; {name} needs all of it in memory"
    err.print(
        f"Reading {file.name}: {n_rows:,} rows x {n_columns:,} columns, {table.how}{then}",
        markup=False,
        soft_wrap=True,
    )


def _fit(estimator, name, table):
    """Fit, showing that something happens; seconds taken."""
    start = time.perf_counter()
    n_rows, n_columns = table.X.shape
    doing = f"{name} on {n_rows:,} rows, {n_columns:,} columns"
    with err.status(doing) as status:
        if "callback" in estimator.get_params():
            # Not the method's own progress bar: it begins only after the data are read.
            estimator.set_params(
                callback=lambda iteration, objective: status.update(
                    f"{doing}: iteration {iteration}, objective {objective:.6g}"
                )
            )
        estimator.fit(table.X)
    return time.perf_counter() - start


def _ranking(estimator, table):
    """Frame with a row per column, best first."""
    import pandas as pd

    order = estimator.order_
    return pd.DataFrame(
        {
            "feature": [table.names[j] for j in order],
            "score": estimator.scores_[order],
            "rank": estimator.ranking_[order],
            "kept": estimator.get_support()[order],
        }
    )


def _write(kept, output, ranking, scores):
    """Both files, or neither."""
    from .io.files import replacing, write_table
    from .io.tables import Table

    with ExitStack() as stack:
        for path, table in ((output, kept), (scores, Table(ranking, list(ranking)))):
            if path is not None:
                temporary = stack.enter_context(replacing(path))
                with err.status(Text(f"Writing {path.name}")):
                    write_table(temporary, table)


def _summarise(file, method, table, kept, ranking, seconds):
    from rich.table import Table as Grid

    out.print(
        f"Kept {len(kept.names)} of {len(table.names)} columns of {file.name} "
        f"({table.X.shape[0]} rows) with {method} in {seconds:.1f} s",
        markup=False,
        soft_wrap=True,
    )
    best = ranking[ranking["kept"]].head(_SHOWN)
    grid = Grid(box=None, header_style="bold", pad_edge=False)
    grid.add_column("rank", justify="right")
    grid.add_column("feature")
    grid.add_column("score", justify="right")
    for row in best.itertuples():
        grid.add_row(str(row.rank), Text(row.feature), f"{row.score:.4g}")
    out.print(grid)
    rest = len(kept.names) - len(best)
    if rest:
        out.print(f"... and {rest} more")
