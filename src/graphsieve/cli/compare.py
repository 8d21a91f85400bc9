"""``graphsieve compare``: several methods on one table, judged without labels."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from .._utils.text import counted, printable
from . import options
from .console import errors_shown, examples, grid, out, tell, usage_error, warnings_shown
from .load import assign, opened, prepare_features, read

EPILOG = examples(
    "graphsieve compare genes.csv -k 50",
    "graphsieve compare genes.csv -k 50 --methods sieve,css,mrsf -o table.csv --plot picture.png",
    "graphsieve compare sensors.csv -k 10% --criterion reconstruction --impute median",
    note="The variance and a random ranking are always compared as well. Exit codes: 0 success, "
    "1 a problem with the data or the run, 2 a wrong command.",
)

_PICTURES = (".png", ".svg", ".pdf")

Count = Annotated[
    str,
    typer.Option(
        "-k",
        "--n-features",
        metavar="N|P%",
        help="Features that every method selects: a number or a percentage.",
        show_default=False,
    ),
]
Methods = Annotated[
    str | None,
    typer.Option(
        "--methods",
        metavar="NAME,...",
        help="Methods to compare, by default sieve, gafs, css, mrsf and lap_score; see graphsieve "
        "methods. The first one is preferred unless another is clearly better.",
        show_default=False,
    ),
]
Criterion = Annotated[
    Literal["structure", "neighborhood", "reconstruction", "stability", "redundancy"],
    typer.Option(
        "--criterion",
        metavar="NAME",
        help="Criterion that decides: structure, neighborhood, reconstruction, stability or "
        "redundancy.",
    ),
]
Repeats = Annotated[
    int,
    typer.Option(
        "--repeats",
        metavar="N",
        min=1,
        help="Number of times the rows are split in half; every method is fitted on both halves.",
    ),
]
TableFile = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the table.", show_default=False),
]
Picture = Annotated[
    Path | None,
    typer.Option(
        "--plot", metavar="FILE", help="Draw the table (PNG, SVG or PDF).", show_default=False
    ),
]


@options.reads_table
def compare(
    ctx: typer.Context,
    file: options.File,
    number: Count,
    methods: Methods = None,
    criterion: Criterion = "structure",
    repeats: Repeats = 3,
    output: TableFile = None,
    plot: Picture = None,
    force: options.Force = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    no_ids: options.NoIds = False,
    impute: options.Impute = None,
    drop_rows: options.DropRows = False,
    encode: options.Encode = None,
    *,
    reading: dict,
):
    """Compare methods on a table without labels."""
    from .arguments import check_input, check_output, check_outputs, make_reading

    whole = bool(impute or drop_rows or encode)
    reading = make_reading(reading, whole=whole)
    check_input(file, reading)
    check_outputs(file, output, None, force)
    if plot is not None:
        check_output(plot, _PICTURES, force, "--plot")
    n_features, names = _parse_count(number), _parse_methods(methods)
    with errors_shown(), warnings_shown(), opened(file) as (path, name, suffix):
        from ..inspection import compare as compare_methods

        table = read(path, name, suffix, reading)
        roles = assign(table, drop, keep, not no_ids)
        preparing = {"impute": impute, "drop_rows": drop_rows, "encode": encode}
        _, features = prepare_features(name, table, roles, ctx.meta["arguments"], **preparing)
        found = compare_methods(
            features.X,
            n_features,
            names,
            criterion=criterion,
            n_repeats=repeats,
            random_state=seed,
            n_jobs=jobs,
            verbose=1,
        )
        _write(found, output, plot)
    _show(found, name, features.X.shape)
    for path in filter(None, (output, plot)):
        tell(f"Written: {path}")


def _parse_count(text):
    from .arguments import parse_number

    number = parse_number(text)
    if number == "auto":
        raise usage_error("give a number or a percentage, the same for all methods", "-k")
    return number


def _parse_methods(text):
    from ..inspection.compare import METHODS
    from .methods import find_method

    names = METHODS if text is None else [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        find_method(name, "--methods")
    return names


def _write(found, output, plot):
    """Write the files that were asked for."""
    from .._utils.files import replacing
    from ..plots import comparison_figure
    from .io.tables import Table
    from .output import write_outputs

    # The picture first: if it fails, no table is left behind.
    if plot is not None:
        with replacing(plot) as temporary:
            figure = comparison_figure(found.table, found.best)
            figure.savefig(temporary, dpi=150, format=plot.suffix[1:].lower())
    if output is not None:
        write_outputs(Table(found.table, list(found.table)), output, None, None)


def _show(found, name, shape):
    from rich.text import Text

    from ..inspection.compare import CRITERIA, trust

    of_all = f"{found.n_rows:,} of " if found.n_rows < shape[0] else ""
    columns, rows = counted(shape[1], "column"), counted(shape[0], "row")
    tell(f"{found.n_features:,} of {columns} of {name} ({of_all}{rows}), best first")
    table = grid({"method": "left"} | dict.fromkeys([*CRITERIA, "time"], "right"))
    for row in found.table.itertuples():
        values = [f"{getattr(row, criterion):.3f}" for criterion in CRITERIA]
        style = "bold" if row.candidate == found.best else None
        table.add_row(Text(printable(row.candidate)), *values, f"{row.seconds:.1f} s", style=style)
    out.print(table)
    tell(found.verdict)
    tell(trust(found.criterion))
