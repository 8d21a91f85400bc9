"""``graphsieve select`` and ``graphsieve drop``: the best columns of a table in a file."""

from .options import Dropping, Selecting, command


@command(
    "graphsieve select genes.csv -k 50 -o selected.csv",
    "graphsieve select profiles.csv -k 10% --keep 'Metadata_*' --impute median -o selected.csv",
    "graphsieve select sensors.csv --cost prices.csv --budget 900 --batch site --explain",
    "graphsieve select cells.h5ad -k 300 --include panel.txt --batch donor -o marked.h5ad",
    "graphsieve select pixels.npy -k 100 --method lap_score --set n_neighbors=10",
    "zcat sensors.csv.gz | graphsieve select - -k 20 --drop time --names",
)
def select(given: Selecting):
    """Select the features that carry the structure of a table."""
    # NumPy and scikit-learn are slow to load: not for a call of --help.
    from .methods import make_method
    from .selecting import run

    run(given, make_method(given))


@command(
    "graphsieve drop data.csv --explained 0.9 -o smaller.csv",
    "graphsieve drop sensors.csv --explained 0.99 --explain --scores dropped.csv",
)
def drop(given: Dropping):
    """Drop the columns that the kept ones predict, so that little is lost."""
    from ..methods.drop_redundant import DropRedundant
    from .methods import checked
    from .selecting import run

    run(given, checked(DropRedundant(given.explained), "--explained"))
