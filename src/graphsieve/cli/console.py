"""What the commands say and where: results on stdout, everything about the run on stderr."""

import re
import time
import warnings
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from .._utils.text import printable

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)

# Seconds between two lines about progress where there is no terminal.
_LINE_SECONDS = 20
# Characters in a row of a table where no terminal shows it.
_UNWRAPPED = 100_000
_FOR_PROGRAMMERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning)


def examples(*lines, note=""):
    """Return text for the end of a command's help: example calls, one to a line, and a note."""
    # Typer keeps line breaks only in a paragraph that begins with a backspace.
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines), "", note])


def tell(text):
    """Print one line of the result on stdout. Never wrapped, so that it can be searched."""
    out.print(printable(text), markup=False, soft_wrap=True)


def note(text):
    """Print one line about the run on stderr."""
    err.print(printable(text), markup=False, soft_wrap=True)


def say(label, message, style):
    """Print one line with a label on stderr."""
    err.print(f"[{style}]{label}:[/{style}]", end=" ")
    note(message)


class TableError(ValueError):
    """An unusable table, with a message for the user."""


class UsageError(Exception):
    """A wrong command, which exits with code 2."""


def usage_error(message, option):
    """Return the error for a wrong value of an option or argument."""
    return UsageError(f"{option}: {message}")


class Group(TyperGroup):
    """Commands that say in one line what is wrong with their options."""

    def resolve_command(self, ctx, args):
        """Remember the words typed, to suggest the same command with one more."""
        ctx.meta["arguments"] = args
        return super().resolve_command(ctx, args)

    def invoke(self, ctx):
        """Run a command; whatever is wrong with the words typed is one line and exit code 2."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            message = error
        except typer.BadParameter.__base__ as error:  # Typer may bring a Click of its own
            if type(error).__name__ == "NoArgsIsHelpError":
                raise
            message = error.format_message()
            stop = "" if message.endswith(("?", ".")) else "."
            message += f"{stop} Run: {(error.ctx or ctx).command_path} -h"
        say("Error", message, "bold red")
        raise typer.Exit(2)


def tell_table(cells, left=(), bold=None):
    """Print a table of named columns, some of them ``left``-aligned; only a terminal wraps it."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in cells:
        table.add_column(name, justify="left" if name in left else "right")
    for number, row in enumerate(zip(*cells.values(), strict=False)):
        style = "bold" if number == bold else None
        table.add_row(*(Text(printable(cell)) for cell in row), style=style)
    console = out if out.is_terminal else Console(file=out.file, width=_UNWRAPPED)
    console.print(table)


@contextmanager
def errors_shown(*, interrupted="nothing was written"):
    """Errors of the data or the run become one line and exit code 1; defects have a traceback."""
    try:
        yield
    except (ValueError, OSError, MemoryError) as error:
        why = "not enough memory. " if isinstance(error, MemoryError) else ""
        say("Error", f"{why}{error}".replace("\n", " ").strip(), "bold red")
        raise typer.Exit(1) from error
    except KeyboardInterrupt as error:
        say("Interrupted", interrupted, "bold red")
        raise typer.Exit(130) from error


@contextmanager
def warnings_shown():
    """Warnings for the user become one line each on stderr at once, those for programmers nothing.

    Of several that differ only in their numbers, the first is shown.
    """
    seen = set()

    def show(message, *_):
        alike = re.sub(r"[\d.]+(e[+-]?\d+)?", "#", str(message))
        if alike not in seen:
            say("Warning", message, "bold yellow")
        seen.add(alike)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        for category in _FOR_PROGRAMMERS:
            warnings.simplefilter("ignore", category)
        warnings.showwarning = show
        yield


@contextmanager
def messages_shown():
    """Errors and warnings become lines on stderr."""
    with errors_shown(), warnings_shown():
        yield


@contextmanager
def progress(doing):
    """Say what is being done; yields a function that takes the latest state."""
    if err.is_terminal:
        with err.status(Text(printable(doing))) as status:
            yield lambda state: status.update(Text(printable(f"{doing}: {state}")))
        return
    shown = time.monotonic()

    def update(state):
        nonlocal shown
        if time.monotonic() - shown >= _LINE_SECONDS:
            shown = time.monotonic()
            note(f"{doing}: {state}")

    yield update
