"""Claims about the parameters of GAFS."""

import numpy as np

from ..summary import unpacked
from .claim import FAILS, HOLDS, NOISE, OPEN, PARTLY, Claim, judge

# Differences of ACC that a user would notice.
NOTICEABLE = 0.05
# Fraction of the features at which the paper shows ACC over lambda and gamma.
SHARE = 0.2
_TEXT = {"pcmac": 0.008, "basehock": 0.008, "relathe": 0.004}


def insensitive_to_hidden(table):
    """ACC hardly depends on m, except on Yale."""
    text = "The hidden size m hardly matters, except on Yale, where m of 40 or less is better."
    means = _acc_by_hidden(table)
    if means.shape[1] < 2:
        return Claim(text, OPEN, "Fewer than two hidden sizes were run.")
    spread = means.max(axis=1) - means.min(axis=1)
    numbers = ", ".join(f"{name} {value:.3f}" for name, value in spread.items())
    others = spread.drop("yale", errors="ignore")
    calm = int((others <= NOTICEABLE).sum())
    yale = ""
    small_is_better = True
    if "yale" in means.index and (means.columns > 40).any():
        small = means.loc["yale", means.columns <= 40].mean()
        large = means.loc["yale", means.columns > 40].mean()
        small_is_better = small > large
        yale = f" On Yale ACC is {small:.3f} with m <= 40 and {large:.3f} with larger m."
    if calm == len(others) and small_is_better:
        verdict = HOLDS
    else:
        verdict = PARTLY if calm > len(others) / 2 else FAILS
    return Claim(
        text,
        verdict,
        f"Range of ACC over m = {', '.join(f'{m:g}' for m in means.columns)}, mean over the "
        f"fractions: {numbers}; at most {NOTICEABLE} on {calm} of {len(others)} sets other than "
        f"Yale.{yale}",
    )


def _acc_by_hidden(table):
    rows = unpacked(table[table["method"] == "gafs"], ["n_hidden"])
    return rows.pivot_table(index="dataset", columns="n_hidden", values="acc", sort=True)


def penalties(table):
    """ACC by data set, alpha and graph weight at 20 % of the features, mean over the splits."""
    names = ["alpha", "graph_weight"]
    rows = unpacked(table[(table["method"] == "gafs") & (table["share"] == SHARE)], names)
    return rows.groupby(["dataset", *names])["acc"].mean()


def best_lambda(table):
    """lambda = 1e-2 is best on MNIST and COIL20."""
    text = "On MNIST and COIL20 lambda = 1e-2 is best; smaller and larger values are worse."
    acc = penalties(table)
    parts, right = [], []
    for dataset in ("mnist", "coil20"):
        if dataset not in acc.index:
            return Claim(text, OPEN, f"{dataset} was not run.")
        means = acc[dataset].groupby("alpha").mean()
        best = means.idxmax()
        right.append(bool(np.isclose(best, 1e-2)))
        values = ", ".join(f"{alpha:g}: {value:.3f}" for alpha, value in means.items())
        parts.append(f"{dataset}: best at {best:g} ({values})")
    verdict = judge(right)
    return Claim(text, verdict, f"ACC by lambda, mean over gamma. {'; '.join(parts)}.")


def grows_with_lambda(table):
    """ACC grows with lambda on Yale, Prostate_GE and Isolet."""
    text = "On Yale ACC grows with lambda; on Prostate_GE and Isolet similarly."
    acc = penalties(table)
    parts, right = [], []
    for dataset in ("yale", "prostate_ge", "isolet"):
        if dataset in acc.index:
            means = acc[dataset].groupby("alpha").mean()
            right.append(bool((np.diff(means) > -NOISE).all() and means.iloc[-1] > means.iloc[0]))
            parts.append(f"{dataset}: {', '.join(f'{value:.3f}' for value in means)}")
    if not parts:
        return Claim(text, OPEN, "None of the three was run.")
    verdict = judge(right)
    return Claim(text, verdict, f"ACC from the smallest to the largest lambda. {'; '.join(parts)}.")


def flat_on_text(table):
    """On the text data neither parameter matters."""
    text = "On PCMAC, BASEHOCK and RELATHE ACC varies by no more than 0.8, 0.8 and 0.4 points."
    acc = penalties(table)
    ranges = {name: float(acc[name].max() - acc[name].min()) for name in _TEXT if name in acc.index}
    if not ranges:
        return Claim(text, OPEN, "None of the three was run.")
    right = [value <= _TEXT[name] for name, value in ranges.items()]
    verdict = judge(right)
    numbers = ", ".join(f"{name} {100 * value:.1f} points" for name, value in ranges.items())
    return Claim(text, verdict, f"Range over the grid: {numbers}.")


def gamma_in_the_middle(table):
    """A moderate graph weight is best."""
    text = "A moderate gamma is best: without the graph term, and with a large gamma, ACC is lower."
    acc = penalties(table)
    if acc.empty:
        return Claim(text, OPEN, "GAFS is missing.")
    inside, gains = [], []
    for dataset, values in acc.groupby("dataset"):
        means = values.groupby("graph_weight").mean()
        gains.append(f"{dataset} best at {means.idxmax():g} (+{means.max() - means.iloc[0]:.3f})")
        middle = means.idxmax() not in (means.index[0], means.index[-1])
        if middle and means.max() - max(means.iloc[0], means.iloc[-1]) > NOISE:
            inside.append(dataset)
    verdict = HOLDS if len(inside) == len(gains) else PARTLY if inside else FAILS
    return Claim(
        text,
        verdict,
        f"ACC by gamma, mean over lambda, with the gain over gamma = 0: {', '.join(gains)}. A "
        f"value inside the grid is ahead of both ends by more than {NOISE} on {len(inside)} of "
        f"{len(gains)} sets.",
    )
