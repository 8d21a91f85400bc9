"""``graphsieve drop``: a table without the columns that the others predict."""

import typer

from .options import Dropping, File, command


@command(
    "graphsieve drop data.csv --explained 0.9 -o smaller.csv",
    "graphsieve drop survey.csv --keep id --include age --report page.html",
    "graphsieve drop sensors.csv --explained 0.99 --explain --scores dropped.csv",
    "graphsieve drop profiles.parquet --names",
)
def drop(ctx: typer.Context, file: File, given: Dropping):
    """Drop the columns that the kept ones predict, so that little is lost."""
    from ..methods.drop_redundant import DropRedundant
    from .methods import checked
    from .selecting import check, run

    check(file, given, method := checked(DropRedundant(given.explained), "--explained"))
    run(file, given, method, ctx.meta["arguments"])
