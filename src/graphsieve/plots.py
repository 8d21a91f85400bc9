"""Figures of a selection: each function takes arrays and returns a matplotlib Figure.

Figures are made without pyplot: nothing is shown, kept open or changed globally. The colours are
those of Okabe and Ito, which can be distinguished with colour-blindness; lines differ in their
markers as well.
"""

import numpy as np

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vPX"
MUTED = "#8A8A8A"


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
    n_columns : int, default 4
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
        _draw_mask(panel, image, np.reshape(mask, image.shape))
        panel.set_title(name, fontsize=11, fontweight="bold", loc="left")
        panel.set_xlabel(captions.get(name, ""), fontsize=9, loc="left")
    for panel in panels[len(masks) :]:
        panel.remove()
    return figure


def _draw_mask(panel, image, mask):
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    # The darkest grey stays light, so that the selected pixels stand out.
    panel.imshow(image, cmap="Greys", vmin=image.min(), vmax=2.2 * image.max() - image.min())
    squares = [Rectangle((x - 0.42, y - 0.42), 0.84, 0.84) for y, x in np.argwhere(mask)]
    panel.add_collection(PatchCollection(squares, facecolor=COLORS[0], edgecolor="none"))
    panel.set_xticks([])
    panel.set_yticks([])


def _finish(panel, title):
    panel.spines[["top", "right"]].set_visible(False)
    panel.grid(axis="y", color="#E5E5E5", linewidth=0.6)
    if title:
        panel.set_title(title, fontsize=11, fontweight="bold", loc="left")
