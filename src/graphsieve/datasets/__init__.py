"""Data sets by name: the paper's ten, those of scikit-learn, and a synthetic one."""

from .planted import Planted, make_planted

__all__ = ["Planted", "make_planted"]
