"""``graphsieve demo``: compare methods on data that ship with scikit-learn."""

import sys
import time
import warnings
from pathlib import Path
from typing import Annotated

import typer

from .compare import PICTURES
from .console import messages_shown, progress, tell, tell_table
from .options import command

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


@command("graphsieve demo", "graphsieve demo -o pixels.svg --force")
def demo(
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="Picture to save: PNG, SVG or PDF."),
    ] = _PICTURE,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite a file whose name is not the default.")
    ] = False,
):
    """Select pixels of handwritten digits with several methods and compare them."""
    from sklearn.datasets import load_digits
    from sklearn.exceptions import ConvergenceWarning

    from .io.files import check_output

    check_output(output, PICTURES, force or output == _PICTURE, "-o")
    start = time.perf_counter()
    with messages_shown():
        # The setting of the paper is slow to converge, and the demo cuts it short.
        warnings.simplefilter("ignore", ConvergenceWarning)
        digits = load_digits(as_frame=True)
        scores = _score(digits)
        _save_picture(output, digits, scores)
        with progress(f"Writing {_PAGE}"):
            looks = {"color": digits.target, "image_shape": (8, 8), "title": "Handwritten digits"}
            _make("sieve", _PICTURE_SHARE).fit(digits.data).report(digits.data, _PAGE, **looks)
    _show(scores)
    page = _PAGE.absolute()
    tell(f"Picture: {output}")
    tell(f"Report:  {page.as_uri()} ({time.perf_counter() - start:.0f} s)")
    if sys.stdout.isatty():
        typer.launch(str(page))


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


def _score(digits):
    """The mean scores by method and number of pixels, all of them for the first method."""
    import pandas as pd

    from ..evaluation import evaluate

    X, y, tables = digits.data.to_numpy(), digits.target.to_numpy(), {}
    for name in _METHODS:
        with progress(f"{name}: {len(tables) + 1} of {len(_METHODS)}"):
            tables[name] = evaluate(
                _make(name),
                X,
                y,
                shares=_SHARES,
                n_splits=_SPLITS,
                scale="global",
                # With several splits, a few repetitions are enough.
                n_repeats=5,
                metrics=("accuracy", "clustering"),
                all_features=not tables,
            )
    table = pd.concat(tables, names=["name"]).groupby(["name", "n_features"])
    return table[list(_METRICS)].mean()


def _save_picture(path, digits, scores):
    from matplotlib.figure import Figure

    from .._utils.files import replacing

    X, accuracy = digits.data.to_numpy(), scores["accuracy"]
    n_columns = (len(_METHODS) + 1) // 2
    figure = Figure(figsize=(2.2 * n_columns, 5.4), layout="constrained")
    figure.suptitle(f"all pixels: accuracy {accuracy[_METHODS[0], X.shape[1]]:.2f}", fontsize=9)
    panels = figure.subplots(2, n_columns).ravel()
    for name, panel in zip(_METHODS, panels, strict=False):
        sel = _make(name, _PICTURE_SHARE).fit(X)
        sel.plot.mask((8, 8), image=digits.images.mean(axis=0), ax=panel)
        panel.set_title(name, fontsize=11, fontweight="bold", loc="left")
        reached = accuracy[name, sel.n_features_]
        panel.set_xlabel(
            f"{sel.n_features_} pixels: accuracy {reached:.2f}", fontsize=9, loc="left"
        )
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _show(scores):
    """Print one table per metric."""
    for metric, title in _METRICS.items():
        values = scores[metric].unstack().loc[list(_METHODS)]
        *few, n_pixels = values.columns
        tell(f"{title}, {values.at[_METHODS[0], n_pixels]:.3f} with all {n_pixels} pixels")
        cells = {f"{n} pixels": [f"{value:.3f}" for value in values[n]] for n in few}
        tell_table({"method": _METHODS} | cells, left="method")
        tell("")
    tell(
        f"Means over {_SPLITS} splits; pixels are selected without labels. gafs (paper): GAFS as "
        "published; gafs: with recursive elimination. Pixels have one unit, hence "
        'scale="global", but for mrsf.'
    )
