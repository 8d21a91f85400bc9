"""Colours, markers and frames that all pictures share."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
MUTED = "#8A8A8A"


def new_panel(width, height):
    """A figure of this size in inches, made without pyplot, and its only panel."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def finish_panel(panel, title=None, *, grid="y"):
    """Remove the frame at the top and on the right, draw a faint grid, set the title."""
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis=grid, color="#E5E5E5", linewidth=0.6)
    set_title(panel, title)


def set_title(panel, title):
    """Set the title of a panel, if it has one."""
    panel.set_title(title or "", fontsize=11, fontweight="bold", loc="left")
