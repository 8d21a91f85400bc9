"""``sel.plot``: plots of one selection."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._linear.how_many import gain_curve
from .._utils.images import check_shape
from ..inspection import (
    coverage_curve,
    draw_sample,
    explained_curves,
    has_unequal_variances,
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
        self._names = getattr(sel, "feature_names_in_", None)
        self._labels = sel._names_of_all()

    def curve(self, X, *, weights=None, random_state=0, ax=None):
        """Plot the explained fraction against the number of features.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        weights : {"variance", "equal"} or None, default=None
            Whether columns count by their variance or all alike. If None, by their variance,
            unless a few columns would then decide everything, for instance because of their units.
        random_state : int, default=0
            Seed for the rows that are drawn and for the random rankings.
        ax : matplotlib axes, optional

        Returns
        -------
        CurveDisplay
        """
        rng = np.random.default_rng(random_state)
        values = self._sample(X, rng)
        if weights is None:
            weights = "equal" if has_unequal_variances(values.var(axis=0)) else "variance"
        sel = self._sel
        grid = make_grid(len(sel.order_), sel.n_features_)
        coverage = coverage_curve(values, sel.order_, grid).coverage
        curves = explained_curves(values, sel.order_, grid, coverage, rng)[weights]
        return CurveDisplay(grid, curves, sel.n_features_, type(sel).__name__).plot(ax)

    def gains(self, X=None, *, random_state=0, ax=None):
        """Plot what every feature adds, and the most that one adds in shuffled columns.

        Parameters
        ----------
        X : container of shape (n_samples, n_features), optional
            The data that the selector was fitted on; at most 2,000 rows are used. Not needed if
            ``n_features_to_select="auto"``.
        random_state : int, default=0
            Seed for the rows that are drawn.
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
            values = self._sample(X, np.random.default_rng(random_state))
            found = gain_curve(values, self._sel.order_)
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

    def coverage(self, X, *, random_state=0, ax=None):
        """Plot how well the dropped features are predicted by the kept ones.

        Parameters
        ----------
        X : container of shape (n_samples, n_features)
            The data that the selector was fitted on; at most 2,000 rows are used.
        random_state : int, default=0
            Seed for the rows that are drawn.
        ax : matplotlib axes, optional

        Returns
        -------
        CoverageDisplay
        """
        values = self._sample(X, np.random.default_rng(random_state))
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

    def groups(self, X, *, n_groups=12, threshold=0.5, random_state=0, ax=None):
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
        random_state : int, default=0
            Seed for the rows that are drawn.
        ax : matplotlib axes, optional

        Returns
        -------
        BarsDisplay
        """
        values = self._sample(X, np.random.default_rng(random_state))
        order, k = self._sel.order_, self._sel.n_features_
        position, correlation = representatives(values, order, k).at(k)
        is_member = ~self._sel.get_support() & (np.abs(correlation) >= threshold)
        sizes = np.bincount(position[is_member], minlength=k)
        largest = np.argsort(-sizes, kind="stable")[:n_groups]
        labels = [self._labels[j] for j in order[largest]]
        kept = np.ones(len(largest), dtype=bool)
        xlabel = f"dropped features with |correlation| of {threshold:g} or more"
        return BarsDisplay(labels, sizes[largest], kept, xlabel).plot(ax)

    def _sample(self, X, rng):
        return draw_sample(X, len(self._labels), self._names, rng).values
