"""
Redundant columns: ranking by norm or picking greedily
======================================================

Measurements of tumours come in families: radius, perimeter and area carry almost the same
information. A method that scores every column on its own keeps all members of a good family. Greedy
selection keeps one of them and moves on, so the columns that it keeps predict the dropped ones
better.

Both panels show the same fitted GAFS model; only ``selection`` differs.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

from graphsieve import GAFS

X = load_breast_cancer(as_frame=True).data
Z = (X - X.mean()) / X.std()

figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for axes, selection in zip(panels, ("norm", "greedy"), strict=True):
    sel = GAFS(8, selection=selection, random_state=0).fit(X)
    kept = X.columns[sel.get_support()]
    weights = np.linalg.lstsq(Z[kept], Z, rcond=None)[0]
    lost = ((Z - Z[kept].to_numpy() @ weights) ** 2).to_numpy().mean()
    image = axes.imshow(X[kept].corr().abs(), vmin=0, vmax=1, cmap="cividis")
    axes.set_yticks(range(8), kept)
    axes.set_xticks([])
    axes.set_title(f'selection="{selection}"')
    axes.set_xlabel(f"{lost:.0%} of the variance of all 30 columns is not explained")
figure.colorbar(image, ax=panels, label="|correlation|")
figure.suptitle("8 of 30 columns, kept by GAFS")
plt.show()
