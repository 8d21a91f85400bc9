"""``graphsieve methods``: what there is to choose from, and what each method can be told."""

import inspect
from difflib import get_close_matches
from typing import Annotated

import typer

from .console import examples, out

EPILOG = examples(
    "graphsieve methods",
    "graphsieve methods gafs",
    "graphsieve select data.csv -k 50 --method gafs --set n_hidden=20",
)


def methods(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Explain this method in full.", show_default=False),
    ] = None,
):
    """List the methods with their parameters, or explain one of them."""
    from ..methods import REGISTRY

    if name is not None:
        out.print(inspect.getdoc(find_method(name, "NAME")), markup=False, soft_wrap=True)
        return
    for known, cls in sorted(REGISTRY.items()):
        out.print(_entry(known, cls))


def find_method(name, hint):
    """Class of a method; a usage error that suggests a name if there is none."""
    from ..methods import REGISTRY

    if name not in REGISTRY:
        raise typer.BadParameter(
            f"there is no method {name!r}{suggestion(name, REGISTRY)}; "
            f"the methods are {', '.join(sorted(REGISTRY))}",
            param_hint=hint,
        )
    return REGISTRY[name]


def suggestion(name, known):
    """Known names that are close to ``name``, as a question in brackets, or nothing."""
    close = get_close_matches(name, known, cutoff=0.5)
    return f" (did you mean {' or '.join(close)}?)" if close else ""


def settable(cls):
    """Parameters that --set takes, with their defaults, in the order of the signature."""
    # The others have an option of their own, or no meaning outside Python.
    elsewhere = {"n_features_to_select", "verbose", "callback"}
    signature = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in signature if p.name not in elsewhere}


def _entry(name, cls):
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    title = Text.assemble((name, "bold cyan"), f"  {cls.__name__}")
    summary = inspect.getdoc(cls).partition("\n\n")[0].replace("\n", " ")
    parameters = ", ".join(f"{key}={value!r}" for key, value in settable(cls).items())
    lines = [Text(summary), Text(parameters, style="dim")] if parameters else [Text(summary)]
    return Group(title, *(Padding(line, (0, 0, 0, 4), expand=False) for line in lines), "")
