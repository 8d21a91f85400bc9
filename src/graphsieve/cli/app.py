"""The ``graphsieve`` command and its subcommands."""

from importlib import import_module
from typing import Annotated

import typer

from .console import Group, examples

# The module of every command, which is loaded when the command is looked up.
_MODULES = {
    "select": "select",
    "compare": "compare",
    "apply": "apply",
    "report": "apply",
    "methods": "methods",
    "demo": "demo",
}


class Commands(Group):
    """The commands, whose modules are loaded when they are needed."""

    def parse_args(self, ctx, args):
        """Parse the options of the group; from here on it knows its commands by name."""
        self.commands = dict.fromkeys(_MODULES) | self.commands
        return super().parse_args(ctx, args)

    def get_command(self, ctx, cmd_name):
        """The command of a name, or None."""
        if cmd_name in _MODULES and self.commands[cmd_name] is None:
            found = typer.main.get_command(import_module(f".{_MODULES[cmd_name]}", __package__).app)
            # A module may have several commands, or one with commands of its own.
            command = getattr(found, "commands", {}).get(cmd_name, found)
            command.name = cmd_name
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)


app = typer.Typer(
    name="graphsieve",
    cls=Commands,
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
