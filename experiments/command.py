"""The commands: run experiments, report on them, and get their data."""

from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import typer

from graphsieve._utils.messages import Progress
from graphsieve.cli.console import (
    Group,
    errors_shown,
    examples,
    note,
    out,
    say,
    tell,
    usage_error,
)

NAME = "python -m experiments"
_HELP = {"help_option_names": ["-h", "--help"]}
app = typer.Typer(
    cls=Group,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="The experiments of the GAFS paper: run them, check its claims, get the data sets.",
    epilog=examples(
        f"{NAME} data fetch yale isolet",
        f"{NAME} run comparison",
        f"{NAME} report bench -o report.html",
    ),
    no_args_is_help=True,
    context_settings=_HELP,
)
data = typer.Typer(
    help="List, download and find the data sets.",
    epilog=examples(
        f"{NAME} data list",
        f"{NAME} data fetch yale isolet",
        f'graphsieve select "$({NAME} data path yale)" -k 10%',
        note="Files are looked up in the folder GRAPHSIEVE_DATA first, then downloaded to the "
        "user's cache.",
    ),
    no_args_is_help=True,
    context_settings=_HELP,
)
app.add_typer(data, name="data")

RUN_EPILOG = examples(
    f"{NAME} run comparison",
    f"{NAME} run comparison --profile medium --jobs 2 --out results",
    f"{NAME} run all --profile medium",
    note="To resume a run that was stopped, give the same command again.",
)
REPORT_EPILOG = examples(
    f"{NAME} report results -o report.html",
    f"{NAME} report results -o claims.md",
    note="The figures are also written as PNG and SVG files, into a folder next to the page.",
)


@app.command(epilog=RUN_EPILOG)
def run(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Experiments, or all.")],
    profile: Annotated[
        Literal["quick", "medium", "full"], typer.Option(help="Size of the experiment.")
    ] = "quick",
    datasets: Annotated[
        str | None, typer.Option(metavar="A,B", help="Data sets, instead of those of the profile.")
    ] = None,
    methods: Annotated[
        str | None, typer.Option(metavar="A,B", help="Methods, instead of those of the profile.")
    ] = None,
    splits: Annotated[
        int | None, typer.Option(min=1, help="Number of splits, instead of that of the profile.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of parallel jobs; -1 for one per core.")] = -1,
    folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder for the results.")
    ] = Path("bench"),
    retry: Annotated[bool, typer.Option("--retry", help="Run failed cells again.")] = False,
    outdated: Annotated[
        bool, typer.Option("--outdated", help="Run cells of other commits again.")
    ] = False,
    stored: Annotated[
        bool, typer.Option("--stored", help="Write the table of what is complete; run nothing.")
    ] = False,
):
    """Run experiments; cells that are stored already are not run again."""
    resume = "finished cells are stored; give the same command to resume"
    with errors_shown(interrupted=resume):
        from .runner import run as run_experiment
        from .spec import experiment_names, load_experiment

        names = experiment_names() if names == ["all"] else names
        experiments = [load_experiment(name) for name in names]
        succeeded = True
        for experiment in experiments:
            with _progress(experiment.name) as progress:
                table = run_experiment(
                    experiment,
                    folder,
                    profile=profile,
                    datasets=datasets.split(",") if datasets else None,
                    methods=methods.split(",") if methods else None,
                    n_splits=splits,
                    n_jobs=jobs,
                    retry=retry,
                    outdated=outdated,
                    only_stored=stored,
                    progress=progress,
                )
            succeeded &= _show(folder / f"{experiment.name}.parquet", table)
    if not succeeded:
        raise typer.Exit(1)


@contextmanager
def _progress(name):
    """Yield a callback for the runner, which says the number of cells in its first call."""
    with ExitStack() as stack:
        display = None

        def update(done, total, failed, cell, seconds):
            nonlocal display
            if display is None:
                display = stack.enter_context(Progress(name, total, verbose=True))
            left = "estimating the time left"
            if seconds is not None:
                left = f"about {timedelta(seconds=round(seconds))} left"
            last = "" if cell is None else f", last {cell.dataset} {cell.method}"
            display.update(done, f"cells, {failed} failed, {left}{last}")

        yield update


def _show(path, table):
    """Say what was written and what failed; False if there is not one result."""
    failed = table[table["status"] == "failed"].drop_duplicates("key")
    for _, row in failed.head(5).iterrows():
        say("Failed", f"{row['dataset']}, {row['method']} {row['params']}: {row['error']}", "red")
    if len(failed) > 5:
        say("Failed", f"{len(failed) - 5} more cells; their errors are in the table", "red")
    for reason, cells in table[table["status"] == "skipped"].groupby("error"):
        names = ", ".join(sorted(set(cells["method"])))
        say("Skipped", f"{names}: {reason}", "yellow")
    tell(f"Written: {path} ({len(table)} rows)")
    if (table["status"] == "ok").any():
        return True
    say("Error", "no cell succeeded; --retry runs failed cells again", "bold red")
    return False


@app.command(epilog=REPORT_EPILOG)
def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with the results.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="Page to write.")
    ] = Path("report.html"),
    figures: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for the figures; by default, next to the page."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing page.")] = False,
):
    """Draw the figures and check the paper's claims, on one self-contained page.

    With -o FILE.md, write the claims, verdicts and numbers as Markdown, without figures.
    """
    if output.suffix not in (".html", ".md"):
        raise usage_error(f"{output} must end in .html or .md", "-o")
    if output.exists() and not force:
        raise usage_error(f"{output} exists; add --force to overwrite it", "-o")
    with errors_shown():
        from .report import write_claims, write_report
        from .store import read_tables

        tables = read_tables(folder)
        if output.suffix == ".md":
            write_claims(tables, output)
            tell(f"Written: {output}")
            return
        figures = figures or output.with_name(f"{output.stem}-figures")
        write_report(tables, output, figures)
    tell(f"Written: {output}, {figures}")


@data.command("list")
def list_data():
    """List the data sets and where they are."""
    from .sources import DATASETS

    for name, entry in DATASETS.items():
        samples = "one per image" if entry.n_samples is None else f"{entry.n_samples:,}"
        sizes = f"{samples} x {entry.n_features:,}, {entry.n_classes} classes"
        out.print(f"[bold cyan]{name}[/]  {entry.title}", soft_wrap=True)
        out.print(f"    {sizes}, {_where(entry)}", style="dim")


def _where(entry):
    from .sources import find

    if entry.scikit_learn:
        return "in scikit-learn"
    if find(entry.name) is not None:
        return "here"
    return "to download" if entry.url else "to be made from images"


@data.command()
def fetch(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Data sets, or all that can be downloaded."),
    ],
):
    """Download data sets that are missing, check the files, and print their paths."""
    from . import sources

    if names == ["all"]:
        names = [name for name, entry in sources.DATASETS.items() if entry.url]
    failed = False
    for name in names:
        try:
            with errors_shown():
                if sources.find(name) is None:
                    note(f"Downloading {name}")
                tell(sources.fetch(name))
        except typer.Exit as end:
            if end.exit_code != 1:
                raise
            failed = True  # The others may be available.
    if failed:
        raise typer.Exit(1)


@data.command()
def path(name: Annotated[str, typer.Argument(metavar="NAME", help="A data set.")]):
    """Print where the file of a data set is, without downloading it."""
    from .sources import find, lookup

    with errors_shown():
        if lookup(name).scikit_learn:
            raise ValueError(f"{name} ships with scikit-learn and has no file of its own")
        found = find(name)
        if found is None:
            raise ValueError(f"{name} has not been downloaded. Run: {NAME} data fetch {name}")
    tell(found)
