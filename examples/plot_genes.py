"""
Genes: a small panel that predicts the others
=============================================

Single-cell counts are simulated: five cell types, each with its own programme of genes, a gradient
of cell cycle that all types share, and many genes that are expressed at random. A panel for a
spatial assay can measure only a few of them. Which genes let us predict the rest, and keep the cell
types apart?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from graphsieve import MRSF, GreedyCSS, RandomRanker, Variance
from graphsieve.evaluation import clustering_scores, reconstruction_error

rng = np.random.default_rng(0)
n_cells, n_types, n_genes = 600, 5, 400
cell_type = rng.integers(n_types, size=n_cells)
cycle = rng.uniform(size=n_cells)

rate = np.tile(rng.gamma(1.0, 1.0, n_genes), (n_cells, 1))
programme = np.full(n_genes, -1)
for kind in range(n_types):
    genes = slice(20 * kind, 20 * (kind + 1))
    programme[genes] = kind
    rate[cell_type == kind, genes] += rng.gamma(4.0, 1.0, 20)
programme[100:130] = n_types  # the cell cycle
rate[:, 100:130] *= np.exp(2 * np.sin(2 * np.pi * cycle))[:, None]
counts = rng.poisson(rate * rng.lognormal(0, 0.3, (n_cells, 1)))  # cells differ in depth

# The usual preparation: equal depth, logarithm, unit variance.
X = np.log1p(1e3 * counts / counts.sum(axis=1, keepdims=True))
X = StandardScaler().fit_transform(X)
train, test = np.arange(400), np.arange(400, 600)

# %%
# Twenty genes per method: how many come from which programme, how much of the variance they leave
# unexplained on new cells, and how well k-means on these genes finds the cell types.

methods = {
    "greedy CSS": GreedyCSS(20),
    "MRSF": MRSF(20, n_components=6),
    "variance of log counts": Variance(20),
    "random": RandomRanker(20, random_state=0),
}
names = [*(f"type {kind}" for kind in range(n_types)), "cell cycle", "none"]
table = {}
for name, method in methods.items():
    # Variance is judged before scaling: afterwards all columns have the same variance.
    data = np.log1p(counts[train]) if isinstance(method, Variance) else X[train]
    panel = method.fit(data).order_[:20]
    table[name] = np.bincount(programme[panel] % len(names), minlength=len(names))
    error = reconstruction_error(X[train], X[test], panel)
    score = clustering_scores(X[np.ix_(test, panel)], cell_type[test], random_state=0)[:, 1].mean()
    print(f"{name}: unexplained {error:.2f}, NMI with the cell types {score:.2f}")

# %%
# A good panel has genes from every programme and none from outside. Most of the variance of single
# genes is counting noise, which no panel can predict. Greedy CSS tries to: with all columns at unit
# variance, a noise gene explains itself as well as any other, so it fills the panel with them once
# every programme is covered. MRSF uses the neighbour graph, in which such noise averages out.

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
left.imshow(list(table.values()), cmap="cividis", vmin=0)
left.set_xticks(range(len(names)), names, rotation=30, ha="right")
left.set_yticks(range(len(table)), table)
for row, numbers in enumerate(table.values()):
    for column, number in enumerate(numbers):
        colour = "black" if number > 8 else "white"
        left.text(column, row, number, ha="center", va="center", color=colour)
left.set_title("genes of the panel by programme")

panel = methods["MRSF"].order_[:20]
plane = PCA(2).fit_transform(X[:, panel])
right.scatter(*plane.T, c=cell_type, cmap="tab10", s=8)
right.set(title="cells, seen through the 20 genes of MRSF", xticks=[], yticks=[])
plt.show()
