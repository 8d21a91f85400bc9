"""From measurements on halves of the rows to a choice, and to how much it can be trusted."""

import numpy as np
from scipy.stats import t as student

from .halves import CRITERIA

# Names of the criteria in sentences and figures.
TITLES = {
    "structure": "preserved structure",
    "neighborhood": "preserved neighbours",
    "reconstruction": "reconstruction error",
    "stability": "stability",
    "redundancy": "redundancy",
}
# Mean rank correlation over eight methods with the accuracy of a classifier and with the agreement
# of k-means clusters with classes, on fourteen labelled data sets: experiments/records/
# label_free/halves.csv, summarised by experiments/studies/label_free.py.
AGREEMENT = {
    "structure": (0.37, 0.28),
    "neighborhood": (0.29, 0.13),
    "reconstruction": (0.28, 0.03),
    "stability": (-0.06, 0.05),
    "redundancy": (0.04, 0.01),
}
# Level of the interval of a difference between two candidates.
_CONFIDENCE = 0.95


def ranked_table(judged, criterion):
    """Means of all criteria, one row per candidate, the best by ``criterion`` first.

    The columns are ``rank``, ``candidate``, the criteria, ``behind`` (by how much the first
    candidate is better), ``behind_error`` (half-width of its 95 % interval), and ``seconds`` per
    fit.
    """
    table = judged.halves.groupby("candidate", sort=False).mean().drop(columns="half")
    table["stability"] = {name: found.value for name, found in judged.stability.items()}
    table = table.sort_values(criterion, ascending=not CRITERIA[criterion], kind="stable")
    gaps = [difference(judged, criterion, table.index[0], name) for name in table.index]
    table["behind"], table["behind_error"] = zip(*gaps, strict=True)
    table["rank"] = np.arange(1, len(table) + 1)
    columns = ["rank", "candidate", *CRITERIA, "behind", "behind_error", "seconds"]
    return table.reset_index()[columns]


def difference(judged, criterion, better, worse):
    """How much better one candidate is than another, and the half-width of its 95 % interval.

    Differences are taken half by half. Halves of different repeats overlap, which the usual
    standard error ignores; it is corrected as by Nadeau and Bengio ("Inference for the
    generalization error", Machine Learning 52, 2003), with as many rows to judge as to fit.
    """
    sign = 1 if CRITERIA[criterion] else -1
    if criterion == "stability":
        first, second = judged.stability[better], judged.stability[worse]
        # The two values come from the same halves; taking them as independent is cautious.
        widths = [found.value - found.interval[0] for found in (first, second)]
        return first.value - second.value, float(np.hypot(*widths)) if better != worse else 0.0
    values = judged.halves.pivot(index="half", columns="candidate", values=criterion)
    gaps = sign * (values[better] - values[worse])
    error = gaps.std(ddof=1) * np.sqrt(1 / len(gaps) + 1)
    quantile = student.ppf(0.5 + _CONFIDENCE / 2, len(gaps) - 1)
    return float(gaps.mean()), float(quantile * error)


def trust(criterion):
    """A sentence about how well a criterion agrees with labels where there are labels."""
    accuracy, clusters = AGREEMENT[criterion]
    return (
        f"Trust: on fourteen labelled data sets, ranking methods by {TITLES[criterion]} had a rank "
        f"correlation of {accuracy:.2f} with their accuracy and {clusters:.2f} with the quality of "
        "their clusters (1: the same order, 0: unrelated)."
    )


def choose(judged, criterion, incumbent):
    """Choose the incumbent unless the criterion clearly prefers another candidate.

    "Clearly" means that the 95 % interval of the difference to the best candidate excludes 0.
    Returns the chosen candidate, and a verdict that says which criterion decided and how clearly.
    """
    first = ranked_table(judged, criterion)["candidate"].iloc[0]
    decided = f"Decided by {TITLES[criterion]}:"
    if first == incumbent:
        return first, f"{decided} {first} is best."
    gap, half_width = difference(judged, criterion, first, incumbent)
    by = f"by {gap:.3f} ± {half_width:.3f}"
    if gap > half_width:
        return first, f"{decided} {first} is clearly better than {incumbent}, {by}."
    return incumbent, (
        f"{decided} {first} is better than {incumbent} {by}, which is not clear, so {incumbent} "
        "is preferred."
    )
