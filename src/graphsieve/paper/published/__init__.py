"""Numbers that others have published, to compare ours with."""

import tomllib
from importlib.resources import files

from ..paired import by_split


def published(name):
    """Read published scores; the name of a benchmark is that of our experiment, too.

    Returns
    -------
    score : str
        Which column of our tables is comparable.
    shares : list of float
        Fractions of the features over which the scores are averaged.
    scores : pandas.DataFrame
        One row per data set, one column per method.
    """
    import pandas as pd

    content = tomllib.loads(files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))
    return content["score"], content["shares"], pd.DataFrame(content["methods"])


def with_published(table, name):
    """Our scores, from the finished rows of an experiment, and the published ones, averaged alike.

    One row per data set that we have run, one column per method; published methods have their
    origin after the name. Ours are missing where not all the fractions were run.
    """
    score, shares, theirs = published(name)
    rows = table[table["share"].isin(shares)]
    complete = rows.groupby(["dataset", "split", "method"])["share"].transform("nunique")
    rows = rows[complete == len(shares)]
    ours = by_split(rows, score).groupby("dataset", sort=False).mean()
    return ours.join(theirs.add_suffix(f" ({name})"))
