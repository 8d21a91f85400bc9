"""Claims about the iterations of GAFS."""

import numpy as np

from ..summary import unpacked
from .claim import FAILS, HOLDS, OPEN, PARTLY, Claim, judge, supports

_REDUNDANT = ("mnist", "coil20", "yale", "isolet")


def settling(table):
    """Iterations to 99 % of the decrease, all iterations and final objective, by case.

    Means over the splits, whose traces may have different lengths.
    """
    rows = unpacked(table)

    def summarise(trace):
        values = trace.sort_values("iteration")["objective"].to_numpy()
        target = values[0] - 0.99 * (values[0] - values[-1])
        return int(np.argmax(values <= target)), len(values) - 1, float(values[-1])

    return {
        case: tuple(np.mean([summarise(trace) for _, trace in part.groupby("split")], axis=0))
        for case, part in rows.groupby(["dataset", "alpha", "graph_weight"])
    }


def slower_on_redundant(table):
    """MNIST, COIL20, Yale and Isolet converge more slowly."""
    text = "GAFS converges more slowly on the redundant features of MNIST, COIL20, Yale and Isolet."
    stops = {}
    for (dataset, alpha, _), (_, total, _) in settling(table).items():
        if alpha > 0:
            stops.setdefault(dataset, []).append(total)
    means = {name: float(np.mean(values)) for name, values in stops.items()}
    slow = [value for name, value in means.items() if name in _REDUNDANT]
    fast = [value for name, value in means.items() if name not in _REDUNDANT]
    if not slow or not fast:
        return Claim(text, OPEN, "Only one of the two kinds of data was run.")
    verdict = HOLDS if min(slow) > max(fast) else PARTLY if np.mean(slow) > np.mean(fast) else FAILS
    numbers = ", ".join(f"{name} {value:.0f}" for name, value in means.items())
    return Claim(
        text,
        verdict,
        f"Iterations until the stopping rule, lambda = 1e-2 (at most 400): {numbers}.",
        f"iterations: {min(slow):.0f} to {max(slow):.0f} on these sets, {min(fast):.0f} to "
        f"{max(fast):.0f} on the others",
    )


def sparse_is_slower(table):
    """Without the l2,1 term, GAFS converges faster to a higher objective."""
    text = (
        "On MNIST, COIL20, Yale and Isolet lambda = 0 converges faster, but lambda = 1e-2 reaches "
        "smaller objectives."
    )
    ends = settling(table)
    faster, lower, parts = [], [], []
    for dataset in _REDUNDANT:
        without = [
            value for (name, alpha, _), value in ends.items() if (name, alpha) == (dataset, 0)
        ]
        with_it = [
            value for (name, alpha, _), value in ends.items() if name == dataset and alpha > 0
        ]
        if not without or not with_it:
            continue
        settled = [float(np.mean([v[0] for v in group])) for group in (without, with_it)]
        end = [float(np.mean([v[2] for v in group])) for group in (without, with_it)]
        faster.append(settled[0] < settled[1])
        lower.append(end[1] < end[0])
        parts.append(
            f"{dataset}: {settled[0]:.0f} and {settled[1]:.0f} iterations, end "
            f"{end[0]:.3g} and {end[1]:.3g}"
        )
    if not parts:
        return Claim(text, OPEN, "None of the four was run.")
    verdict = judge(map(supports, faster + lower))
    return Claim(
        text,
        verdict,
        "Iterations to 99 % of the decrease, and objective at the end, without and with the l2,1 "
        f"term. {'; '.join(parts)}.",
        f"faster on {sum(faster)} of {len(faster)} sets, smaller objective on {sum(lower)}",
    )
