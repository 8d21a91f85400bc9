"""``graphsieve data``: which data sets there are by name, and where their files are."""

from typing import Annotated

import typer

from .console import errors_shown, examples, out, say

EPILOG = examples(
    "graphsieve data list",
    "graphsieve data fetch yale isolet",
    'graphsieve select "$(graphsieve data path yale)" -k 10%',
    note="Downloads go to the user's cache, unless the folder that GRAPHSIEVE_DATA names has the "
    "files already.",
)
app = typer.Typer(
    no_args_is_help=True,
    help="List, download and find the data sets of the GAFS paper.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("list", epilog=EPILOG)
def show():
    """List the data sets, and where they are."""
    from ..datasets import DATASETS

    for name, entry in DATASETS.items():
        samples = "as many as images" if entry.n_samples is None else f"{entry.n_samples:,}"
        sizes = f"{samples} x {entry.n_features:,}, {entry.n_classes} classes"
        out.print(f"[bold cyan]{name}[/]  {entry.title}", soft_wrap=True)
        out.print(f"    {sizes}, {_where(entry)}", style="dim")


def _where(entry):
    from ..datasets import find

    if entry.scikit_learn:
        return "in scikit-learn"
    if find(entry.name) is not None:
        return "here"
    return "to download" if entry.url else "to be made from images"


@app.command(epilog=EPILOG)
def fetch(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Data sets, or all that can be downloaded: all."),
    ],
):
    """Download data sets that are not here yet, check the files, and print their paths."""
    from ..datasets import DATASETS
    from ..datasets import fetch as fetch_file

    if names == ["all"]:
        names = [name for name, entry in DATASETS.items() if entry.url]
    failed = False
    for name in names:
        try:
            with errors_shown():
                out.print(str(fetch_file(name)), markup=False, soft_wrap=True)
        except typer.Exit as end:
            if end.exit_code != 1:
                raise
            failed = True  # the others may well be there
    if failed:
        raise typer.Exit(1)


@app.command(epilog=EPILOG)
def path(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A data set.")],
):
    """Print where the file of a data set is; nothing is downloaded."""
    from ..datasets import find
    from ..datasets.registry import lookup

    with errors_shown():
        entry = lookup(name)
        found = find(name)
    if found is None and entry.scikit_learn:
        say("Error", f"{name} ships with scikit-learn and has no file of its own", "bold red")
        raise typer.Exit(1)
    if found is None:
        say("Error", f"{name} is not here. graphsieve data fetch {name}", "bold red")
        raise typer.Exit(1)
    out.print(str(found), markup=False, soft_wrap=True)
