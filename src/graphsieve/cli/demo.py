"""``graphsieve demo``: compare methods on data that ship with scikit-learn."""

from pathlib import Path

from .console import messages_shown, progress, tell, tell_table
from .options import Given, command

_PAGE = Path("graphsieve-demo.html")
_METHODS = ("sieve", "gafs", "css", "lap_score", "variance", "random")
_SHARES, _SHARE_OF_PAGE, _SPLITS = (0.1, 0.2, 0.5), 0.2, 2


@command("graphsieve demo")
def demo(given: Given):
    """Select pixels of handwritten digits with several methods and compare them."""
    import pandas as pd
    from sklearn.datasets import load_digits

    from ..evaluation import evaluate
    from .io.files import write_outputs

    digits = load_digits(as_frame=True)
    X, y = digits.data, digits.target
    how: dict = {"shares": _SHARES, "n_splits": _SPLITS, "metrics": ("accuracy",)}
    tables: dict = {}
    with messages_shown():
        for name in _METHODS:
            with progress(f"{name}: {len(tables) + 1} of {len(_METHODS)}"):
                scores = evaluate(_make(name), X, y, all_features=not tables, scale="global", **how)
            tables[name] = scores.groupby("n_features")["accuracy"].mean()
        looks = {"color": y, "image_shape": (8, 8), "title": "Handwritten digits"}
        page = _make(_METHODS[0], _SHARE_OF_PAGE).fit(X).report(X, **looks)
        write_outputs([(_PAGE, page.save)])
    accuracy = pd.DataFrame(tables).T
    *few, n_pixels = accuracy
    reached = accuracy[n_pixels].iloc[0]
    tell(f"Accuracy of a softmax classifier, {reached:.3f} with all {n_pixels} pixels")
    cells = {f"{n} pixels": accuracy[n].map("{:.3f}".format) for n in few}
    tell_table({"method": _METHODS} | cells, left=["method"])
    tell(f"Means over {_SPLITS} splits; pixels are selected without labels.")
    tell(f"Report: {_PAGE.absolute().as_uri()}")


def _make(name, n_features=None):
    from ..methods import REGISTRY

    method = REGISTRY[name](n_features)
    wanted = {"scale": "global", "random_state": 0}
    return method.set_params(**{key: wanted[key] for key in wanted if key in method.get_params()})
