"""Claims about the parameters of GAFS."""

import json

import numpy as np

from ..analysis import SCORES, by_split, fixed, oracle, over_sets, over_splits, unpacked
from .claim import LABELS, OPEN, Claim, judge

# Differences of ACC that a user would notice.
NOTICEABLE = 0.05
# Fraction of the features at which the paper shows ACC over lambda and gamma.
SHARE = 0.2
# Ranges of ACC over the grid that the paper gives.
_TEXT = {"pcmac": 0.008, "basehock": 0.008, "relathe": 0.004}


def insensitive_to_hidden(table, ours="gafs"):
    """ACC hardly depends on m, except on Yale."""
    text = "The hidden size m hardly matters, except on Yale, where m of 40 or less is better."
    text = text if ours == "gafs" else f"{LABELS[ours]}: t{text[1:]}"
    rows = unpacked(table[table["method"] == ours], ["n_hidden"]).dropna(subset="n_hidden")
    sizes = np.sort(rows["n_hidden"].unique())
    if len(sizes) < 2:
        return Claim(text, OPEN, "Fewer than two hidden sizes were run.")
    ranges, signs, yale = {}, [], ""
    for dataset, part in rows.groupby("dataset", sort=False):
        if dataset != "yale":
            ranges[dataset] = _range(part, "n_hidden")
            signs.append(ranges[dataset].below(NOTICEABLE))
        elif sizes.max() > 40:
            small = _difference(part[part["n_hidden"] <= 40], part[part["n_hidden"] > 40])
            signs.append(small.sign)
            yale = f"Yale, m <= 40 minus larger m: {small}"
    return Claim(
        text,
        judge(signs),
        f"Range of ACC over m = {', '.join(f'{m:g}' for m in sizes)}, mean over the fractions; a "
        f"user would notice {NOTICEABLE}. {yale}.",
        yale,
        (("data set", "range"), *((name, str(value)) for name, value in ranges.items())),
    )


def penalties(table):
    """ACC by data set, alpha and graph weight at 20 % of the features, mean over the splits."""
    return _grid(table).groupby(["dataset", "alpha", "graph_weight"])["acc"].mean()


def best_lambda(table):
    """lambda = 1e-2 is best on MNIST and COIL20."""
    text = "On MNIST and COIL20 lambda = 1e-2 is best; smaller and larger values are worse."
    rows = _grid(table)
    leads, means_of = {}, {}
    for dataset in ("mnist", "coil20"):
        part = rows[rows["dataset"] == dataset]
        means = part.groupby("alpha")["acc"].mean()
        if 1e-2 not in means or len(means) < 2:
            return Claim(text, OPEN, f"{dataset} was not run.")
        second = means.drop(1e-2).idxmax()
        leads[dataset] = _difference(part[part["alpha"] == 1e-2], part[part["alpha"] == second])
        means_of[dataset] = means
    what = "lead of 1e-2 over the best other value"
    return _by_lambda(text, means_of, what, leads)


def grows_with_lambda(table, ours="gafs"):
    """ACC grows with lambda on Yale, Prostate_GE and Isolet."""
    text = "On Yale ACC grows with lambda; on Prostate_GE and Isolet similarly."
    text = text if ours == "gafs" else f"{LABELS[ours]}: o{text[1:]}"
    rows = _grid(table, ours)
    growth, means_of = {}, {}
    for dataset in ("yale", "prostate_ge", "isolet"):
        part = rows[rows["dataset"] == dataset]
        if len(part):
            largest, smallest = part["alpha"].max(), part["alpha"].min()
            growth[dataset] = _difference(
                part[part["alpha"] == largest], part[part["alpha"] == smallest]
            )
            means_of[dataset] = part.groupby("alpha")["acc"].mean()
    if not growth:
        return Claim(text, OPEN, "None of the three was run.")
    return _by_lambda(text, means_of, "largest minus smallest lambda", growth)


def flat_on_text(table):
    """On the text data neither parameter matters."""
    text = "On PCMAC, BASEHOCK and RELATHE ACC varies by no more than 0.8, 0.8 and 0.4 points."
    rows = _grid(table)
    ranges = {
        name: _range(rows[rows["dataset"] == name], ["alpha", "graph_weight"])
        for name in _TEXT
        if name in set(rows["dataset"])
    }
    if not ranges:
        return Claim(text, OPEN, "None of the three was run.")
    return Claim(
        text,
        judge(value.below(_TEXT[name]) for name, value in ranges.items()),
        f"Best minus worst setting of the grid: {_listed(ranges)}.",
        f"range: {_listed(ranges)}",
    )


def gamma_in_the_middle(table, ours="gafs"):
    """A moderate graph weight is best."""
    text = "A moderate gamma is best: without the graph term, and with a large gamma, ACC is lower."
    text = text if ours == "gafs" else f"{LABELS[ours]}: a{text[1:]}"
    rows = _grid(table, ours)
    leads, means_of = {}, {}
    for dataset, part in rows.groupby("dataset", sort=False):
        means = part.groupby("graph_weight")["acc"].mean()
        if len(means) < 3:
            return Claim(text, OPEN, "Fewer than three values of gamma were run.")
        inside, end = means.iloc[1:-1].idxmax(), means.iloc[[0, -1]].idxmax()
        leads[dataset] = _difference(
            part[part["graph_weight"] == inside], part[part["graph_weight"] == end]
        )
        means_of[dataset] = means
    if not leads:
        return Claim(text, OPEN, "GAFS is missing.")
    signs = [lead.sign for lead in leads.values()]
    return Claim(
        text,
        judge(signs),
        "ACC by gamma, mean over lambda, and the best value inside the grid minus the better of "
        "its ends.",
        f"clearly better inside the grid on {sum(s > 0 for s in signs)} of {len(signs)} data sets",
        _by_value("gamma", means_of, "inside minus ends", leads),
    )


def both_grids(table):
    """The rows of the data sets and splits on which both forms of GAFS were run on a whole grid."""
    settings = table[table["method"] == "gafs_recursive"].groupby(["dataset", "split"])["setting"]
    whole = settings.nunique()
    whole = whole.index[whole == whole.max()]
    return table[table.set_index(["dataset", "split"]).index.isin(whole)]


def mean_scores(table, rule):
    """Mean of the three scores by data set and split, one column per method.

    ``rule`` is "fixed" or "oracle".
    """
    chosen = (fixed(table) if rule == "fixed" else oracle(table, score) for score in SCORES)
    return sum(by_split(rows, s) for rows, s in zip(chosen, SCORES, strict=True)) / len(SCORES)


def recursion_under_both_rules(table):
    """Recursive elimination against one pass, at one setting and at the best of the same grid."""
    text = (
        "Recursive elimination improves GAFS at one fixed setting and under the oracle rule "
        "(same grid of lambda and gamma for both: our addition)."
    )
    rows = both_grids(table)
    if not {"gafs", "gafs_recursive", "random"} <= set(rows["method"]):
        return Claim(text, OPEN, "One of the two forms of GAFS is missing.")
    scores = {rule: mean_scores(rows, rule) for rule in ("fixed", "oracle")}
    scores["oracle"]["random"] = scores["fixed"]["random"]
    pairs = {
        "as published minus random": ("gafs", "random"),
        "with elimination minus random": ("gafs_recursive", "random"),
        "with elimination minus as published": ("gafs_recursive", "gafs"),
    }
    gains = {
        name: [over_sets(found[one] - found[other]) for found in scores.values()]
        for name, (one, other) in pairs.items()
    }
    difference = gains["with elimination minus as published"]
    cross = over_sets(scores["fixed"]["gafs_recursive"] - scores["oracle"]["gafs"])
    n_sets, n_cases = rows["dataset"].nunique(), len(scores["fixed"])
    return Claim(
        text,
        judge(gain.sign for gain in difference),
        f"Means of accuracy, ACC and NMI on {n_sets} data sets, {n_cases} splits in all; random "
        "selection is one draw under both rules. With elimination at one setting, minus as "
        f"published at the best of the grid: {cross}.",
        f"gain at one setting {difference[0]}, under the oracle rule {difference[1]}",
        (("", *scores), *((name, *map(str, values)) for name, values in gains.items())),
    )


def _grid(table, ours="gafs"):
    """Rows of GAFS at the fraction that the paper shows."""
    rows = table[(table["method"] == ours) & (table["share"] == SHARE)]
    rows = unpacked(rows, ["alpha", "graph_weight"])
    return rows.dropna(subset=["alpha", "graph_weight"])


def _by_lambda(text, means, what, estimates):
    """Claim that holds if all estimates are positive; ``what`` says what they are."""
    return Claim(
        text,
        judge(estimate.sign for estimate in estimates.values()),
        "ACC by lambda, mean over gamma.",
        f"{what}: {_listed(estimates)}",
        _by_value("lambda", means, what, estimates),
    )


def _by_value(name, means, what, estimates):
    """Table of the means by the value of a parameter, and the estimate, of every data set."""
    import pandas as pd

    # A value that a data set lacks leaves its cell empty.
    frame = pd.DataFrame(means).sort_index()
    rows = [
        (
            dataset,
            *("" if np.isnan(mean) else f"{mean:.3f}" for mean in column),
            str(estimates[dataset]),
        )
        for dataset, column in frame.items()
    ]
    return ((name, *(f"{value:g}" for value in frame.index), what), *rows)


def _range(rows, names):
    """Largest minus smallest mean of ACC over the values of a parameter."""
    means = rows.groupby(names)["acc"].mean()
    indexed = rows.set_index(names)
    return _difference(indexed.loc[[means.idxmax()]], indexed.loc[[means.idxmin()]])


def _difference(left, right):
    """Mean difference of ACC on the same splits."""
    values = left.groupby("split")["acc"].mean() - right.groupby("split")["acc"].mean()
    return over_splits(values, np.hypot(_standard_error(left), _standard_error(right)))


def _standard_error(rows):
    """Standard error of the mean of ACC that is due to the starts of k-means."""
    if "acc_std" not in rows:
        return 0.0
    repeats = np.array([json.loads(text)["n_repeats"] for text in rows["protocol"]])
    return float(np.sqrt((rows["acc_std"] ** 2 / repeats).sum()) / len(rows))


def _listed(estimates):
    return ", ".join(f"{name} {estimate}" for name, estimate in estimates.items())
