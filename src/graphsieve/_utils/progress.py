"""The progress bar, as a callback of the solver."""

from contextlib import contextmanager


@contextmanager
def progress_bar(title, max_iter, verbose):
    """A callback(iteration, objective) that draws iteration, objective and time left, or None."""
    if not verbose:
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("objective {task.fields[objective]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as bar:
        task = bar.add_task(title, total=max_iter, objective="...")

        def show(iteration, objective):
            bar.update(task, completed=iteration, objective=f"{objective:.6g}")

        yield show
