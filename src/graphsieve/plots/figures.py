"""Figures from arrays and tables."""

import numpy as np

from .._utils.text import printable
from ..inspection.decision import TITLES
from ..inspection.halves import CRITERIA
from .style import COLORS, MUTED, finish_panel, set_title


def pixel_mask_figure(image, masks, *, captions=None, n_columns=4):
    """Draw selected pixels over a faint image, one panel per method.

    Parameters
    ----------
    image : array of shape (height, width)
        Background, for instance the mean image; drawn in grey.
    masks : dict of str to bool array of shape (height, width) or (height * width,)
        Selected pixels, by the name of the method.
    captions : dict of str to str, optional
        A line under the panels, by the name of the method.
    n_columns : int, default=4
        Panels in a row.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    from matplotlib.figure import Figure

    image = np.asarray(image)
    captions = captions or {}
    n_columns = min(n_columns, len(masks))
    n_rows = -(-len(masks) // n_columns)
    figure = Figure(figsize=(2.2 * n_columns, 2.6 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel, (name, mask) in zip(panels, masks.items(), strict=False):
        draw_mask(panel, image, np.reshape(mask, image.shape))
        set_title(panel, name)
        panel.set_xlabel(captions.get(name, ""), fontsize=9, loc="left")
    for panel in panels[len(masks) :]:
        panel.remove()
    return figure


def draw_mask(panel, image, mask):
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    # The darkest grey stays light, so that the selected pixels stand out.
    panel.imshow(image, cmap="Greys", vmin=image.min(), vmax=2.2 * image.max() - image.min())
    squares = [Rectangle((x - 0.42, y - 0.42), 0.84, 0.84) for y, x in np.argwhere(mask)]
    panel.add_collection(PatchCollection(squares, facecolor=COLORS[0], edgecolor="none"))
    panel.set_xticks([])
    panel.set_yticks([])


def comparison_figure(table, best):
    """Draw the criteria of several candidates, one panel per criterion.

    Parameters
    ----------
    table : pandas.DataFrame
        The table of a ``graphsieve.inspection.Comparison``; its order is that of the rows.
    best : str
        Candidate that is highlighted.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.
    """
    from matplotlib.figure import Figure

    places = np.arange(len(table))
    is_best = (table["candidate"] == best).to_numpy()
    height = 1.4 + 0.3 * len(table)
    figure = Figure(figsize=(2.4 * len(CRITERIA) + 1, height), layout="constrained")
    panels = figure.subplots(1, len(CRITERIA), sharey=True)
    for panel, (name, higher_is_better) in zip(panels, CRITERIA.items(), strict=True):
        for chosen, color, marker in ((~is_best, MUTED, "o"), (is_best, COLORS[0], "D")):
            panel.plot(table[name][chosen], places[chosen], marker, color=color)
        panel.set_xlabel("higher is better" if higher_is_better else "lower is better")
        finish_panel(panel, TITLES[name], grid="x")
    panels[0].set_yticks(places, [printable(name) for name in table["candidate"]])
    for label in panels[0].get_yticklabels():
        label.set_parse_math(False)
    panels[0].set_ylim(len(table) - 0.5, -0.5)
    panels[0].set_ylabel("best first")
    return figure
