"""``--explain``: which kept columns predict every dropped one."""

from math import isnan

from rich.text import Text

from .._utils.text import printable
from .console import grid, out

# Dropped columns that are shown.
_SHOWN = 10


def add_explanations(ranking, estimator, features, batches=None):
    """Return the ranking with the R^2 of every dropped column and the columns that predict it."""
    coverage = estimator.coverage(features.X, groups=batches)
    if features.owner is not None:
        coverage = _of_columns(coverage, features)
    r2 = dict(zip(coverage["feature"], coverage["r2"], strict=True))
    by = {}
    for row in coverage.itertuples():
        by.setdefault(row.feature, [])
        if row.kept is not None:
            weight = "" if isnan(row.weight) else f" ({row.weight:.3g})"
            by[row.feature].append(f"{row.kept}{weight}")
    return ranking.assign(
        r2=ranking["feature"].map(r2),
        explained_by=[", ".join(by.get(name, [])) for name in ranking["feature"]],
    )


def _of_columns(coverage, features):
    """Return the coverage of indicators as that of the columns that they encode.

    The R^2 is that of all indicators together. The weights of indicators do not add up to one
    weight; the columns are in the order of their importance.
    """
    column = dict(zip(features.X, (features.names[j] for j in features.owner), strict=True))
    coverage = coverage.assign(variance=coverage["feature"].map(features.X.var()))
    single = coverage.drop_duplicates("feature")
    explained = (single["r2"] * single["variance"]).groupby(single["feature"].map(column)).sum()
    total = single["variance"].groupby(single["feature"].map(column)).sum()
    coverage = coverage.assign(
        feature=coverage["feature"].map(column),
        kept=coverage["kept"].map(column).where(coverage["kept"].notna(), None),
        importance=coverage["importance"] * coverage["variance"],
    )
    by_column = coverage.groupby(["feature", "kept"], dropna=False, sort=False)["importance"].sum()
    table = by_column.sort_values(ascending=False).reset_index()
    table["kept"] = table["kept"].where(table["kept"].notna(), None)
    return table.assign(r2=table["feature"].map(explained / total), weight=float("nan"))


def show_explanations(ranking):
    """Print the dropped columns that the kept ones predict worst."""
    dropped = ranking[~ranking["kept"]].sort_values("r2", kind="stable")
    if not len(dropped):
        return
    out.print()
    table = grid({"dropped": "left", "R^2": "right", "predicted from (weight)": "left"})
    for row in dropped.head(_SHOWN).itertuples():
        by = printable(row.explained_by) or ("nothing" if row.r2 <= 0 else "constant")
        r2 = "" if isnan(row.r2) else f"{row.r2:.2f}"
        table.add_row(Text(printable(row.feature)), r2, Text(by))
    out.print(table)
    if len(dropped) > _SHOWN:
        out.print(
            f"... and {len(dropped) - _SHOWN:,} more, better predicted; --scores has them all"
        )
