"""From a file to the numbers that a method sees, or to what keeps a table from being used."""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.impute import SimpleImputer

from .._utils.names import count_features
from .._utils.text import ENCODINGS, counted, listed
from ..encoding import MOST_LEVELS, encode_columns, encoding_of
from .columns import as_arguments, as_option, assign_roles, by_reason, carry_verbatim
from .console import note, progress
from .io.files import read_table
from .io.tables import Table, numbers

# Ways to encode, and the terms for the columns and for what is made from them.
_MADE = [("onehot", "text column", "indicator"), ("ordinal", "ordered column", None)]
_MADE += [("dates", "date column", "part")]
_TOTALS = re.compile(r"(?i)\W*(grand |sub)?(totals?|sums?|summen?|gesamt\w*|insgesamt|somme)\W*")
# More names than this make no command that one would want to run.
_TYPED_NAMES = 100


@dataclass(frozen=True)
class Data:
    """A table without the rows that are left out, what its columns are for, and what is fitted.

    ``features`` and ``carried`` are positions of columns to choose from and of others that are
    written, and ``labels`` are names. ``X`` has the numbers of the features. Where columns were
    encoded, several columns of X belong to one: ``owner`` has its place among the features.
    """

    table: Table
    features: list
    carried: list
    labels: list
    X: Any
    owner: np.ndarray
    n_gaps: int  # missing values in memory that are left to the method
    batches: Any = None

    @property
    def names(self):
        return [self.table.names[j] for j in self.features]

    @property
    def owners(self):
        """Names of the columns to choose from behind the columns of ``X``."""
        return np.array(self.names, dtype=object)[self.owner]

    @property
    def is_encoded(self):
        """Whether a column of ``X`` is only a part of a column, such as one of its values."""
        return hasattr(self.X, "columns") and list(self.X.columns) != self.names

    @property
    def has_gaps(self):
        """Whether a value is missing or infinite; reads the features once."""
        pieces = Table(self.X, list(range(self.X.shape[1]))).pieces()
        return any(_gaps(piece.X).sum() for piece in pieces)

    def count(self, wanted, exclude):
        """Columns of ``X`` to select, so that ``wanted`` columns are whole."""
        if not self.is_encoded or wanted in ("auto", None):
            return wanted
        sizes = np.sort(np.bincount(np.delete(self.owner, exclude or [])))
        return int(sizes[::-1][: count_features(wanted, len(self.features))].sum())

    def ranking(self, estimator, wanted):
        """Return a frame of the columns, best first, and the selector that keeps whole columns.

        A column that was encoded has the place and the score of its best value.
        """
        first = np.sort(np.unique(self.owner[estimator.order_], return_index=True)[1])
        n_kept = np.count_nonzero(first < estimator.n_features_)
        if wanted not in ("auto", None):
            n_kept = min(n_kept, count_features(wanted, len(self.features)))
        best, rank = estimator.order_[first], np.arange(1, len(first) + 1)
        frame = pd.DataFrame({"feature": self.owners[best], "score": estimator.scores_[best]})
        place = np.argsort(self.owner[best])[self.owner]
        names = list(getattr(self.X, "columns", self.names))
        order, count = np.lexsort((estimator.ranking_, place)), np.sum(place < n_kept)
        selector = estimator.with_selection(order, count, names=names)
        return frame.assign(rank=rank, kept=rank <= n_kept), selector


def read(source, reading, in_memory_for=None):
    """Read the table that ``opened`` yields, for a method, and say in one line what was assumed."""
    path, name, suffix = source
    with progress(f"Reading {name}"):
        table = read_table(path, reading, name, suffix)
    size = f"{counted(len(table), 'row')} x {counted(len(table.names), 'column')}"
    if 0 in table.X.shape:
        raise ValueError(f"{name} is empty: {size}")
    if table.notes:
        notes = list(table.notes)
        if not table.in_memory and in_memory_for is not None:
            notes.append(f"all of it in memory for {in_memory_for}")
        note(f"Reading {name}: {size}, {'; '.join(notes)}")
    return table


def prepare(name, table, given, *, carried=(), verbatim=False, accepts_gaps=False):
    """Return the Data of a table, and say what becomes of its columns.

    ``carried`` are columns that are no features in addition to those of the options. With
    ``verbatim``, columns that are written without being selected from are as in the file.
    """
    features, carried, labels = assign_roles(table, given, carried)
    if len(table) < 2:
        raise ValueError(f"{name} has a single row; at least two are needed to compare columns")
    found, words, ways, n_gaps = _examine(table, features, given, accepts_gaps)
    if words and ways:
        note(_words_note(table, words))
    said, text, n_usable = [], found["text"], len(_usable(table, found, ways))
    wanted = given.number if isinstance(given.number, int) else 1
    if needs_words := n_usable < wanted and bool(_kinds(words)):
        if n_usable:
            columns = counted(n_usable, "column")
            said = [f"-k {wanted} is more than the {columns} to select from without text"]
        # What else is wrong depends on the option that is suggested.
        kinds = (*(given.encode or ()), *_kinds(words))
        arguments = [*given.arguments, "--encode", ",".join(kinds)]
        given = replace(given, encode=kinds, arguments=arguments)
        found, _, ways, n_gaps = _examine(table, features, given, accepts_gaps)
        found["text"] = text
    if needs_words or not ways or any(map(found.get, ("odd", "empty", "gaps", "infinite"))):
        is_fine = accepts_gaps or given.impute or given.drop_rows
        raise _problems_error(name, table, given, found, ways, n_gaps, is_fine, said)
    if totals := _totals(table):
        what = f"the last row looks like totals ({totals!r})"
        note(f"{what}, and counts as a sample unless you leave it out of the file")
    features, carried = list(ways), sorted([*carried, *words])
    if verbatim:
        table = carry_verbatim(table, carried)
    if given.drop_rows:
        table = _drop_incomplete_rows(table, features)
    X, owner = _make_features(table.take(features), given.impute, list(ways.values()))
    if constant := found["constant"]:
        note(f"constant, and therefore ranked last: {listed([table.names[j] for j in constant])}")
    n_gaps = 0 if given.impute or given.drop_rows else n_gaps
    return Data(table, features, carried, labels, X, owner, n_gaps)


def _examine(table, features, given, accepts_gaps):
    """Return problems, columns that are only carried, usable ones, and the number of gaps.

    Problems have for every column an example, the first of which is shown. Gaps of arrays that are
    not read yet are found by the method, which reads every entry anyway.
    """
    found = {kind: {} for kind in ("text", "odd", "empty", "gaps", "constant", "infinite")}
    words, ways, n_gaps, encode = {}, {}, 0, given.encode or ()
    for j, kind in zip(features, table.take(features).kinds(), strict=True):
        name, column = table.names[j], table.X.iloc[:, j] if table.is_frame else None
        if name in table.odd:
            found["odd"][j] = j, f" ({name!r} holds {table.odd[name].cell!r})"
            continue
        way = None
        if kind in ("text", "date"):
            way = kind if column is None else encoding_of(column, kind, encode)
            if way not in encode:
                example = "" if column is None else f" holds {str(column.dropna().iloc[0])!r}"
                words[j], found["text"][j] = way, (j, f" ({name!r}{example})")
                continue
        gaps = np.zeros(1, dtype=bool) if column is None else _is_gap(column)
        if gaps.all():
            found["empty"][j] = j, ""
            continue
        ways[j] = way
        if column is None or way == "onehot":
            continue  # a missing word is a value
        missing = column.isna().to_numpy()
        n_gaps += int(missing.sum())
        for what, mask in (("gaps", missing), ("infinite", gaps & ~missing)):
            if mask.any():
                row = int(np.argmax(mask))
                found[what][j] = row, f" (the first in row {row}, counted from 0, of {name!r})"
        present = numbers(column)[~gaps] if kind == "number" else ()
        if len(present) and present.min() == present.max():
            found["constant"][j] = j, ""
    fills = given.impute or given.drop_rows
    harmless = {"infinite": fills, "gaps": fills or accepts_gaps, "text": ways}
    found |= {kind: {} for kind, is_fine in harmless.items() if is_fine}
    return found, words, ways, n_gaps


def _words_note(table, words):
    many = f"text with more than {MOST_LEVELS} different values" if table.is_frame else "text"
    terms = {"onehot": "text", "ordinal": "ordered answers", "text": many}
    known = by_reason(words, table.names).items()
    text = "; ".join(f"{terms.get(kind, 'dates')}: {named}" for kind, named in known)
    kinds = ",".join(_kinds(words))
    how = f". Select from such columns with --encode {kinds}" if kinds else ""
    return f"{text}: not selected from, but carried to the output{how}"


def _kinds(words):
    return [kind for kind in ENCODINGS if kind in words.values()]


def _usable(table, found, ways):
    return {*ways, *(j for j in found["odd"] if table.odd[table.names[j]].marks is not None)}


def _totals(table):
    """Return the word for totals in the last row, if most of its numbers are larger than others."""
    is_text = [dtype.kind not in "biuf" for dtype in table.X.dtypes] if table.is_frame else []
    words = table.X.iloc[-1][is_text].astype(str) if any(is_text) else ()
    word = next(filter(_TOTALS.fullmatch, words), "")
    if word:
        numbers = table.X.select_dtypes("number", exclude="timedelta").astype(float)
        word = word if (numbers.iloc[-1] > numbers.iloc[:-1].max()).mean() > 0.5 else ""
    return word


def _problems_error(name, table, given, found, ways, n_gaps, gaps_are_fine, said):
    names, others = table.names, ""
    of_all = f"in {len(found['gaps'])} of {counted(len(names), 'column')}"
    # Constant columns do no harm; a few are easily left out.
    if found["infinite"] or given.include or given.cost:
        found["constant"] = {}
    terms = {"text": "text", "odd": "text among numbers", "empty": "no values"}
    terms |= {"gaps": f"{counted(n_gaps, 'missing value')} {of_all}", "constant": "constant"}
    for kind, term in (terms | {"infinite": "infinite values"}).items():
        if columns := found[kind]:
            example = min(columns.values())[1]
            said.append(f"{term}: {listed([names[j] for j in columns])}{example}")
    if totals := _totals(table):
        said.append(f"the last row looks like totals ({totals!r})")
    what = f"{name} cannot be used as it is. {'; '.join(said)}"
    check = "Check --sep, --decimal, --skip-rows and the first lines of the file"
    odd, usable = [table.odd[names[j]] for j in found["odd"]], _usable(table, found, ways)
    if not usable:
        what += f". {check}"
    elif found["text"] and given.encode == ("onehot",):
        what += f". {check}, or add --encode onehot to select from text"
    if unclear := [j for j in found["odd"] if j not in usable]:
        columns = listed([names[j] for j in unclear])
        what += f". To select from {columns}, write the numbers in one way (such as one currency)"
    if not usable:
        return ValueError(what)
    useless = sorted([*found["empty"], *list(found["constant"])[:_TYPED_NAMES]])
    fixes = as_arguments("--keep", unclear, names) + as_arguments("--drop", useless, names)
    if any(column.percent for column in odd) and not given.percent:
        fixes.append("--percent")
    if marks := dict.fromkeys(mark for column in odd for mark in column.marks or ()):
        fixes += as_option("--na", ",".join(marks))
    if totals in marks:
        fixes.append("--drop-rows")
        others = " (or use a file without this row, to keep incomplete ones)" if n_gaps else ""
    elif found["gaps"] or found["infinite"] or (marks and not gaps_are_fine):
        fixes += ["--impute", "median"]
        others = " (or use --drop-rows to leave out incomplete rows)"
    left = len(usable.difference(useless))
    number = left if isinstance(given.number, int) and given.number > left else None
    return ValueError(f"{what}. Run: {given.again(*fixes, number=number)}{others}")


def _make_features(table, strategy, ways):
    X, owner = table.X, np.arange(len(table.names))
    n_gaps = _gaps(X)[:, [way != "onehot" for way in ways]].sum() if strategy else 0
    if any(ways):
        X, owner = encode_columns(X, ways)
    for way, what, part in _MADE:
        if places := [j for j, other in enumerate(ways) if other == way]:
            made = counted(int(np.isin(owner, places).sum()), part) if part else "ranks"
            note(f"{counted(len(places), what)} encoded as {made} for the selection")
    if n_gaps:
        is_frame, filled = hasattr(X, "columns"), X.copy()
        if is_frame:
            filled = np.column_stack([numbers(column).astype(float) for _, column in X.items()])
        values = filled.data if sp.issparse(filled) else filled
        values[~np.isfinite(values)] = np.nan
        filled = SimpleImputer(strategy=strategy, keep_empty_features=True).fit_transform(filled)
        X = pd.DataFrame(filled, columns=X.columns) if is_frame else filled
        what = f"{counted(n_gaps, 'missing value')} filled with the {strategy} of the column"
        note(f"{what} for the selection; the output has the gaps as they were")
    return X, owner


def _drop_incomplete_rows(table, features):
    complete = np.asarray(_gaps(table.take(features).X).sum(axis=1)) == 0
    if not complete.any():
        advice = "Use --impute median, or --drop the columns with the most gaps"
        raise ValueError(f"--drop-rows leaves no rows: every row has a missing value. {advice}")
    if complete.all():
        return table
    note(f"{counted(int(np.sum(~complete)), 'incomplete row')} of {len(table):,} left out")
    labels = None if table.labels is None else table.labels[complete]
    return replace(table, X=table.X[complete], labels=labels)


def _gaps(X):
    if hasattr(X, "columns"):
        return np.column_stack([_is_gap(column) for _, column in X.items()])
    if sp.issparse(X):
        return sp.csr_array((~np.isfinite(X.data), X.indices, X.indptr), shape=X.shape)
    return ~np.isfinite(X)


def _is_gap(column):
    return ~np.isfinite(numbers(column)) if column.dtype.kind == "f" else column.isna().to_numpy()
