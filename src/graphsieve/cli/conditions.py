"""Conditions on a selection: columns that must be in or out, costs, batches of rows."""

from pathlib import Path

import numpy as np

from .._utils.names import suggestion
from .._utils.text import counted, listed
from .console import usage_error
from .io.files import extension, read_table
from .io.reading import Reading
from .io.tables import TableError
from .names import find_columns, is_list
from .problems import is_number


def check_conditions(estimator, method, number, cost, budget):
    """Raise a usage error for options that do not fit together, before the data are read."""
    if budget is not None and cost is None:
        raise usage_error("needs the costs of the columns: add --cost FILE", "--budget")
    if number is None and budget is None:
        raise usage_error("give the number of columns, such as -k 50, -k 10% or -k auto", "-k")
    if cost is None:
        return
    if "costs" not in estimator.get_params():
        from ..methods import REGISTRY

        able = [name for name, cls in sorted(REGISTRY.items()) if "costs" in cls().get_params()]
        raise usage_error(f"{method} takes no costs; use --method {' or '.join(able)}", "--cost")
    if not cost.is_file():
        raise usage_error(f"{cost} does not exist", "--cost")


def set_constraints(estimator, features, table, roles, include, exclude):
    """Give the estimator the positions of the columns that must be in or out."""
    place = {position: j for j, position in enumerate(roles.features)}
    for parameter, items in (("include", include), ("exclude", exclude)):
        if not items:
            continue
        option = f"--{parameter}"
        positions = find_columns(_listed_names(items), table.names, option, roles.features)
        found = [place[position] for position in positions]
        wanted = estimator.n_features_to_select
        if parameter == "include" and isinstance(wanted, int) and len(found) > wanted:
            raise ValueError(
                f"--include names {counted(len(found), 'column')}, which count as selected: use "
                f"-k {len(found)} or more"
            )
        estimator.set_params(**{parameter: features.columns(found)})


def set_costs(estimator, features, path, budget):
    """Give the estimator the costs in a file, and return a note about columns without a cost."""
    if path is None:
        return ""
    given = _read_costs(path)
    position = {name: j for j, name in enumerate(features.names)}
    found = {position[name]: cost for name, cost in given.items() if name in position}
    unknown = [name for name in given if name not in position]
    if not found:
        raise TableError(
            f"--cost: {path.name} has no cost for any column to select from"
            f"{suggestion(unknown[0], features.names)}; it names {listed(unknown)}"
        )
    costs = np.ones(len(features.names))
    costs[list(found)] = list(found.values())
    estimator.set_params(costs=features.spread(costs), budget=budget)
    notes = []
    if missing := len(features.names) - len(found):
        notes.append(f"{missing} of {len(features.names)} columns have no cost and count as 1")
    if unknown:
        notes.append(f"not selected from, and therefore ignored: {listed(unknown)}")
    return f"{path.name}: {'; '.join(notes)}" if notes else ""


def _read_costs(path):
    """Return a dict of name to cost from a table with a column of names and one of numbers."""
    table = read_table(path, Reading(whole=True), path.name, extension(path))
    frame = table.frame()
    expected = f"{path.name} should have two columns with a header, such as column,cost"
    if frame.shape[1] != 2:
        raise TableError(f"--cost: {expected}; it has {frame.shape[1]}")
    if frame.iloc[:, 1].dtype.kind not in "iuf" or is_number(frame.columns[1]):
        raise TableError(f"--cost: {expected}; the second column is {frame.columns[1]!r}")
    names = frame.iloc[:, 0].astype(str)
    if names.duplicated().any():
        raise TableError(
            f"--cost: {path.name} has two costs for {names[names.duplicated()].iloc[0]}"
        )
    return dict(zip(names, frame.iloc[:, 1].astype(float), strict=True))


def total_cost(estimator, budget):
    """Return a line about what the selected columns cost."""
    of_budget = "" if budget is None else f" of a budget of {budget:g}"
    return f"Cost: {estimator.costs[estimator.support_].sum():g}{of_budget}"


def batch_option(arguments):
    """Return the name under which the batches were given."""
    used = any(word.partition("=")[0] == "--group-by" for word in arguments)
    return "--group-by" if used else "--batch"


def one_column(table, column, option, *, in_obs=False):
    """Return the name of a column that an option refers to, in a list.

    With ``in_obs``, that of an AnnData file is a column of obs, and never a gene.
    """
    if column is None:
        return []
    names = _label_names(table)
    if not in_obs or table.labels is None:
        names = [*table.names, *names]
    elif not names:
        raise TableError(f"{option}: there is no column {column!r}, because obs is empty")
    found = find_columns([column], names, option)
    if len(found) > 1:
        raise TableError(f"{option}: {column!r} matches {len(found)} columns; name one")
    return [names[found[0]]]


def _label_names(table):
    return [] if table.labels is None else [str(name) for name in table.labels.columns]


def column_values(table, column, option, *, in_obs=False):
    """Return the values of a column of the table, or of its labels; None without one."""
    if column is None:
        return None
    (name,) = one_column(table, column, option, in_obs=in_obs)
    labels = _label_names(table)
    if name in labels and (in_obs or name not in table.names):
        return table.labels.iloc[:, labels.index(name)]
    values = table.take([table.names.index(name)])
    return values.X.iloc[:, 0] if values.is_frame else np.ravel(values.array())


def rank_within_batches(estimator, cost, fewest=None):
    """Return a selector that ranks every batch by itself, if it has ``fewest`` rows or more.

    Other tables are centred within every batch, which would fill in the zeros of sparse ones.
    """
    from ..inspection import GroupedRanker

    if cost is not None:
        raise ValueError(
            "--cost does not work together with --batch for AnnData and sparse data, which are "
            "ranked batch by batch"
        )
    names = ("n_features_to_select", "include", "exclude")
    given = {name: getattr(estimator, name) for name in names}
    if fewest is not None:
        given["min_samples"] = fewest
    return GroupedRanker(estimator, **given)


def _listed_names(items):
    """Names as given, and those in text files, one per line."""
    names = []
    for item in items:
        path = Path(item)
        if is_list(item) and path.is_file():
            lines = path.read_text("utf-8-sig").splitlines()
            names += [line.strip() for line in lines if line.strip()]
        else:
            names.append(item)
    return names
