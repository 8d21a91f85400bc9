"""
Redundant columns: one score for each, or one pick after another
================================================================

Measurements of tumours come in families: radius, perimeter and area carry almost the same
information. GAFS as published trains its network once and scores all columns by their weights:
members of a family share weight and score alike. GAFS with recursive elimination, the default,
drops the columns of smallest score and goes on training. GraphSieve picks columns one after
another, each for what it adds.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from graphsieve import GAFS, GraphSieve

X = load_breast_cancer(as_frame=True).data
Z = (X - X.mean()) / X.std()

methods = {
    "GAFS.paper()": GAFS.paper(8, random_state=0),
    "GAFS()": GAFS(8),
    "GraphSieve()": GraphSieve(8),
}
figure, panels = plt.subplots(1, 3, figsize=(15, 4.2), layout="constrained")
for axes, (name, sel) in zip(panels, methods.items(), strict=True):
    sel.fit(X)
    kept = X.columns[sel.get_support()]
    weights = np.linalg.lstsq(Z[kept], Z, rcond=None)[0]
    lost = ((Z - Z[kept].to_numpy() @ weights) ** 2).to_numpy().mean()
    image = axes.imshow(X[kept].corr().abs(), vmin=0, vmax=1, cmap="cividis")
    axes.set_yticks(range(8), kept)
    axes.set_xticks([])
    axes.set_title(name)
    axes.set_xlabel(f"{lost:.0%} of the variance is not explained")
    print(f"{name}: {lost:.1%} of the variance of all 30 columns is not explained")
figure.colorbar(image, ax=panels, label="|correlation|")
figure.suptitle("8 of 30 columns")
plt.show()
