"""Ordinary tables with planted groups of columns: which groups do the first columns represent?

A table is a pair (X, group): the group of every column, -1 for noise. Columns of a group measure
the same quantity with an error of 10 to 30 % of its standard deviation, in random units.
"""

import numpy as np


def mixed(rng, n=400):
    """Six quantities of different shapes, three columns each."""
    shapes = [
        rng.normal(size=n),
        np.exp(rng.normal(size=n)),
        rng.poisson(3, n),
        rng.integers(0, 2, n),
        rng.uniform(size=n),
        np.where(rng.integers(0, 2, n), -4, 4) + rng.normal(size=n),
    ]
    return _in_units(rng, *_measured(rng, shapes, [3] * 6))


def mixed_with_noise(rng, n=400):
    """The same with twenty columns of noise."""
    return _shuffled(rng, *_with_noise(rng, *mixed(rng, n), 20))


def batches(rng, n=400):
    """Three quantities, and the site where they were measured, which dominates all distances."""
    site, Z = rng.integers(0, 2, n), rng.normal(size=(n, 3))
    columns = [Z[:, j % 3] + 0.2 * rng.normal(size=n) for j in range(9)]
    columns += [6 * site + 0.3 * rng.normal(size=n) for _ in range(6)]
    return np.column_stack(columns), np.r_[np.arange(9) % 3, np.full(6, 3)]


def heavy_tails(rng, n=400):
    """Five heavy-tailed quantities with two degrees of freedom, and as many columns of noise."""
    X, group = _measured(rng, [rng.standard_t(2, n) for _ in range(5)], [3] * 5)
    return _in_units(rng, *_with_noise(rng, X, group, 15))


def customers(rng, n=500):
    """Skewed amounts and their logarithms, ages, tenures, counts, and a flag."""
    amount, age = np.exp(1.2 * rng.normal(size=n)), rng.uniform(18, 80, n)
    tenure, count = rng.exponential(5, n), rng.poisson(2, n)
    flag = rng.uniform(size=n) < 0.3
    columns = [
        *(amount * np.exp(0.1 * rng.normal(size=n)) for _ in range(2)),
        *(np.log(amount) + 0.1 * rng.normal(size=n) for _ in range(2)),
    ]
    X, group = _measured(rng, [age, tenure, count, flag], [3, 3, 3, 2])
    return _in_units(rng, np.column_stack([*columns, X]), np.r_[np.zeros(4, int), group + 1])


def survey(rng, n=300):
    """Five factors behind rounded answers from 1 to 5."""
    X, group = _measured(rng, [rng.normal(size=n) for _ in range(5)], [6] * 5, (0.3, 0.3))
    return np.clip(np.round(3 + 1.2 * X), 1, 5), group


def sensors(rng, n=300):
    """Five sensors of several channels that drift together."""
    walks = [np.cumsum(rng.normal(size=n)) for _ in range(5)]
    trend = np.linspace(0, 1, n)
    X, group = _measured(rng, [w / w.std() + trend for w in walks], [4] * 5)
    return _in_units(rng, X, group)


def size_factor(rng, n=400):
    """Every column grows with one dominant size; five shapes beside it."""
    size = 3 * rng.normal(size=n)
    shapes = [rng.normal(size=n) for _ in range(5)]
    X, group = _measured(rng, [size, *(0.5 * size + 2 * s for s in shapes)], [4] * 6)
    return _in_units(rng, X, group)


def one_hot(rng, n=500):
    """The three codes of a category, any two of which determine the third, and four quantities."""
    codes = np.eye(3)[rng.integers(0, 3, n)]
    X, group = _measured(rng, [rng.normal(size=n) for _ in range(4)], [3] * 4)
    return _in_units(rng, np.column_stack([X, codes]), np.r_[group, 4, 4, 4])


def rare_flags(rng, n=600):
    """Flags that five percent of the rows have, three copies with errors each, and quantities."""
    columns, group = [], []
    for g in range(3):
        flag = rng.uniform(size=n) < 0.05
        for _ in range(3):
            columns.append(flag ^ (rng.uniform(size=n) < 0.003))
            group.append(g)
    X, other = _measured(rng, [rng.normal(size=n) for _ in range(3)], [3] * 3)
    return _in_units(rng, np.column_stack([*columns, X]), np.r_[group, other + 3])


def counts(rng, n=400):
    """Counts with six rates."""
    rates = [np.exp(rng.normal(1.5, 0.8, n)) for _ in range(6)]
    return np.column_stack([rng.poisson(4 * r) for r in rates for _ in range(3)]), np.arange(
        18
    ) // 3


def unequal_groups(rng, n=300):
    """Groups of 2 to 12 columns."""
    sizes = [2, 3, 4, 8, 12]
    return _in_units(rng, *_measured(rng, [rng.normal(size=n) for _ in sizes], sizes))


def few_rows(rng):
    """Four quantities and 25 rows."""
    return _in_units(rng, *_measured(rng, [rng.normal(size=25) for _ in range(4)], [4] * 4))


def errors(rng, n=300):
    """A misplaced decimal point in half of the columns."""
    X, group = _measured(rng, [rng.normal(size=n) for _ in range(5)], [4] * 5)
    wrong = rng.permutation(20)[:10]
    X[rng.integers(n, size=10), wrong] *= 1e6
    return _in_units(rng, X, group)


def codes(rng, n=300):
    """Two percent of the entries of half of the columns are -999, where a value is missing."""
    X, group = _measured(rng, [rng.normal(size=n) for _ in range(5)], [4] * 5)
    marked = np.isin(np.arange(20), rng.permutation(20)[:10])
    X[marked & (rng.uniform(size=X.shape) < 0.02)] = -999
    return X, group


def flags_of_amounts(rng, n=500):
    """Three amounts of each of four quantities, and a flag that says less, whose group is -1."""
    Z = rng.normal(size=(n, 4))
    group = np.repeat(np.arange(4), 3)
    X = Z[:, group] + 0.3 * rng.normal(size=(n, 12))
    X = np.exp(0.6 * X) if rng.integers(2) else X
    flags = Z + 0.3 * rng.normal(size=(n, 4)) > rng.choice([0, 0.8])
    return _shuffled(rng, np.column_stack([X, flags]), np.r_[group, np.full(4, -1)])


def degrees(rng):
    """A temperature in two units, rounded, and three quantities of one column; 50 or 500 rows."""
    celsius, *others = 15 + 8 * rng.normal(size=(4, rng.choice([50, 500])))
    fahrenheit = 1.8 * celsius + 32
    X = np.column_stack([celsius.round(1), fahrenheit.round(1), *others])
    return X, np.array([0, 0, 1, 2, 3])


def pairs_and_singles(rng, n=200):
    """Three pairs, the second with an error of .001 to .35 deviations, and three single columns."""
    X = rng.normal(size=(n, 6))
    error = rng.choice([0.001, 0.01, 0.05, 0.1, 0.2, 0.35])
    again = X[:, :3] + error * rng.normal(size=(n, 3))
    return _shuffled(rng, np.column_stack([X, again]), np.r_[np.arange(6), np.arange(3)])


KINDS = {
    function.__name__: function
    for function in (
        *(mixed, mixed_with_noise, batches, heavy_tails, customers, survey, sensors, size_factor),
        *(one_hot, rare_flags, counts, unequal_groups, few_rows, errors, codes),
        *(flags_of_amounts, degrees, pairs_and_singles),
    )
}


def zero_inflated(rng, n=500):
    """Five amounts that most customers do not have, with errors in proportion."""
    amounts = [
        np.where(rng.uniform(size=n) < 0.6, 0, np.exp(rng.normal(4, 1.5, n))) for _ in "12345"
    ]
    X = [q * np.exp(0.15 * rng.normal(size=n)) for q in amounts for _ in range(3)]
    return _shuffled(rng, np.column_stack(X), np.arange(15) // 3)


def fortunes(rng, n=400):
    """Three quantities of the Pareto distribution beside three of another kind."""
    X, group = _measured(rng, [np.log1p(rng.pareto(0.8, n)) for _ in range(3)], [3] * 3)
    large = [rng.pareto(1.2, n) + 1 for _ in range(3)]
    A = [q * np.exp(0.1 * rng.normal(size=n)) for q in large for _ in range(3)]
    return _shuffled(rng, np.column_stack([X, *A]), np.r_[group, 3 + np.arange(9) // 3])


def near_copies(rng, n=300):
    """Six quantities of two to five columns, whose squared correlation is .9 to .999."""
    group = np.repeat(np.arange(6), rng.integers(2, 6, 6))
    error = np.sqrt((1 / rng.uniform(0.9, 0.999, 6) - 1) / 2)[group]
    X = rng.normal(size=(n, 6))[:, group] + error * rng.normal(size=(n, len(group)))
    return _in_units(rng, *_shuffled(rng, X, group))


def one_alone(rng, n=400):
    """Groups of 1 to 30 columns: nothing predicts the column that is alone."""
    sizes = [1, 2, 3, 5, 10, 30]
    return _in_units(rng, *_measured(rng, [rng.normal(size=n) for _ in sizes], sizes))


def rare_to_common(rng, n=500):
    """Flags of 2 to 50 % of the rows, and three quantities."""
    columns, group = [], []
    for g, fraction in enumerate([0.02, 0.05, 0.1, 0.3, 0.5]):
        flag = rng.uniform(size=n) < fraction
        for _ in range(3):
            columns.append(flag ^ (rng.uniform(size=n) < 0.05 * fraction))
            group.append(g)
    X, other = _measured(rng, [rng.normal(size=n) for _ in range(3)], [3] * 3)
    X = np.column_stack([*columns, X]).astype(float)
    return _in_units(rng, *_shuffled(rng, X, np.r_[group, other + 5]))


def weak(rng, n=300):
    """Six quantities with errors of 60 to 90 % of their standard deviation."""
    quantities = [rng.normal(size=n) for _ in range(6)]
    return _in_units(rng, *_measured(rng, quantities, [5] * 6, (0.6, 0.9)))


def twenty_rows(rng):
    """The six shapes of ``mixed`` in twenty rows."""
    return mixed(rng, 20)


def mostly_noise(rng, n=60):
    """Eight quantities of eight columns among 150 columns of noise, in sixty rows."""
    X, group = _measured(rng, [rng.normal(size=n) for _ in range(8)], [8] * 8)
    return _in_units(rng, *_shuffled(rng, *_with_noise(rng, X, group, 150)))


def trends(rng, n=400):
    """Waves of four periods on a trend, the trend, and a random walk."""
    t = np.linspace(0, 1, n)
    waves = [np.sin(6.3 * k * t + rng.uniform(0, 6)) + 0.5 * t for k in (1, 2, 3, 5)]
    walk = np.cumsum(rng.normal(size=n)) / 20
    return _in_units(rng, *_measured(rng, [*waves, t, walk], [3] * 6))


def dated(rng, n=400):
    """A date in seconds, years and days, beside four quantities."""
    day = rng.integers(0, 1500, n)
    quantities = [rng.normal(size=n), rng.exponential(size=n), rng.poisson(2, n)]
    X, group = _measured(rng, [*quantities, rng.uniform(size=n) < 0.2], [3] * 4)
    dates = np.column_stack([1.6e9 + 86400 * day, 2014 + day / 365, day + rng.normal(size=n)])
    return _shuffled(rng, np.column_stack([X, dates]), np.r_[group, 4, 4, 4])


# Written after the method; reported, and no constant was chosen on them.
OTHERS = {
    function.__name__: function
    for function in (
        *(zero_inflated, fortunes, near_copies, one_alone, rare_to_common, weak, twenty_rows),
        *(mostly_noise, trends, dated),
    )
}


def needles(rng, n=300, d=500, separation=1.5):
    """Twenty columns with the means of five clusters among noise; their group is 0."""
    means = separation * rng.normal(size=(5, 20))
    X = rng.normal(size=(n, d))
    X[:, :20] += means[rng.integers(0, 5, n)]
    return _shuffled(rng, X, np.r_[np.zeros(20, int), np.full(d - 20, -1)])


def n_dimensions(kind, group):
    """Number of independent quantities in a table."""
    return int(group.max()) + 1 + (kind == "one_hot")


def covered(order, group, n_first):
    """Fraction of the groups that the first columns represent."""
    return len(set(group[order[:n_first]]) - {-1}) / (group.max() + 1)


def _measured(rng, quantities, sizes, error=(0.1, 0.3)):
    """Several columns of every quantity, in random order, and their groups."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    Z = np.column_stack(quantities).astype(float)
    spread = Z.std(axis=0)[group] * rng.uniform(*error, len(group))
    X = Z[:, group] + spread * rng.normal(size=(len(Z), len(group)))
    return _shuffled(rng, X, group)


def _with_noise(rng, X, group, n_columns):
    noise = rng.normal(size=(len(X), n_columns))
    return np.column_stack([X, noise]), np.r_[group, np.full(n_columns, -1)]


def _in_units(rng, X, group):
    units = 10 ** rng.uniform(-4, 4, X.shape[1])
    return (X + rng.normal(size=X.shape[1])) * units, group


def _shuffled(rng, X, group):
    order = rng.permutation(X.shape[1])
    return X[:, order], group[order]
