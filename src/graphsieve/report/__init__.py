"""The page about one selection."""

from .page import Reporter, SelectionReport, make_report, write_report

__all__ = ["Reporter", "SelectionReport", "make_report", "write_report"]
