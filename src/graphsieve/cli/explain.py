"""``--explain``: which kept columns stand for every dropped one."""

from rich.text import Text

from .console import out, printable

# Dropped columns that are shown.
_SHOWN = 10


def learn(estimator, features):
    """Learn the prediction of the dropped columns, unless the fit has done so."""
    if features.owner is not None:
        raise ValueError("--explain does not work together with --encode")
    if estimator._reconstruction is None:
        estimator.learn_reconstruction(features.X)


def add_explanations(ranking, estimator):
    """Return the ranking with the R^2 of every dropped column and the columns that predict it."""
    coverage = estimator.coverage_
    r2 = dict(zip(coverage["feature"], coverage["r2"], strict=True))
    by = {}
    for row in coverage.itertuples():
        by.setdefault(row.feature, [])
        if row.kept is not None:
            by[row.feature].append(f"{row.kept} ({row.weight:.3g})")
    return ranking.assign(
        r2=ranking["feature"].map(r2),
        explained_by=[", ".join(by.get(name, [])) for name in ranking["feature"]],
    )


def show_explanations(ranking):
    """Print the dropped columns that the kept ones predict worst."""
    from rich.table import Table as Grid

    dropped = ranking[~ranking["kept"]].sort_values("r2", kind="stable")
    if not len(dropped):
        return
    out.print()
    grid = Grid(box=None, header_style="bold", pad_edge=False)
    grid.add_column("dropped")
    grid.add_column("R^2", justify="right")
    grid.add_column("predicted from (weight)")
    for row in dropped.head(_SHOWN).itertuples():
        by = printable(row.explained_by) or "constant"
        grid.add_row(Text(printable(row.feature)), f"{row.r2:.2f}", Text(by))
    out.print(grid)
    if len(dropped) > _SHOWN:
        out.print(f"... and {len(dropped) - _SHOWN} more, better predicted; --scores has them all")
