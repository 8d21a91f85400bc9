"""A selection as a small, readable file that can be applied to other tables."""

import hashlib
import json
import math
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from numbers import Integral
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ._rows import Rows, check_container
from ._utils.files import replacing
from ._utils.names import check_choice, suggestion
from ._utils.text import listed

_FORMAT = "graphsieve-selection"
_VERSION = 1
# Longer arrays among the parameters, such as an affinity matrix, are not saved.
_MOST_ENTRIES = 100_000


@dataclass(frozen=True)
class Selection:
    """The outcome of a fitted selector, as JSON that people can read and that runs no code.

    Parameters
    ----------
    kept : list of int
        Positions of the kept columns, increasing.
    n_features_in : int
        Number of columns of the table that the selector was fitted on.
    feature_names_in : list of str, int or tuple, or None
        Names of these columns, if they had any; those of other types, such as dates, as text.
    order : list of int
        All columns, best first.
    scores : list of float
        Score of every column.
    method : str
        Name of the class of the selector.
    parameters : dict
        Its parameters; values that JSON cannot hold as text.
    fingerprint : dict
        Number of rows of the data that the selector was fitted on, a checksum of the ranges of
        its columns, the number of batches (0 without ``groups``), and ``n_exact_``.
    versions : dict
        Versions of the packages that computed it.
    fitted : dict
        What the report shows of the fit: attributes of the selector, and the fewest and the most
        features that its constraints allow.
    carried, dropped : list of str
        Columns that the selector was not fitted on: those written along with the selection, such
        as IDs, and those left out by request.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphsieve import GreedyCSS, Selection
    >>> X = load_wine(as_frame=True).data
    >>> GreedyCSS(3).fit(X).save("kept.json")  # doctest: +SKIP
    >>> Selection.load("kept.json").transform(X)  # doctest: +SKIP
    """

    kept: list
    n_features_in: int
    feature_names_in: list | None = None
    order: list = field(default_factory=list)
    scores: list = field(default_factory=list)
    method: str = ""
    parameters: dict = field(default_factory=dict)
    fingerprint: dict = field(default_factory=dict)
    versions: dict = field(default_factory=dict)
    fitted: dict = field(default_factory=dict)
    carried: list = field(default_factory=list)
    dropped: list = field(default_factory=list)

    @property
    def names(self) -> list | None:
        """Names of the kept columns, or None if the table had none."""
        if self.feature_names_in is None:
            return None
        return [self.feature_names_in[j] for j in self.kept]

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the kept columns, as the selector that was saved gives them.

        Parameters
        ----------
        input_features : array-like or None, default=None
            Names of all columns; None for those of the table that the selector was fitted on, or
            x0, x1, ... without names.

        Returns
        -------
        ndarray of str
            In the order of the table.
        """
        names = self.feature_names_in if input_features is None else list(input_features)
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in)]
        if len(names) != self.n_features_in:
            raise ValueError(
                f"input_features has {len(names)} names, but the selection is for tables of "
                f"{self.n_features_in} columns"
            )
        out = np.empty(len(self.kept), dtype=object)
        out[:] = [names[j] for j in self.kept]
        return out

    def save(self, path: str | Path) -> None:
        """Write the selection to a JSON file.

        Parameters
        ----------
        path : str or path
            An existing file is replaced in one step.
        """
        content = {"format": _FORMAT, "format_version": _VERSION, "kept_names": self.names}
        content |= asdict(self)
        with replacing(path) as temporary:
            temporary.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", "utf-8")

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a selection from a file that ``save`` wrote.

        Parameters
        ----------
        path : str or path
            The JSON file.

        Returns
        -------
        Selection
        """
        try:
            content = json.loads(Path(path).read_text("utf-8"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path} is not a selection file: {error}") from None
        if not isinstance(content, dict) or content.get("format") != _FORMAT:
            raise ValueError(
                f"{path} is not a selection file: write one with save(), or with "
                "graphsieve select --save"
            )
        if content.get("format_version") != _VERSION:
            raise ValueError(
                f"{path} has format version {content.get('format_version')}, and this version of "
                f"graphsieve reads version {_VERSION}"
            )
        for name in ("feature_names_in", "carried", "dropped"):
            if isinstance(content.get(name), list):  # JSON does not have tuples
                content[name] = [tuple(e) if isinstance(e, list) else e for e in content[name]]
        try:
            selection = cls(**{name: content[name] for name in cls.__dataclass_fields__})
        except KeyError as name:
            fault: str | None = f"it lacks {name}"
        else:
            fault = selection._fault()
        if fault:
            raise ValueError(f"{path} is damaged: {fault}. Save the selection again")
        return selection

    def transform(self, X: Any, *, extra: str = "drop") -> Any:
        """Keep the selected columns of a table.

        Parameters
        ----------
        X : data frame, array or sparse matrix
            Columns are found by name in a data frame (pandas, polars, pyarrow), and by position
            in an array.
        extra : {"drop", "carry", "pass"}, default="drop"
            Which columns that the selector was not fitted on come along, before the others: none,
            those in ``carried``, or all but those in ``dropped``. Only data frames can have such
            columns.

        Returns
        -------
        table of the same kind
            With the kept columns, in the order in which the selector saw them.
        """
        if sp.issparse(X):
            check_container(X)
            X = X.tocsr()
        elif not hasattr(X, "shape"):
            X = np.asarray(X)
        # Those of pyarrow have another name, because its columns are the data.
        columns = getattr(X, "column_names", getattr(X, "columns", None))
        columns = None if columns is None else [plain_name(name) for name in columns]
        positions = self._find(columns, X.shape, extra=extra)
        if hasattr(X, "iloc"):
            return X.iloc[:, positions]
        return X[:, positions] if columns is None else X.select([columns[j] for j in positions])

    def _find(self, columns: list | None, shape: tuple, *, extra: str = "drop") -> list[int]:
        """Positions of the selected columns in a table with these columns, or None, and shape.

        If all columns are text, as in a CSV file, other names are compared as text.
        """
        check_choice("extra", extra, ("drop", "carry", "pass"))
        if columns is None or self.feature_names_in is None:
            if len(shape) != 2 or shape[1] != self.n_features_in:
                raise ValueError(
                    f"the selection is for tables of {self.n_features_in} columns, and this one "
                    f"has the shape {tuple(shape)}"
                )
            return self.kept
        names = self._names_like(columns)
        kept = [names[j] for j in self.kept]
        place = {name: j for j, name in enumerate(columns)}
        missing = [name for name in kept if name not in place]
        if missing:
            raise ValueError(
                f"the table lacks {len(missing)} of the {len(self.kept)} selected columns: "
                f"{listed([str(name) for name in missing])}{suggestion(missing[0], columns)}"
            )
        known = {*names, *self.dropped}
        other = {
            "drop": [],
            "carry": [name for name in columns if name in self.carried],
            "pass": [name for name in columns if name not in known],
        }
        wanted = other[extra] + kept
        counts = Counter(columns)
        for name in wanted:
            if counts[name] > 1:
                raise ValueError(f"the table has more than one column {name!r}: rename all but one")
        return [place[name] for name in wanted]

    def _names_like(self, columns: list) -> Any:
        names = self.feature_names_in
        if names is None or not all(isinstance(name, str) for name in columns):
            return names
        return [str(name) for name in names]

    def _fault(self) -> str | None:
        d, names = self.n_features_in, self.feature_names_in
        if type(d) is not int or d < 1:
            return f"n_features_in is {d!r}"
        # As long as the file says: a short file cannot declare a huge table.
        is_right = {
            "kept": _are_positions(self.kept, d) and sorted(self.kept) == self.kept != [],
            "order": _are_positions(self.order, d) and len(self.order) == d,
            "scores": isinstance(self.scores, list)
            and len(self.scores) == d
            and all(type(score) in (int, float) for score in self.scores)
            and all(abs(score) <= sys.float_info.max for score in self.scores),
            "feature_names_in": names is None or (_are_names(names) and len(names) == d),
            "carried": _are_names(self.carried),
            "dropped": _are_names(self.dropped),
            "method": isinstance(self.method, str),
        }
        for name in ("parameters", "fingerprint", "versions", "fitted"):
            is_right[name] = isinstance(getattr(self, name), dict)
        wrong = [name for name, holds in is_right.items() if not holds]
        return f"{wrong[0]!r} is not that of a selection from {d} columns" if wrong else None


def _are_positions(values: Any, d: int) -> bool:
    are_right = isinstance(values, list) and all(type(j) is int and 0 <= j < d for j in values)
    return are_right and len(set(values)) == len(values)


def _are_names(names: Any) -> bool:
    if not isinstance(names, list):
        return False
    parts = [part for name in names for part in (name if isinstance(name, tuple) else [name])]
    return all(type(part) in (str, int) for part in parts)


def plain_name(name: Any) -> str | int | tuple:
    """The name of a column as JSON can hold it: text, an integer, or a tuple of such."""
    if isinstance(name, tuple):
        return tuple(plain_name(part) for part in name)
    if isinstance(name, Integral) and not isinstance(name, bool):
        return int(name)
    return str(name)


def fingerprint(data: Rows) -> dict:
    """Number of rows and a checksum of the range of every column, which a fit knows anyway."""
    low, high = (np.asarray(a, dtype=np.float64) for a in data.column_range())
    digest = hashlib.sha256(low.tobytes() + high.tobytes()).hexdigest()
    return {"n_samples": int(data.n_samples), "column_ranges_sha256": digest}


def settings(sel: Any) -> dict:
    """The parameters that may influence the result: all but the callback that watches a fit."""
    given: dict = sel.get_params(deep=False)
    given.pop("callback", None)
    return given


def as_json(value: Any, most: float = _MOST_ENTRIES) -> Any:
    """A value as JSON can hold it; what it cannot hold, and longer arrays, as text."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist() if value.size <= most else repr(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, dict):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple) and len(value) <= most:
        return [as_json(entry) for entry in value]
    return repr(value)
