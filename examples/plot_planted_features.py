"""
Known answer: 20 informative columns among 200
==============================================

20 columns are smooth functions of two hidden coordinates, and 180 columns are the same kind of
function with their rows shuffled. No column can be recognised on
its own, by its variance or its histogram: only the dependence between columns shows which ones
belong together.

Each tick below is the rank of one informative column. A perfect method puts all ticks to the left
of the dashed line.
"""

import matplotlib.pyplot as plt
import numpy as np

from graphsieve import MRSF, GraphSieve, GreedyCSS, LaplacianScore, RandomRanker, Variance

rng = np.random.default_rng(0)
Z = rng.uniform(-1, 1, size=(300, 2))  # two hidden coordinates
directions = rng.normal(size=(2, 200))
directions /= np.linalg.norm(directions, axis=0)
X = np.sin(np.pi * Z @ directions + rng.uniform(0, 2 * np.pi, 200))
X += 0.04 * rng.normal(size=X.shape)
informative = np.zeros(200, dtype=bool)
informative[rng.choice(200, 20, replace=False)] = True
X[:, ~informative] = rng.permuted(X[:, ~informative], axis=0)
methods = {
    "GraphSieve": GraphSieve(20, random_state=0),
    "Laplacian score": LaplacianScore(),
    "MRSF": MRSF(),
    "greedy CSS": GreedyCSS(),
    "variance": Variance(),
    "random": RandomRanker(random_state=0),
}

figure, axes = plt.subplots(figsize=(8, 3.2), layout="constrained")
for row, (name, method) in enumerate(methods.items()):
    positions = np.flatnonzero(informative[method.fit(X).order_]) + 1
    axes.scatter(positions, np.full(20, row), marker="|", s=250, color="#0072b2")
    print(f"{name}: {(positions <= 20).sum()} of the first 20 picks are informative")
axes.axvline(20.5, color="0.6", linestyle="--")
axes.set(
    xlabel="rank (1 is best)",
    yticks=range(len(methods)),
    yticklabels=methods,
    title="Ranks of the 20 informative columns among 200",
)
axes.invert_yaxis()
plt.show()
