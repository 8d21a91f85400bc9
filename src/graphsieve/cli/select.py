"""``graphsieve select``: the best columns of a table in a file."""

from types import SimpleNamespace

import typer

from . import options
from .console import examples

EPILOG = examples(
    "graphsieve select genes.csv -k 50 -o selected.csv",
    "graphsieve select profiles.csv -k 10% --keep 'Metadata_*' --impute median -o selected.csv",
    "graphsieve select genes.csv -k 50 --include panel.txt --save kept.json --report page.html",
    "graphsieve select sensors.csv --cost prices.csv --budget 900 --batch site --explain",
    "graphsieve select cells.h5ad -k 300 --include panel.txt --batch donor -o marked.h5ad",
    "graphsieve select pixels.npy -k 100 --method lap_score --set n_neighbors=10",
    "graphsieve select faces.mat -k 5% --key fea -o faces.parquet --force",
    "zcat sensors.csv.gz | graphsieve select - -k 20 --drop time --scores scores.csv",
    note="Exit codes: 0 success, 1 a problem with the data or the run, 2 a wrong command. "
    "A run that fails writes nothing.",
)


@options.reads_table
def select(
    ctx: typer.Context,
    file: options.File,
    number: options.Number = None,
    output: options.Output = None,
    scores: options.Scores = None,
    save: options.Save = None,
    report: options.Report = None,
    subset: options.Subset = False,
    explain: options.Explain = False,
    image_shape: options.ImageShape = None,
    color: options.Color = None,
    raw_names: options.RawNames = False,
    force: options.Force = False,
    method: options.Method = "sieve",
    parameters: options.Parameters = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    drop: options.Drop = None,
    keep: options.Keep = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    cost: options.Cost = None,
    budget: options.Budget = None,
    batch: options.Batch = None,
    no_ids: options.NoIds = False,
    impute: options.Impute = None,
    drop_rows: options.DropRows = False,
    encode: options.Encode = None,
    *,
    reading: dict,
):
    """Select the features that carry the structure of a table."""
    given = SimpleNamespace(**locals())
    # NumPy and scikit-learn are slow to load: not for a call of --help.
    from .selecting import run

    run(given, ctx.meta["arguments"])
