"""The page about one selection."""

from .page import Reporter, SelectionReport, make_report

__all__ = ["Reporter", "SelectionReport", "make_report"]
