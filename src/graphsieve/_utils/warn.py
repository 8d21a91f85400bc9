"""Warnings that point at the user's line."""

import sys
import warnings

# Frames of these packages stand between the user's call and the place that warns.
_INTERNAL = ("graphsieve", "sklearn", "joblib", "concurrent", "threading", "contextlib")


def warn(message, category=UserWarning):
    """Issue a warning that is attributed to the caller of graphsieve.

    The message says what happened, what it means for the result, and what to do.
    """
    warnings.warn(message, category, stacklevel=_user_level())


def _user_level():
    """Stack level, seen from ``warn``, of the first frame outside the packages above."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _package(frame) in _INTERNAL:
        level, frame = level + 1, frame.f_back
    return level


def _package(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0]
