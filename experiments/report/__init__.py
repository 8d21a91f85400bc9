"""The page about the paper's experiments: tables to a summary dict to HTML; claims as Markdown."""

from .markdown import write_claims
from .page import write_report

__all__ = ["write_claims", "write_report"]
