"""The ``graphsieve`` command and its subcommands."""

from importlib.metadata import version
from typing import Annotated

import typer

from .apply import apply, report
from .compare import compare
from .console import Group, examples
from .demo import demo
from .methods import methods
from .select import drop, select

app = typer.Typer(
    name="graphsieve",
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples("graphsieve demo", "graphsieve select data.csv -k 50 -o selected.csv"),
)
for command in (select, drop, compare, report, apply, methods, demo):
    app.command(epilog=command.epilog)(command)


def _show_version(wanted: bool):
    if wanted:
        typer.echo(f"graphsieve {version('graphsieve')}")
        raise typer.Exit


_VERSION = typer.Option("--version", callback=_show_version, is_eager=True, help="Show version.")


@app.callback()
def graphsieve(version: Annotated[bool, _VERSION] = False):
    """Unsupervised feature selection for wide, unlabelled tables."""
