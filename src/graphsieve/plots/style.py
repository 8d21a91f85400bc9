"""Colours, markers and frames that all pictures share."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
MUTED = "#8A8A8A"


def finish_panel(panel, title):
    """Remove the frame at the top and on the right, draw a faint grid, set the title."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", color="#E5E5E5", linewidth=0.6)
    if title:
        panel.set_title(title, fontsize=11, fontweight="bold", loc="left")
