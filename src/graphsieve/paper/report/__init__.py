"""The results as one self-contained page."""

from .page import write_report

__all__ = ["write_report"]
