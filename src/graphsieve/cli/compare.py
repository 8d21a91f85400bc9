# ruff: noqa: RUF009 (the functions return fields of dataclasses)
"""``graphsieve compare``: several methods on one table, judged without labels."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import typer

from .._utils.text import counted, printable
from .console import errors_shown, examples, grid, out, tell, usage_error, warnings_shown
from .methods import find_method
from .options import Command, File, Preparing, new_app, option, parse_number, takes_options

app = new_app()
_PICTURES = (".png", ".svg", ".pdf")


def _parse_count(text):
    number = parse_number(text)
    if number == "auto":
        raise usage_error("give a number or a percentage, the same for all methods", "-k")
    return number


@dataclass(frozen=True)
class Comparing(Preparing):
    """What is compared, and where the outcome is written."""

    number: Any = option(
        "-k --n-features N|P%",
        "Features that every method selects: a number or a percentage.",
        ...,
        parser=_parse_count,
    )
    methods: str | None = option(
        "--methods NAME,...",
        "Methods to compare, by default sieve, gafs, css, mrsf and lap_score; see graphsieve "
        "methods. The first one is preferred unless another is clearly better.",
    )
    criterion: Literal["structure", "neighborhood", "reconstruction", "stability", "redundancy"] = (
        option(
            "--criterion NAME",
            "Criterion that decides: structure, neighborhood, reconstruction, stability or "
            "redundancy.",
            "structure",
        )
    )
    repeats: int = option(
        "--repeats N",
        "Number of times the rows are split in half; every method is fitted on both halves.",
        3,
        min=1,
    )
    output: Path | None = option("-o --output FILE", "Write the table.")
    plot: Path | None = option("--plot FILE", "Draw the table (PNG, SVG or PDF).")


@app.command(
    cls=Command,
    epilog=examples(
        "graphsieve compare genes.csv -k 50",
        "graphsieve compare genes.csv -k 50 --methods sieve,css,mrsf -o table.csv --plot p.png",
        "graphsieve compare sensors.csv -k 10% --criterion reconstruction --impute median",
        note="The variance and a random ranking are always compared as well. Exit codes: 0 "
        "success, 1 a problem with the data or the run, 2 a wrong command.",
    ),
)
@takes_options
def compare(ctx: typer.Context, file: File, given: Comparing):
    """Compare methods on a table without labels."""
    from ..inspection import compare as compare_methods
    from ..inspection.compare import METHODS
    from .io.files import check_input, check_output, check_outputs, opened
    from .prepare import prepare, read

    check_input(file, given)
    check_outputs(file, given.output, force=given.force)
    check_output(given.plot, _PICTURES, given.force, "--plot")
    names = [name.strip() for name in given.methods.split(",")] if given.methods else METHODS
    for name in names:
        find_method(name, "--methods")
    with errors_shown(), warnings_shown(), opened(file) as source:
        table = read(source, given)
        X = prepare(source[1], table, given, ctx.meta["arguments"]).features.X
        found = compare_methods(
            X,
            given.number,
            names,
            criterion=given.criterion,
            n_repeats=given.repeats,
            random_state=given.seed,
            n_jobs=given.jobs,
            verbose=1,
        )
        _write(found, given)
    _show(found, source[1], X.shape)
    for path in filter(None, (given.output, given.plot)):
        tell(f"Written: {path}")


def _write(found, given):
    from ..plots import comparison_figure
    from .io.files import write_outputs
    from .io.tables import Table

    def draw(path):
        comparison_figure(found.table, found.best).savefig(path, dpi=150)

    table = Table(found.table, list(found.table))
    write_outputs([(given.plot, draw), (given.output, table)])


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
