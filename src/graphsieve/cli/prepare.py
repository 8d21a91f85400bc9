"""From a table with gaps and text to the numbers that a method sees."""

from dataclasses import dataclass

import numpy as np

from .._utils.order import count_features
from .._utils.text import counted
from .columns import kinds, numbers
from .io.tables import TableError, unique_names


@dataclass(frozen=True)
class Features:
    """What a method is fitted on.

    ``names`` are the columns to choose from. Where text was encoded, ``owner`` has the position in
    ``names`` of the column behind each column of ``X``.
    """

    X: object
    names: list
    owner: np.ndarray | None = None

    def columns(self, positions):
        """Positions in ``X`` of the columns to choose from at ``positions``, in their order."""
        if self.owner is None:
            return list(positions)
        return [j for place in positions for j in np.flatnonzero(self.owner == place).tolist()]

    def spread(self, costs):
        """Cost of every column of ``X``: what a column costs is divided among its values."""
        if self.owner is None:
            return costs
        return costs[self.owner] / np.bincount(self.owner)[self.owner]

    def select_whole(self, estimator):
        """Let an estimator, whose constraints are set, rank enough values for whole columns."""
        wanted = estimator.n_features_to_select
        if self.owner is None or wanted == "auto":
            return
        if "column_groups" in estimator.get_params():
            estimator.set_params(column_groups=self.owner)
        if wanted is not None:
            sizes = np.bincount(np.delete(self.owner, estimator.exclude or []))
            n_largest = count_features(wanted, len(self.names))
            n_values = int(np.sort(sizes)[::-1][:n_largest].sum())
            estimator.set_params(n_features_to_select=n_values)

    def ranking(self, estimator, n_features):
        """Return a frame of the columns, best first, from an estimator that was fitted on ``X``.

        A column that was encoded has the place and the score of its best value. The estimator is
        changed to keep all values of the kept columns. ``n_features`` is None if a budget decides
        how many columns are kept.
        """
        import pandas as pd

        order, n_kept = estimator.order_, estimator.n_features_
        scores = estimator.scores_[order]
        if self.owner is not None:
            _, first = np.unique(self.owner[order], return_index=True)
            places = np.sort(first)
            n_kept = int((places < n_kept).sum())
            if n_features not in ("auto", None):
                n_kept = min(n_kept, count_features(n_features, len(self.names)))
            order, scores = self.owner[order[places]], scores[places]
            self._keep(estimator, order, n_kept)
        rank = np.arange(1, len(order) + 1)
        return pd.DataFrame(
            {
                "feature": [self.names[j] for j in order],
                "score": scores,
                "rank": rank,
                "kept": rank <= n_kept,
            }
        )

    def _keep(self, estimator, order, n_kept):
        """Make a fitted estimator keep all values of the first columns of an order."""
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order))
        estimator.order_ = np.lexsort((estimator.ranking_, place[self.owner]))
        estimator.ranking_ = np.empty_like(estimator.order_)
        estimator.ranking_[estimator.order_] = np.arange(1, len(self.owner) + 1)
        estimator.support_ = place[self.owner] < n_kept
        estimator.n_features_ = int(estimator.support_.sum())


def drop_incomplete_rows(table, features):
    """Return the table of the rows without gaps in the features, and a note."""
    _, incomplete = _gaps(table.take(features))
    if incomplete.all():
        raise TableError(
            "--drop-rows leaves no rows: every row has a missing value. Use --impute median, or "
            "--drop the columns with the most gaps"
        )
    if not incomplete.any():
        return table, ""
    note = f"{counted(int(incomplete.sum()), 'incomplete row')} of {len(incomplete):,} left out"
    return table.take_rows(~incomplete), note


def prepare(table, *, impute=None, encode=None):
    """Return the features of a table of candidate columns, and a note.

    Gaps are filled with the ``impute`` of the column, and ``encode`` says how text becomes numbers.
    """
    X, notes = table.X, []
    if impute and (n_gaps := _gaps(table)[0]):
        X = _impute(table, impute)
        notes.append(
            f"{counted(n_gaps, 'missing value')} filled with the {impute} of the column for the "
            "selection; the output has the gaps as they were"
        )
    if encode and "text" in (kind := kinds(table)):
        X, owner = _encode(X, kind)
        notes.append(
            f"{counted(kind.count('text'), 'text column')} encoded as "
            f"{counted(X.shape[1] - len(kind) + kind.count('text'), 'indicator')} for the selection"
        )
        return Features(X, table.names, owner), "; ".join(notes)
    return Features(X, table.names), "; ".join(notes)


def _gaps(table):
    """Return the number of missing numbers, and a mask of the rows with any missing value."""
    X = table.X
    if table.is_frame:
        missing = X.isna().to_numpy()
        is_number = [dtype.kind in "biuf" for dtype in X.dtypes]
        return int(missing[:, is_number].sum()), missing.any(axis=1)
    incomplete = np.zeros(X.shape[0], dtype=bool)
    if X.dtype.kind != "f":
        return 0, incomplete
    if hasattr(X, "indptr"):
        missing = np.isnan(X.data)
        incomplete[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))[missing]] = True
        return int(missing.sum()), incomplete
    missing = np.isnan(X)
    return int(missing.sum()), missing.any(axis=1)


def _impute(table, strategy):
    from sklearn.impute import SimpleImputer

    imputer = SimpleImputer(strategy=strategy)
    if not table.is_frame:
        return imputer.fit_transform(table.X)
    gaps = [
        name for name in table.names if table.X[name].dtype.kind in "biuf" and table.X[name].hasnans
    ]
    values = [numbers(table.X[name]) for name in gaps]
    filled = imputer.fit_transform(np.column_stack(values))
    return table.X.assign(**dict(zip(gaps, filled.T, strict=True)))


def _encode(frame, kind):
    """Return a frame with one column per value of a text column, and the column behind each."""
    import pandas as pd

    parts, owner = [], []
    for j, name in enumerate(frame):
        column = frame.iloc[:, [j]]
        if kind[j] == "text":
            # Two values need one indicator only; a missing value counts as one.
            values = column.astype(str)
            binary = values[name].nunique() == 2
            column = pd.get_dummies(values, drop_first=binary, prefix_sep="=", dtype=float)
        parts.append(column)
        owner += [j] * column.shape[1]
    encoded = pd.concat(parts, axis=1)
    return encoded.set_axis(unique_names(encoded.columns)[0], axis=1), np.array(owner)
