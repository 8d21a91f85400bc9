"""``graphsieve methods``: the methods and their parameters."""

import ast
import inspect
from dataclasses import dataclass

from .console import out, tell, tell_table, usage_error
from .options import Given, command, option


@dataclass(frozen=True)
class _Explaining(Given):
    name: str | None = option("NAME", "Explain this method in full.")


@command("graphsieve methods", "graphsieve methods gafs")
def methods(given: _Explaining):
    """List the methods, or describe one of them with its parameters."""
    from ..methods import REGISTRY

    if given.name is not None:
        out.print(inspect.getdoc(find_method(given.name, "NAME")), markup=False, soft_wrap=True)
        return
    known = sorted(REGISTRY.items())
    summaries = [(inspect.getdoc(cls) or "").partition("\n\n")[0] for _, cls in known]
    cells = {"method": [name for name, _ in known], "class": [cls.__name__ for _, cls in known]}
    cells["what it does"] = [" ".join(summary.split()) for summary in summaries]
    tell_table(cells, left=list(cells))
    tell("A method in full, with its parameters: graphsieve methods NAME")


def find_method(name, hint):
    """Return the class of a method, or raise a usage error that suggests a name."""
    from .._utils.names import suggestion
    from ..methods import REGISTRY

    if name not in REGISTRY:
        hints = f"{suggestion(name, REGISTRY)}; the methods are {', '.join(sorted(REGISTRY))}"
        raise usage_error(f"there is no method {name!r}{hints}", hint)
    return REGISTRY[name]


def make_method(given):
    """Return the method that the options ask for, with its parameters, all of them checked."""
    from .._utils.names import suggestion

    cls = find_method(given.method, "--method")
    # Others have an option of their own, or no meaning outside Python.
    elsewhere = {"n_features_to_select", "verbose", "callback"}
    known = [name for name in inspect.signature(cls).parameters if name not in elsewhere]
    defaults = {"random_state": given.seed, "n_jobs": given.jobs}
    chosen = {name: value for name, value in defaults.items() if name in known}
    for setting in given.parameters or []:
        name, equals, text = setting.partition("=")
        if not equals:
            raise usage_error(f"{setting!r} is not NAME=VALUE", "--set")
        if name == "n_features_to_select":
            raise usage_error(f"{name} has an option of its own, -k", "--set")
        if name not in known:
            hints = f"{suggestion(name, known)}; it has {', '.join(known)}"
            raise usage_error(f"{given.method} has no parameter {name!r} to set{hints}", "--set")
        try:
            chosen[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            chosen[name] = text
    return checked(cls(given.number, **chosen), "--set")


def checked(estimator, option):
    """The estimator, whose parameters a fit would check only after the data are read."""
    try:
        estimator._validate_params()
    except ValueError as error:
        raise usage_error(str(error), option) from error
    return estimator
