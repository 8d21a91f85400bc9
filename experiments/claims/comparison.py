"""Claims about GAFS compared with other methods and with all features, and about faces."""

import numpy as np
from sklearn.feature_selection import f_classif

from ..analysis import (
    SCORES,
    by_split,
    fixed,
    oracle,
    over_sets,
    over_splits,
    scores_by_case,
)
from ..cells import load_dataset
from ..protocol import ALL_FEATURES
from .claim import LABELS, NOISE, OPEN, RIVALS, Claim, judge

# "Far fewer" features: at most this fraction.
FEW = 0.5
# Fraction of the pixels in the illustration of faces.
TOP = 0.2
_NAMES = {"accuracy": "accuracy", "acc": "ACC", "nmi": "NMI"}


def beats_rivals(table, choose=oracle, rule="under the oracle rule", ours="gafs"):
    """GAFS against the five methods of the paper.

    A rival is beaten if the interval of the mean gain over it, over the three scores, lies above
    zero.
    """
    name = LABELS[ours]
    text = f"{name} beats LapScore, SPEC, MRSF, UDFS and RSR in most cases ({rule})."
    best, cases, ahead, means = 0, 0, {}, []
    for score in SCORES:
        chosen = choose(table, score)
        values = scores_by_case(chosen, score)
        rivals = [name for name in RIVALS if name in values]
        if ours not in values or not rivals:
            return Claim(text, OPEN, "GAFS or all of its rivals are missing.")
        best += int((values[ours] > values[rivals].max(axis=1)).sum())
        cases += len(values)
        for other in (*rivals, "variance", "random"):
            if other in values:
                pair = values[[ours, other]].dropna()
                ahead.setdefault(other, []).extend(pair[ours] > pair[other])
        means.append(by_split(chosen, score))
    mean = sum(means) / len(means)
    gains = {other: over_sets(mean[ours] - mean[other]) for other in ahead}
    rivals = {other: gain for other, gain in gains.items() if other in RIVALS}
    hardest = min(rivals, key=lambda other: rivals[other].value)
    pairs = [(other, str(gain), f"{np.mean(ahead[other]):.0%}") for other, gain in gains.items()]
    return Claim(
        text,
        judge(gain.sign for gain in rivals.values()),
        f"Of {cases} cases (data set, fraction, score) it is strictly the best of these six in "
        f"{best} ({best / cases:.0%}).",
        f"gain over {hardest}: {gains[hardest]}",
        (("compared with", "mean gain", "cases ahead"), *pairs),
    )


def beats_rivals_fixed(table):
    """GAFS against the five methods, all at fixed settings."""
    return beats_rivals(
        table, lambda rows, score: fixed(rows), "each method at one fixed setting: our addition"
    )


def recursion_beats_rivals(table):
    """GAFS with recursive elimination against the five methods, all at fixed settings."""
    rule = "each method at one fixed setting: our addition"
    return beats_rivals(table, lambda rows, score: fixed(rows), rule, ours="gafs_recursive")


def sieve_beats_rivals(table):
    """Forward selection, against rivals under the oracle rule."""
    rule = "at one setting, the others under the oracle rule: our addition"
    return beats_rivals(table, rule=rule, ours="sieve")


def beats_all_features(table):
    """GAFS with few features compared with all features."""
    text = "GAFS is always better than all features, with far fewer of them."
    signs, missed, gains = [], [], []
    for score in SCORES:
        few = oracle(table, score)
        few = few[(few["method"] == "gafs") & (few["share"] <= FEW)]
        if few.empty:
            return Claim(text, OPEN, "GAFS is missing.")
        # The fraction is chosen like the setting: by the mean over the splits.
        share = few.groupby(["dataset", "share"])[score].mean().unstack().idxmax(axis=1)
        few = few[few["share"] == few["dataset"].map(share)]
        everything = table[table["method"] == ALL_FEATURES]
        index = ["dataset", "split"]
        gain = (few.set_index(index)[score] - everything.set_index(index)[score]).dropna()
        if gain.empty:
            return Claim(text, OPEN, "GAFS and all features have no split in common.")
        gains.append(gain)
        for dataset, values in gain.groupby("dataset"):
            estimate = over_splits(values)
            signs.append(estimate.sign)
            if estimate.value <= 0:
                missed.append((dataset, _NAMES[score], str(estimate)))
    mean = over_sets(sum(gains) / len(gains))
    return Claim(
        text,
        judge(signs),
        f"With at most {FEW:.0%} of the features, at the best fraction and setting, the mean score "
        f"of GAFS is above that of all features in {len(signs) - len(missed)} of {len(signs)} "
        f"cases (data set, score). The interval is above zero in {signs.count(1)} of them, and "
        f"below in {signs.count(-1)}. Mean gain {mean}." + (" The exceptions:" if missed else ""),
        f"gain over all features: {mean}",
        (("data set", "score", "gain"), *missed) if missed else (),
    )


def random_under_oracle(table):
    """How much the oracle rule improves a random selection."""
    text = "The oracle rule is a fair comparison (a check of the protocol, not of the paper)."
    ahead, gains = [], []
    for score in SCORES:
        best, plain = (by_split(rows, score) for rows in (oracle(table, score), fixed(table)))
        if not {"gafs", "random"} <= set(best) & set(plain):
            return Claim(text, OPEN, "GAFS or random selection is missing.")
        cases = [scores_by_case(rows, score) for rows in (oracle(table, score), fixed(table))]
        ahead.extend(cases[0]["random"] > cases[1]["gafs"])
        gains.append((best - plain)[["gafs", "random"]])
    mean = sum(gains) / len(gains)
    gain = over_sets(mean["random"])
    tries = table.groupby("method")["setting"].nunique()
    return Claim(
        text,
        judge([gain.below(NOISE)]),
        f"The best of {tries['random']} random draws, chosen with the labels, is {gain} above one "
        f"draw, and beats GAFS at its fixed setting in {np.mean(ahead):.0%} of the cases. GAFS "
        f"gains {over_sets(mean['gafs'])} by the best of {tries['gafs']} settings.",
        f"gain of a random selection: {gain}",
    )


def keeps_discriminative_pixels(table, ours="gafs"):
    """GAFS keeps the pixels that distinguish the persons."""
    name = LABELS[ours]
    text = f"On Yale {name} keeps the most distinctive parts of a face: eyes, nose and mouth."
    try:
        X, y, _, _ = load_dataset("yale")
    except OSError:
        return Claim(text, OPEN, "The data set yale has not been downloaded.")
    strength = f_classif(X, y)[0]
    n_kept = round(TOP * len(strength))
    values = table.groupby(["method", "split"], sort=False).apply(
        lambda rows: strength[rows.nsmallest(n_kept, "position")["feature"].astype(int)].mean(),
        include_groups=False,
    )
    means = values.groupby("method", sort=False).mean()
    if ours not in means:
        return Claim(text, OPEN, f"{name} is missing.")
    average = float(strength.mean())
    gain = over_splits(values[ours] - average)
    parts, leads = [gain.sign], ""
    rivals = means.loc[[name for name in (*RIVALS, "variance") if name in means]]
    if len(rivals):
        lead = over_splits(values[ours] - values[rivals.idxmax()])
        parts.append(lead.sign)
        leads = f" {name} minus {rivals.idxmax()}: {lead:+z.2f}."
    return Claim(
        text,
        judge(parts),
        f"Mean F statistic, over the persons, of the first {TOP:.0%} of the pixels. {name} minus "
        f"all pixels: {gain:+z.2f}.{leads}",
        f"mean F, {name} minus all pixels: {gain:+z.2f}",
        (
            ("", *means.index, "all pixels"),
            ("mean F", *(f"{value:.2f}" for value in (*means, average))),
        ),
    )
