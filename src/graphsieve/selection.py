"""A selection as a small, readable file that can be applied to other tables."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from ._utils.names import suggestion

_FORMAT = "graphsieve-selection"
_VERSION = 1


@dataclass(frozen=True)
class Selection:
    """The outcome of a fitted selector, without the selector.

    A selection is saved as JSON: it can be read by people, compared, and loaded without running
    code from the file.

    Parameters
    ----------
    kept : list of int
        Positions of the kept columns, in the order of the table.
    n_features_in : int
        Number of columns of the table that the selector was fitted on.
    feature_names_in : list of str or None
        Names of these columns, if they had any.
    order : list of int
        All columns, best first.
    scores : list of float
        Score of every column.
    method : str
        Name of the class of the selector.
    parameters : dict
        Its parameters, as far as JSON can hold them.
    fingerprint : dict
        Number of rows and a checksum of the data that the selector was fitted on.
    versions : dict
        Versions of the packages that computed it.

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

    @property
    def names(self):
        """Names of the kept columns, or None if the table had none."""
        if self.feature_names_in is None:
            return None
        return [self.feature_names_in[j] for j in self.kept]

    def save(self, path):
        """Write the selection to a JSON file.

        Parameters
        ----------
        path : str or path
            An existing file is replaced.
        """
        content = {"format": _FORMAT, "format_version": _VERSION, "kept_names": self.names}
        content |= asdict(self)
        Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", "utf-8")

    @classmethod
    def load(cls, path):
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
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
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
        selection = cls(**{name: content[name] for name in cls.__dataclass_fields__})
        selection._check(path)
        return selection

    def transform(self, X, *, extra="drop"):
        """Keep the selected columns of a table.

        Parameters
        ----------
        X : data frame, array or sparse matrix
            Columns are found by name in a data frame (pandas, polars, pyarrow and others that
            narwhals knows), and by position in an array.
        extra : {"drop", "pass"}, default "drop"
            What happens to columns that the selector was not fitted on. Only data frames can
            have such columns.

        Returns
        -------
        table of the same kind
            With the kept columns, in the order in which the selector saw them.
        """
        columns = getattr(X, "columns", None)
        if columns is None and hasattr(X, "column_names"):
            columns = X.column_names
        if columns is None or self.feature_names_in is None:
            return self._take_positions(X)
        return self._take_names(X, [str(name) for name in columns], extra)

    def _take_positions(self, X):
        shape = np.shape(X)
        if len(shape) != 2 or shape[1] != self.n_features_in:
            raise ValueError(
                f"the selection is for tables of {self.n_features_in} columns, and this one has "
                f"shape {shape}"
            )
        if hasattr(X, "iloc"):
            return X.iloc[:, self.kept]
        return (X if hasattr(X, "shape") else np.asarray(X))[:, self.kept]

    def _take_names(self, X, columns, extra):
        missing = [name for name in self.names if name not in columns]
        if missing:
            shown = ", ".join(repr(name) for name in missing[:5])
            more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
            raise ValueError(
                f"the table lacks {len(missing)} of the {len(self.kept)} selected columns: "
                f"{shown}{more}.{suggestion(missing[0], columns)}"
            )
        wanted = list(self.names)
        if extra == "pass":
            seen = set(self.feature_names_in)
            wanted = [name for name in columns if name not in seen] + wanted
        if hasattr(X, "iloc"):
            return X.iloc[:, [columns.index(name) for name in wanted]]
        import narwhals as nw

        return nw.from_native(X).select(wanted).to_native()

    def _check(self, path):
        """Refuse positions that cannot be right."""
        d, names = self.n_features_in, self.feature_names_in
        in_range = isinstance(d, int) and all(isinstance(j, int) and 0 <= j < d for j in self.kept)
        if not in_range or (names is not None and len(names) != d):
            raise ValueError(
                f"{path} is damaged: its columns do not fit a table of {d} columns. Save the "
                "selection again"
            )
