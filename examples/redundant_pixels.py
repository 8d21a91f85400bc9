"""Ranking by norm and picking greedily, from the same fitted model.

Neighbouring pixels say the same. By norm they all come first together; greedy selection takes one
of them and moves on.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_digits

from graphsieve import GAFS

X = load_digits().data
setting = {"alpha": 1e-3, "decay": 1e-3, "scale": "global", "random_state": 0}

figure = Figure(figsize=(6, 3.2), layout="constrained")
for axes, selection in zip(figure.subplots(1, 2), ("norm", "greedy"), strict=True):
    kept = GAFS(10, selection=selection, **setting).fit(X).get_support()
    correlation = np.abs(np.corrcoef(X[:, kept].T))
    mean = (correlation.sum() - 10) / 90
    axes.imshow(X.mean(axis=0).reshape(8, 8), cmap="Greys", vmax=25)
    rows, columns = np.nonzero(kept.reshape(8, 8))
    axes.scatter(columns, rows, marker="s", s=120, color="#0072b2")
    axes.set(title=f'selection="{selection}"', xticks=[], yticks=[])
    axes.set_xlabel(f"mean |correlation| {mean:.2f}")
figure.suptitle("10 of 64 pixels, on the mean digit")
figure.savefig("redundant_pixels.png", dpi=120)
