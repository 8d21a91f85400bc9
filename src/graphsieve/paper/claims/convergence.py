"""Claims about the iterations of GAFS."""

import numpy as np

from ..estimate import over_splits
from ..summary import unpacked
from .claim import OPEN, Claim, judge

_REDUNDANT = ("mnist", "coil20", "yale", "isolet")


def settling(table):
    """Iterations to 99 % of the decrease, all iterations, and final objective.

    One row per data set, ``sparse`` (whether there is an l2,1 term) and split: the mean over the
    graph weights.
    """
    import pandas as pd

    rows = unpacked(table)
    rows = rows.assign(sparse=rows["alpha"] > 0).sort_values("iteration")

    def summarise(trace):
        values = trace["objective"].to_numpy()
        target = values[0] - 0.99 * (values[0] - values[-1])
        numbers = np.argmax(values <= target), len(values) - 1, values[-1]
        return pd.Series(numbers, ["settled", "total", "end"], dtype=float)

    case = ["dataset", "sparse", "split"]
    fits = rows.groupby([*case, "graph_weight"])[["objective"]].apply(summarise)
    return fits.groupby(case).mean()


def slower_on_redundant(table):
    """MNIST, COIL20, Yale and Isolet converge more slowly."""
    text = "GAFS converges more slowly on the redundant features of MNIST, COIL20, Yale and Isolet."
    fits = settling(table)["total"].unstack("dataset")
    totals = fits[fits.index.get_level_values("sparse")]
    means = totals.mean()
    redundant = totals.columns.isin(_REDUNDANT)
    # Splits that not all data sets have cannot be compared.
    totals = totals.dropna()
    slow, fast = totals.loc[:, redundant], totals.loc[:, ~redundant]
    if slow.empty or fast.empty:
        return Claim(text, OPEN, "Only one of the two kinds of data was run.")
    difference = over_splits(slow.mean(axis=1) - fast.mean(axis=1))
    margin = over_splits(slow.min(axis=1) - fast.max(axis=1))
    return Claim(
        text,
        judge([difference.sign, margin.sign]),
        f"Iterations until the stopping rule with lambda = 1e-2 (at most 400). Mean of these sets "
        f"minus mean of the others: {difference:+z.0f}; fastest of these minus slowest of the "
        f"others: {margin:+z.0f}.",
        f"iterations on these sets minus others: {difference:+z.0f}",
        (("", *means.index), ("iterations", *(f"{value:.0f}" for value in means))),
    )


def sparse_is_slower(table):
    """Without the l2,1 term, GAFS converges faster to a higher objective."""
    text = (
        "On MNIST, COIL20, Yale and Isolet lambda = 0 converges faster, but lambda = 1e-2 reaches "
        "smaller objectives."
    )
    fits = settling(table)
    faster, lower, parts = [], [], []
    for dataset, part in fits.groupby("dataset"):
        if dataset not in _REDUNDANT or part.index.get_level_values("sparse").nunique() < 2:
            continue
        without, with_it = (part.loc[dataset, sparse] for sparse in (False, True))
        difference = (with_it - without).dropna()
        if difference.empty:
            continue
        later, change = over_splits(difference["settled"]), over_splits(difference["end"])
        faster.append(later.sign)
        lower.append(-change.sign)
        parts.append(
            (
                dataset,
                f"{without['settled'].mean():.0f}",
                f"{with_it['settled'].mean():.0f}",
                f"{later:+z.0f}",
                f"{without['end'].mean():.3g}",
                f"{with_it['end'].mean():.3g}",
                f"{change:+z.2f}",
            )
        )
    if not parts:
        return Claim(
            text, OPEN, "None of the four was run with both values of lambda on one split."
        )
    return Claim(
        text,
        judge(faster + lower),
        "Iterations to 99 % of the decrease, and objective at the end, without and with the l2,1 "
        "term.",
        f"clearly faster on {sum(s > 0 for s in faster)} of {len(faster)} sets, clearly smaller "
        f"objective on {sum(s > 0 for s in lower)}",
        (
            ("", "iterations without", "with", "difference", "end without", "with", "difference"),
            *parts,
        ),
    )
