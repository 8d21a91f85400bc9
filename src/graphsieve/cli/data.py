"""``graphsieve data``: the data sets that are known by name, and where their files are."""

from typing import Annotated

import typer

from .console import errors_shown, examples, out, progress, tell

EPILOG = examples(
    "graphsieve data list",
    "graphsieve data fetch yale isolet",
    'graphsieve select "$(graphsieve data path yale)" -k 10%',
    note="Files are looked up in the folder GRAPHSIEVE_DATA first, then downloaded to the user's "
    "cache.",
)
app = typer.Typer(
    no_args_is_help=True,
    help="List, download and find the data sets of the GAFS paper.",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("list", epilog=EPILOG)
def show():
    """List the data sets and where they are."""
    from ..datasets import DATASETS

    for name, entry in DATASETS.items():
        samples = "one per image" if entry.n_samples is None else f"{entry.n_samples:,}"
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
        typer.Argument(metavar="NAME...", help="Data sets, or all that can be downloaded."),
    ],
):
    """Download data sets that are missing, check the files, and print their paths."""
    from ..datasets import DATASETS
    from ..datasets import fetch as fetch_file

    if names == ["all"]:
        names = [name for name, entry in DATASETS.items() if entry.url]
    failed = False
    for name in names:
        try:
            with errors_shown(), progress(f"Downloading {name}"):
                path = fetch_file(name)
            tell(path)
        except typer.Exit as end:
            if end.exit_code != 1:
                raise
            failed = True  # The others may be available.
    if failed:
        raise typer.Exit(1)


@app.command(epilog=EPILOG)
def path(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A data set.")],
):
    """Print where the file of a data set is, without downloading it."""
    from ..datasets import find
    from ..datasets.registry import lookup

    with errors_shown():
        if lookup(name).scikit_learn:
            raise ValueError(f"{name} ships with scikit-learn and has no file of its own")
        found = find(name)
        if found is None:
            raise ValueError(f"{name} has not been downloaded. Run: graphsieve data fetch {name}")
    tell(found)
