"""Figures of a selection: each function takes arrays and returns a matplotlib Figure.

Figures are made without pyplot: nothing is shown, kept open or changed globally. The colours are
those of Okabe and Ito, which can be distinguished with colour-blindness; lines differ in their
markers as well.
"""

from .displays import BarsDisplay, CoverageDisplay, CurveDisplay, GainsDisplay, MaskDisplay
from .figures import comparison_figure, pixel_mask_figure
from .selection import SelectionPlots
from .style import COLORS, MARKERS, MUTED, finish_panel, new_panel, set_title

__all__ = [
    "COLORS",
    "MARKERS",
    "MUTED",
    "BarsDisplay",
    "CoverageDisplay",
    "CurveDisplay",
    "GainsDisplay",
    "MaskDisplay",
    "SelectionPlots",
    "comparison_figure",
    "finish_panel",
    "new_panel",
    "pixel_mask_figure",
    "set_title",
]
