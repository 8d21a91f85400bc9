"""The page about one selection."""

from .page import SelectionReport, make_report
from .page import reporter as reporter

__all__ = ["SelectionReport", "make_report"]
