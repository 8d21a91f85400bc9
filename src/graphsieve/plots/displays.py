"""Displays: what ``sel.plot`` draws, with the values that are shown."""

import numpy as np

from .._utils.text import printable
from .figures import draw_mask
from .style import COLORS, MUTED, finish_panel

# Up to this many features a linear axis shows every one.
_LINEAR = 30


class _Display:
    """A plot whose axes are ``ax_`` and whose figure is ``figure_``."""

    def plot(self, ax=None):
        """Draw into the matplotlib axes ``ax``, or into a new figure; returns the display."""
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        return self


class CurveDisplay(_Display):
    """Explained fraction against the number of features, compared with simple rankings.

    Parameters
    ----------
    n_kept : array of int
        Numbers of features.
    curves : dict
        As ``graphsieve.inspection.explained_curves`` returns it for one kind of weights.
    n_selected : int
        Number of selected features, which is marked.
    name : str
        Name of the method.
    """

    def __init__(self, n_kept, curves, n_selected, name):
        self.n_kept, self.curves, self.n_selected, self.name = n_kept, curves, n_selected, name

    def _draw(self, ax):
        from matplotlib.ticker import LogLocator

        k, curves = self.n_kept, self.curves
        ax.fill_between(
            k, curves["random_low"], curves["random_high"], color=MUTED, alpha=0.25, lw=0
        )
        ax.plot(k, curves["random_mid"], color=MUTED, ls="--", label="random (mean and range)")
        ax.plot(k, curves["by_variance"], color=COLORS[1], ls=(0, (6, 2)), label="by variance")
        ax.plot(k, curves["alone"], color=COLORS[2], ls=":", label="unrelated columns")
        ax.plot(k, curves["this"], color=COLORS[0], lw=2.2, label=self.name)
        at = np.interp(self.n_selected, k, curves["this"])
        ax.plot(self.n_selected, at, "o", color=COLORS[0], label=f"{self.n_selected} selected")
        if k[-1] > _LINEAR:
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.xaxis.set_minor_formatter("")
        ax.set(xlabel="number of features", ylabel="explained fraction", ylim=(0, 1.02))
        ax.legend(frameon=False, fontsize=9)
        finish_panel(ax)


class GainsDisplay(_Display):
    """What every feature adds to those before it, compared with shuffled columns.

    Parameters
    ----------
    gain_curve : object
        Attribute ``gain_curve_`` of a selector.
    name : str
        Name of the method.
    """

    def __init__(self, gain_curve, name):
        self.gain_curve, self.name = gain_curve, name

    def _draw(self, ax):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        found = self.gain_curve
        k = np.arange(1, len(found.gains) + 1)
        ax.fill_between(k, found.chance, color=MUTED, alpha=0.25, lw=0)
        ax.plot(k, found.chance, color=MUTED, ls="--", label="shuffled columns")
        ax.plot(k, found.gains, color=COLORS[0], lw=2.2, marker=".", label=self.name)
        kept = found.suggested
        number = f"{kept}" if found.is_complete else f"{kept} or more"
        ax.axvline(kept + 0.5, color=COLORS[1], lw=1, label=f"{number} above chance")
        ax.set(xlabel="feature, best first", ylabel="fraction of the variance that it adds")
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.3g}%"))
        ax.yaxis.set_minor_formatter(NullFormatter())
        ax.legend(frameon=False, fontsize=9)
        finish_panel(ax)


class BarsDisplay(_Display):
    """One bar per feature, the first at the top.

    Parameters
    ----------
    labels : list of str
        Names of the features.
    values : array of shape (n_bars,)
    is_kept : array of bool of shape (n_bars,)
        Whether features are kept; the bars of the others are grey.
    xlabel : str
    """

    def __init__(self, labels, values, is_kept, xlabel):
        self.labels = [printable(label) for label in labels]
        self.values, self.is_kept, self.xlabel = values, is_kept, xlabel

    def _draw(self, ax):
        rows = np.arange(len(self.values))
        colors = [COLORS[0] if kept else MUTED for kept in self.is_kept]
        ax.barh(rows, self.values, color=colors, height=0.75)
        ax.set_yticks(rows, self.labels)
        for label in ax.get_yticklabels():
            label.set_parse_math(False)  # a name is not a formula, whatever it contains
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.set_xlabel(self.xlabel)
        if np.issubdtype(np.asarray(self.values).dtype, np.integer):
            ax.xaxis.get_major_locator().set_params(integer=True)
        ax.spines[["top", "right"]].set_visible(False)


class CoverageDisplay(_Display):
    """Histogram of the coverage of the dropped features.

    Parameters
    ----------
    dropped : array of int
        Dropped features, best first.
    coverage : array of shape (n_dropped,)
        Leave-one-out R^2 of their prediction from the kept ones; NaN for constant features.
    """

    def __init__(self, dropped, coverage):
        self.dropped, self.coverage = dropped, coverage

    def _draw(self, ax):
        from matplotlib.ticker import MaxNLocator

        known = self.coverage[np.isfinite(self.coverage)]
        ax.hist(known, bins=np.linspace(0, 1, 21), color=COLORS[0], edgecolor="white", lw=0.8)
        ax.set(xlabel="coverage", ylabel="dropped features", xlim=(0, 1), axisbelow=True)
        ax.yaxis.set_major_locator(MaxNLocator(integer=True))
        finish_panel(ax)


class MaskDisplay(_Display):
    """Kept features as pixels of an image.

    Parameters
    ----------
    mask : array of bool of shape (height, width)
    image : array of shape (height, width), optional
        Drawn behind the pixels.
    """

    def __init__(self, mask, image=None):
        self.mask = mask
        self.image = np.zeros(mask.shape) if image is None else np.reshape(image, mask.shape)

    def _draw(self, ax):
        draw_mask(ax, self.image, self.mask)
