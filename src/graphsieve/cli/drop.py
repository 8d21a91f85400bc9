"""``graphsieve drop``: a table without the columns that the others predict."""

from .options import Dropping, command


@command(
    "graphsieve drop data.csv --explained 0.9 -o smaller.csv",
    "graphsieve drop survey.csv --keep id --include age --report page.html",
    "graphsieve drop sensors.csv --explained 0.99 --explain --scores dropped.csv",
    "graphsieve drop profiles.parquet --names",
)
def drop(given: Dropping):
    """Drop the columns that the kept ones predict, so that little is lost."""
    from ..methods.drop_redundant import DropRedundant
    from .methods import checked
    from .selecting import run

    run(given, checked(DropRedundant(given.explained), "--explained"))
