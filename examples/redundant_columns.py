"""Ranking by norm and picking greedily, from the same fitted model.

Measurements of tumours come in families: radius, perimeter and area say nearly the same. Ranking by
norm keeps relatives together; greedy selection takes one of them and moves on, and the columns that
it keeps tell more about those it drops.
"""

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer

from graphsieve import GAFS

X = load_breast_cancer(as_frame=True).data
Z = (X - X.mean()) / X.std()

figure = Figure(figsize=(11, 4.6), layout="constrained")
for axes, selection in zip(figure.subplots(1, 2), ("norm", "greedy"), strict=True):
    sel = GAFS(8, selection=selection, alpha=1e-3, decay=1e-3, random_state=0).fit(X)
    kept = X.columns[sel.get_support()]
    fit = np.linalg.lstsq(Z[kept], Z, rcond=None)[0]
    lost = ((Z - Z[kept].to_numpy() @ fit) ** 2).to_numpy().mean()
    image = axes.imshow(X[kept].corr().abs(), vmin=0, vmax=1, cmap="cividis")
    axes.set_yticks(range(8), kept)
    axes.set_xticks([])
    axes.set_title(f'selection="{selection}"')
    axes.set_xlabel(f"not explained by the 8: {lost:.0%} of the variance of all 30")
figure.colorbar(image, ax=figure.axes, label="|correlation|")
figure.suptitle("8 of 30 columns, kept by GAFS")
figure.savefig("redundant_columns.png", dpi=110)
