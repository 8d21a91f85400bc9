"""Tables that grow row by row, so that a run continues where the last one ended."""

import pandas as pd


def finished(path, columns):
    """Values of ``columns`` in the table that is stored at ``path``, as a set of tuples."""
    if not path.exists():
        return set()
    return set(pd.read_csv(path)[columns].itertuples(index=False, name=None))


def append(path, rows):
    """Append rows to the table at ``path``."""
    rows.to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.5g")
