"""The ``graphsieve`` command and its subcommands."""

from typing import Annotated

import typer

from . import apply, compare, demo, methods, select
from .console import Group, examples
from .load import Command

app = typer.Typer(
    name="graphsieve",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "graphsieve demo",
        "graphsieve select data.csv -k 50 -o selected.csv",
        "graphsieve select --help",
    ),
)

app.command(epilog=select.EPILOG, cls=Command)(select.select)
app.command(epilog=compare.EPILOG, cls=Command)(compare.compare)
app.command(epilog=apply.APPLY_EPILOG)(apply.apply)
app.command(epilog=apply.REPORT_EPILOG)(apply.report)
app.command(epilog=methods.EPILOG)(methods.methods)
app.command(epilog=demo.EPILOG)(demo.demo)


def _show_version(wanted: bool):
    if wanted:
        from importlib.metadata import version

        typer.echo(f"graphsieve {version('graphsieve')}")
        raise typer.Exit


@app.callback()
def graphsieve(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
):
    """Unsupervised feature selection for wide, unlabelled tables."""
