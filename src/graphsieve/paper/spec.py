"""An experiment as data: TOML -> frozen dataclasses, every key and every name checked."""

import inspect
import tomllib
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from itertools import product

from ..evaluation import SHARES
from ..methods import REGISTRY

MEASURES = ("shares", "trace", "order", "cost")
PROFILES = ("quick", "medium", "full")


@dataclass(frozen=True)
class Protocol:
    """How a ranking is scored; the meaning of the fields is that of ``evaluation.evaluate``."""

    shares: tuple[float, ...] = SHARES
    metrics: tuple[str, ...] = ("accuracy", "clustering")
    scale: str | None = "minmax"
    cluster_on: str = "test"
    n_repeats: int = 20
    # Test rows of every class, where the paper's split has more.
    max_test_per_class: int | None = None


@dataclass(frozen=True)
class Method:
    """A method under a label of its own: one fixed setting, and a grid around it."""

    label: str
    method: str
    fixed: dict = field(default_factory=dict)
    grid: dict = field(default_factory=dict)

    def settings(self):
        """The fixed setting, then the others of the grid; parameters by name."""
        combinations = product(*self.grid.values())
        grid = [self.fixed | dict(zip(self.grid, values, strict=True)) for values in combinations]
        return [self.fixed, *(setting for setting in grid if setting != self.fixed)]


@dataclass(frozen=True)
class Profile:
    """How much of an experiment is run."""

    datasets: tuple[str, ...]
    n_splits: int = 1
    # Labels; empty: all.
    methods: tuple[str, ...] = ()
    # Replaces fields of the protocol.
    protocol: dict = field(default_factory=dict)
    # By label: replaces parameters of the grid. An empty grid leaves the fixed setting.
    grids: dict = field(default_factory=dict)
    # By label: the method is left out where the data are wider.
    max_features: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """What is fitted, on what, and what is written down of it."""

    name: str
    title: str
    measure: str
    methods: tuple[Method, ...]
    profiles: dict
    protocol: Protocol = Protocol()
    # Where the paper is silent: what was chosen.
    choices: tuple[str, ...] = ()

    def profile(self, name):
        """The experiment as a profile runs it, and the profile."""
        profile = self.profiles[_known("profile", name, self.profiles)]
        labels = profile.methods or [method.label for method in self.methods]
        methods = [
            replace(method, grid=_narrowed(method.grid, profile.grids.get(method.label)))
            for method in self.methods
            if method.label in labels
        ]
        protocol = replace(self.protocol, **profile.protocol)
        return replace(self, methods=tuple(methods), protocol=protocol), profile


def experiment_names():
    """Names of the experiments that come with graphsieve."""
    folder = files(__package__).joinpath("experiments")
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir())


def load_experiment(name):
    """The experiment of this name."""
    _known("experiment", name, experiment_names())
    path = files(__package__).joinpath("experiments", f"{name}.toml")
    return read_experiment(path.read_text("utf-8"), name)


def read_experiment(text, name):
    """An Experiment from TOML; an unknown key or name is an error that says what is known."""
    content = tomllib.loads(text)
    methods = content.pop("methods", {})
    if methods == "all":
        methods = {label: {} for label in REGISTRY}
    profiles = content.pop("profiles", {})
    protocol = content.pop("protocol", {})
    experiment = _build(
        Experiment,
        f"experiment {name}",
        content
        | {
            "name": name,
            "protocol": _build(Protocol, f"protocol of {name}", protocol),
            "methods": tuple(_method(label, table) for label, table in methods.items()),
            "profiles": {
                _known("profile", key, PROFILES): _build(Profile, f"profile {key} of {name}", table)
                for key, table in profiles.items()
            },
        },
    )
    _known("measure", experiment.measure, MEASURES)
    for profile in experiment.profiles.values():
        _check_profile(experiment, profile)
    return experiment


def _method(label, table):
    table = {"label": label, "method": label} | table
    method = _build(Method, f"method {label}", table)
    cls = REGISTRY[_known("method", method.method, REGISTRY)]
    parameters = inspect.signature(cls).parameters
    for name in (*method.fixed, *method.grid):
        _known(f"parameter of {label}", name, parameters)
    return method


def _check_profile(experiment, profile):
    grids = {method.label: method.grid for method in experiment.methods}
    for label in (*profile.methods, *profile.grids, *profile.max_features):
        _known("method", label, grids)
    for label, grid in profile.grids.items():
        for name in grid:
            _known(f"parameter in the grid of {label}", name, grids[label])
    for name in profile.protocol:
        _known("key of the protocol", name, [f.name for f in fields(Protocol)])


def _build(cls, what, table):
    """A frozen dataclass from a table of TOML, whose lists become tuples."""
    known = [f.name for f in fields(cls)]
    for key in table:
        _known(f"key of {what}", key, known)
    return cls(**{key: tuple(v) if isinstance(v, list) else v for key, v in table.items()})


def _known(what, name, known):
    if name not in known:
        raise ValueError(f"there is no {what} called {name!r}: use one of {', '.join(known)}")
    return name


def _narrowed(grid, replacement):
    """The grid with some parameters replaced, or none at all."""
    if replacement is None:
        return grid
    return grid | replacement if replacement else {}
