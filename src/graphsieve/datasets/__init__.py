"""Data sets by name: those of the GAFS paper and others, and a synthetic one."""

from .extract import extract_features
from .files import cache_folder, fetch, find
from .loaders import Dataset, load
from .planted import Planted, make_planted
from .registry import DATASETS, Entry

__all__ = [
    "DATASETS",
    "Dataset",
    "Entry",
    "Planted",
    "cache_folder",
    "extract_features",
    "fetch",
    "find",
    "load",
    "make_planted",
]
