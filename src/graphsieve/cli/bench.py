"""``graphsieve bench``: run the paper's experiments and report on them."""

from contextlib import ExitStack, contextmanager, nullcontext
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import typer

from .._utils.progress import open_progress
from .console import errors_shown, examples, install_hint, say, tell

app = typer.Typer(
    no_args_is_help=True,
    help="Run the experiments of the GAFS paper and draw its figures.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
RUN_EPILOG = examples(
    "graphsieve bench run comparison",
    "graphsieve bench run comparison --profile medium --jobs 2 --out results",
    "graphsieve bench run all --profile medium",
    note="To resume a run that was stopped, give the same command again.",
)
REPORT_EPILOG = examples(
    "graphsieve bench report results -o report.html",
    "graphsieve bench report results -o claims.md",
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
    backend: Annotated[
        Literal["loky", "dask"], typer.Option(help="Local processes (loky) or Dask workers.")
    ] = "loky",
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Dask scheduler; by default, a local cluster."),
    ] = None,
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
        from ..paper import experiment_names, load_experiment
        from ..paper import run as run_experiment

        names = experiment_names() if names == ["all"] else names
        experiments = [load_experiment(name) for name in names]
        succeeded = True
        with _dask_client(scheduler, jobs) if backend == "dask" else nullcontext():
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
                        backend=backend,
                        retry=retry,
                        outdated=outdated,
                        only_stored=stored,
                        progress=progress,
                    )
                succeeded &= _show(folder / f"{experiment.name}.parquet", table)
    if not succeeded:
        raise typer.Exit(1)


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
    from .io.files import check_output

    check_output(output, (".html", ".md"), force, "-o")
    with errors_shown():
        from ..paper import read_tables

        try:
            from ..paper.report import write_claims, write_report
        except ModuleNotFoundError as error:
            if error.name not in ("jinja2", "markupsafe"):
                raise
            hint = install_hint("report")
            raise ValueError(f"bench report needs Jinja2. Run: {hint}") from error
        tables = read_tables(folder)
        if output.suffix == ".md":
            write_claims(tables, output)
            tell(f"Written: {output}")
            return
        figures = figures or output.with_name(f"{output.stem}-figures")
        write_report(tables, output, figures)
    tell(f"Written: {output}, {figures}")


@contextmanager
def _dask_client(scheduler, jobs):
    from joblib import effective_n_jobs

    try:
        from dask.distributed import Client
    except ModuleNotFoundError as error:
        raise ValueError(f"--backend dask needs Dask. Run: {install_hint('dask')}") from error
    if scheduler is not None:
        with Client(scheduler) as client:
            yield client
        return
    local = {"n_workers": effective_n_jobs(jobs), "threads_per_worker": 1}
    with Client(**local, dashboard_address=None) as client:
        yield client


@contextmanager
def _progress(name):
    """Yield a callback for the runner, which says the number of cells in its first call."""
    with ExitStack() as stack:
        display = None

        def update(done, total, failed, cell, seconds):
            nonlocal display
            if display is None:
                display = stack.enter_context(open_progress(name, total, time_left=False))
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
