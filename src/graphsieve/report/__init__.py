"""The page about one selection."""

from .page import SelectionReport, make_report

__all__ = ["SelectionReport", "make_report"]
