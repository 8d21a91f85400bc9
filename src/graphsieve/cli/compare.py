"""``graphsieve compare``: several methods on one table, judged without labels."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from .._utils.text import counted
from .console import messages_shown, note, tell, tell_table, usage_error
from .methods import find_method
from .options import Preparing, command, option, parse_number

_Criterion = Literal["structure", "neighborhood", "reconstruction", "stability", "redundancy"]


@dataclass(frozen=True)
class _Comparing(Preparing):
    number: Any = option("-k --n-features N|P%", "Features to select.", ..., parse=parse_number)
    methods: str | None = option(
        "--methods NAME,...", "Default: sieve, gafs, css, mrsf, lap_score."
    )
    criterion: _Criterion = option("--criterion", "The criterion that decides.", "structure")
    repeats: int = option("--repeats N", "Times that the rows are split in half.", 3, min=1)
    output: Path | None = option("-o --output FILE", "Write the table.")
    plot: Path | None = option("--plot FILE", "Draw the table (PNG, SVG or PDF).")
    include, cost = None, None


@command(
    "graphsieve compare genes.csv -k 50 --methods sieve,css,mrsf -o table.csv --plot p.png",
    "graphsieve compare sensors.csv -k 10% --criterion reconstruction --impute median",
    note="The variance and a random ranking are always compared as well.",
)
def compare(given: _Comparing):
    """Compare methods on a table without labels."""
    from ..inspection import compare as compare_methods
    from ..inspection.compare import CRITERIA, METHODS, trust
    from ..plots import comparison_figure
    from .io.files import WRITABLE, check_input, check_outputs, opened, write_outputs
    from .io.tables import Table
    from .prepare import prepare, read

    if given.number == "auto":
        raise usage_error("give a number or a percentage, the same for all methods", "-k")
    check_input(given.file, given)
    figures = (".png", ".svg", ".pdf")
    check_outputs(given, (given.output, WRITABLE, "-o"), (given.plot, figures, "--plot"))
    names = [name.strip() for name in given.methods.split(",")] if given.methods else METHODS
    methods = {name: find_method(name, "--methods")() for name in names}
    with messages_shown(), opened(given.file) as source:
        data = prepare(source[1], read(source, given), given, accepts_gaps=True)
        methods = _that_fit(methods, data, given)
        how: dict[str, Any] = {"criterion": given.criterion, "n_repeats": given.repeats}
        how |= {"random_state": given.seed, "n_jobs": given.jobs, "verbose": 1}
        found = compare_methods(data.X, given.number, methods, **how)
        table = found.table
        draw = partial(comparison_figure(table, found.best).savefig, dpi=150)
        write_outputs([(given.plot, draw), (given.output, Table(table, list(table)))])
    of_all = f"{found.n_rows:,} of " if found.n_rows < len(data.table) else ""
    columns, rows = counted(data.X.shape[1], "column"), counted(len(data.table), "row")
    tell(f"{found.n_features:,} of {columns} of {source[1]} ({of_all}{rows}), best first")
    cells = {"method": table["candidate"]}
    for criterion, more_is_better in CRITERIA.items():
        heading = f"{criterion}\n({'higher' if more_is_better else 'lower'})"
        cells[heading] = table[criterion].map("{:.3f}".format)
    cells["time"] = table["seconds"].map("{:.1f} s".format)
    tell_table(cells, left=["method"], bold=list(table["candidate"]).index(found.best))
    tell(found.verdict)
    tell(trust(found.criterion))
    for path in filter(None, (given.output, given.plot)):
        tell(f"Written: {path}")


def _that_fit(methods, data, given):
    from sklearn.utils import get_tags

    from ..anndata.select import adapt_to_expression

    if data.table.labels is not None:
        for method in methods.values():
            adapt_to_expression(method)
    refused = [name for name, m in methods.items() if not get_tags(m).input_tags.allow_nan]
    if not refused or not data.has_gaps:
        return methods
    said = f"missing values are not accepted by {', '.join(refused)}"
    if given.methods:
        raise ValueError(f"{said}: add --impute median, or leave these methods out")
    note(f"{said}, which are left out; --impute median includes them")
    return {name: method for name, method in methods.items() if name not in refused}
