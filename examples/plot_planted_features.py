"""
Known answer: 20 informative columns among 200
==============================================

``make_planted`` generates 20 columns that are smooth functions of two hidden coordinates, and 180
columns that are the same kind of function with their rows shuffled. No column can be recognised on
its own, by its variance or its histogram: only the dependence between columns shows which ones
belong together.

Each tick below is the rank of one informative column. A perfect method puts all ticks to the left
of the dashed line.
"""

import matplotlib.pyplot as plt
import numpy as np
from graphsieve.datasets import make_planted

from graphsieve import MRSF, GraphSieve, GreedyCSS, LaplacianScore, RandomRanker, Variance

X, _, informative = make_planted(random_state=0)
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
