"""``graphsieve methods``: the methods and their parameters."""

import inspect
from typing import Annotated

import typer

from .console import examples, out, usage_error

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
    """Return the class of a method, or raise a usage error that suggests a name."""
    from .._utils.names import suggestion
    from ..methods import REGISTRY

    if name not in REGISTRY:
        raise usage_error(
            f"there is no method {name!r}{suggestion(name, REGISTRY)}; "
            f"the methods are {', '.join(sorted(REGISTRY))}",
            hint,
        )
    return REGISTRY[name]


def settable(cls):
    """Return the parameters that --set takes, with their defaults, in order."""
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
