"""The experiments of the GAFS paper and others: data, protocol, runner, claims and their report."""

from .runner import run
from .spec import Experiment, experiment_names, load_experiment, read_experiment
from .store import Store, read_tables

__all__ = [
    "Experiment",
    "Store",
    "experiment_names",
    "load_experiment",
    "read_experiment",
    "read_tables",
    "run",
]
