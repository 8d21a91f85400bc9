"""``graphsieve demo``: compare methods on data that ship with scikit-learn."""

import sys
import time
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import typer

from .compare import PICTURES
from .console import messages_shown, progress, tell, tell_table
from .options import Given, command, option

_PICTURE, _PAGE = Path("graphsieve-demo.png"), Path("graphsieve-demo.html")
# Every method with its defaults, but for the scale, and GAFS as in the paper.
_PAPER = "gafs (paper)"
_METHODS = ("sieve", "gafs", _PAPER, "css", "mrsf", "lap_score", "variance", "random")
_SHARES = (0.1, 0.2, 0.5)
_PICTURE_SHARE = 0.2
_METRICS = {
    "accuracy": "Accuracy of a softmax classifier",
    "acc": "ACC of k-means clusters",
    "nmi": "NMI of k-means clusters",
}
_SPLITS = 2


@dataclass(frozen=True)
class _Demonstrating(Given):
    output: Path = option("-o --output FILE", "Picture to save: PNG, SVG or PDF.", _PICTURE)
    force: bool = option("--force", "Overwrite a file whose name is not the default.", False)


@command("graphsieve demo", "graphsieve demo -o pixels.svg --force")
def demo(given: _Demonstrating):
    """Select pixels of handwritten digits with several methods and compare them."""
    import pandas as pd
    from matplotlib.figure import Figure
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning

    from ..evaluation import evaluate
    from .io.files import check_output, write_outputs

    check_output(given.output, PICTURES, given.force or given.output == _PICTURE, "-o")
    start, digits = time.perf_counter(), load_digits(as_frame=True)
    X, y = digits.data.to_numpy(), digits.target.to_numpy()
    n_columns = (len(_METHODS) + 1) // 2
    figure = Figure(figsize=(2.2 * n_columns, 5.4), layout="constrained")
    panels = figure.subplots(2, n_columns).ravel()
    # With several splits, a few repetitions are enough.
    how: dict[str, Any] = {"shares": _SHARES, "n_splits": _SPLITS, "n_repeats": 5}
    how |= {"scale": "global", "metrics": ("accuracy", "clustering")}
    tables: dict = {}
    with messages_shown():
        # The setting of the paper is slow to converge, and the demo cuts it short.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for name, panel in zip(_METHODS, panels, strict=False):
            with progress(f"{name}: {len(tables) + 1} of {len(_METHODS)}"):
                tables[name] = evaluate(_make(name), X, y, all_features=not tables, **how)
            sel = _make(name, _PICTURE_SHARE).fit(X)
            sel.plot.mask((8, 8), image=digits.images.mean(axis=0), ax=panel)
            panel.set_title(name, fontsize=11, fontweight="bold", loc="left")
            means = tables[name].groupby("n_features")["accuracy"].mean()
            reached = f"{sel.n_features_} pixels: accuracy {means[sel.n_features_]:.2f}"
            panel.set_xlabel(reached, fontsize=9, loc="left")
        looks = {"color": digits.target, "image_shape": (8, 8), "title": "Handwritten digits"}
        page = _make("sieve", _PICTURE_SHARE).fit(digits.data).report(digits.data, **looks)
        draw = partial(figure.savefig, dpi=150)
        write_outputs([(given.output, draw), (_PAGE, page.save)])
    scores = pd.concat(tables, names=["name"]).groupby(["name", "n_features"])
    for metric, title in _METRICS.items():
        values = scores[metric].mean().unstack().loc[list(_METHODS)]
        *few, n_pixels = values.columns
        tell(f"{title}, {values.at[_METHODS[0], n_pixels]:.3f} with all {n_pixels} pixels")
        cells = {f"{n} pixels": values[n].map("{:.3f}".format) for n in few}
        tell_table({"method": _METHODS} | cells, left=["method"])
        tell("")
    tell(
        f"Means over {_SPLITS} splits; pixels are selected without labels. gafs (paper): GAFS as "
        "published; gafs: with recursive elimination. Pixels have one unit, hence "
        'scale="global", but for mrsf.'
    )
    tell(f"Picture: {given.output}")
    tell(f"Report:  {_PAGE.absolute().as_uri()} ({time.perf_counter() - start:.0f} s)")
    if sys.stdout.isatty():
        typer.launch(str(_PAGE.absolute()))


def _make(name, n_features=None):
    from ..methods import GAFS, REGISTRY

    method = GAFS.paper(n_features) if name == _PAPER else REGISTRY[name](n_features)
    # Where a pixel varies little, MRSF gives it large weights, unless pixels are standardised.
    if method.get_params().get("scale") == "auto" and name != "mrsf":
        method.set_params(scale="global")
    # Scores have a seed for every split.
    if n_features is not None and "random_state" in method.get_params():
        method.set_params(random_state=0)
    return method
