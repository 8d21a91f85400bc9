"""``sel.plot``: plots of one selection."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._linear.how_many import gain_curve
from .._utils.names import check_shape
from ..inspection import (
    coverage_curve,
    explained_curves,
    make_grid,
    representatives,
)
from .displays import BarsDisplay, CoverageDisplay, CurveDisplay, GainsDisplay, MaskDisplay


class SelectionPlots:
    """``sel.plot``: plots of a fitted selector.

    Every method draws into the matplotlib axes ``ax``, or into a new figure, and returns a display
    object with the attributes ``ax_`` and ``figure_`` and the values that are shown.

    Parameters
    ----------
    sel : FeatureRanker
        Fitted selector.
    """

    def __init__(self, sel):
        check_is_fitted(sel)
        self._sel = sel
        self._labels = sel._names_of_all()

    def curve(self, X, *, groups=None, random_state=0, ax=None):
        """Plot the explained fraction, the mean coverage, against the number of features.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        groups : array-like of shape (n_samples,), optional
            Batch of every sample, as in ``sel.coverage``.
        random_state : int, default=0
            Seed for the random rankings.
        ax : matplotlib axes, optional

        Returns
        -------
        CurveDisplay
        """
        sel, rng = self._sel, np.random.default_rng(random_state)
        values = sel._sample(X, groups).values
        grid = make_grid(len(sel.order_), sel.n_features_)
        coverage = coverage_curve(values, sel.order_, grid).coverage
        curves = explained_curves(values, sel.order_, grid, coverage, rng)
        return CurveDisplay(grid, curves, sel.n_features_, type(sel).__name__).plot(ax)

    def gains(self, X=None, *, groups=None, ax=None):
        """Plot what every feature adds, and the most that one adds in shuffled columns.

        Parameters
        ----------
        X : container of shape (n_samples, n_features), optional
            The data that the selector was fitted on; at most 2,000 rows are used. Not needed if
            ``n_features_to_select="auto"``.
        groups : array-like of shape (n_samples,), optional
            Batch of every sample, as in ``sel.coverage``.
        ax : matplotlib axes, optional

        Returns
        -------
        GainsDisplay
        """
        found = getattr(self._sel, "gain_curve_", None)
        if found is None:
            if X is None:
                raise ValueError(
                    'plot.gains() needs the data unless n_features_to_select="auto": use '
                    "plot.gains(X)"
                )
            values = self._sel._sample(X, groups).values
            # Beyond these, greedy methods estimate the order.
            n_exact = getattr(self._sel, "n_exact_", len(self._labels))
            found = gain_curve(values, self._sel.order_[:n_exact])
        return GainsDisplay(found, type(self._sel).__name__).plot(ax)

    def scores(self, *, n_features=20, ax=None):
        """Plot the scores of the best features.

        Parameters
        ----------
        n_features : int, default=20
            Number of features shown.
        ax : matplotlib axes, optional

        Returns
        -------
        BarsDisplay
        """
        best = self._sel.order_[:n_features]
        is_kept = np.arange(len(best)) < self._sel.n_features_
        labels = [self._labels[j] for j in best]
        return BarsDisplay(labels, self._sel.scores_[best], is_kept, "score").plot(ax)

    def coverage(self, X, *, groups=None, ax=None):
        """Plot how well the dropped features are predicted by the kept ones.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        groups : array-like of shape (n_samples,), optional
            Batch of every sample, as in ``sel.coverage``.
        ax : matplotlib axes, optional

        Returns
        -------
        CoverageDisplay
        """
        values = self._sel._sample(X, groups).values
        dropped = self._sel.order_[self._sel.n_features_ :]
        curve = coverage_curve(values, self._sel.order_, [self._sel.n_features_], targets=dropped)
        return CoverageDisplay(dropped, curve.coverage[0]).plot(ax)

    def mask(self, shape, *, image=None, ax=None):
        """Plot the kept features as pixels of an image.

        Parameters
        ----------
        shape : tuple of int
            Height and width.
        image : array of shape (height, width), optional
            Drawn behind the pixels, for instance the mean image.
        ax : matplotlib axes, optional

        Returns
        -------
        MaskDisplay
        """
        support = self._sel.get_support()
        shape = check_shape(shape, len(support), "shape")
        return MaskDisplay(support.reshape(shape), image).plot(ax)

    def groups(self, X, *, n_groups=12, threshold=0.5, ax=None):
        """Plot how many dropped features each kept one represents.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        n_groups : int, default=12
            Number of kept features shown, those that represent most first.
        threshold : float, default=0.5
            A dropped feature belongs to the kept one that it is most correlated with if the
            absolute correlation is at least this large.
        ax : matplotlib axes, optional

        Returns
        -------
        BarsDisplay
        """
        values = self._sel._sample(X).values
        order, k = self._sel.order_, self._sel.n_features_
        position, correlation = representatives(values, order, k).at(k)
        is_member = ~self._sel.get_support() & (np.abs(correlation) >= threshold)
        sizes = np.bincount(position[is_member], minlength=k)
        largest = np.argsort(-sizes, kind="stable")[:n_groups]
        labels = [self._labels[j] for j in order[largest]]
        kept = np.ones(len(largest), dtype=bool)
        xlabel = f"dropped features with |correlation| of {threshold:g} or more"
        return BarsDisplay(labels, sizes[largest], kept, xlabel).plot(ax)
