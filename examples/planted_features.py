"""Which methods find the columns that lie on a curved surface?

20 columns are smooth functions of two hidden coordinates, 180 are the same functions with their
rows shuffled: alone, no column betrays itself. The picture shows, for some methods, where in the
ranking the 20 are.
"""

import numpy as np
from matplotlib.figure import Figure

from graphsieve import GAFS, GreedyCSS, LaplacianScore, RandomRanker, Variance
from graphsieve.datasets import make_planted

X, _, informative = make_planted(random_state=0)
methods = {
    "GAFS": GAFS(alpha=1e-3, decay=1e-3, random_state=0),
    "Laplacian score": LaplacianScore(),
    "greedy CSS": GreedyCSS(),
    "variance": Variance(),
    "random": RandomRanker(random_state=0),
}

figure = Figure(figsize=(8, 3), layout="constrained")
axes = figure.add_subplot()
for row, method in enumerate(methods.values()):
    positions = np.flatnonzero(informative[method.fit(X).order_]) + 1
    axes.scatter(positions, np.full(20, row), marker="|", s=250, color="#0072b2")
axes.axvline(20.5, color="0.6", linestyle="--")
axes.set(
    xlabel="rank (1 is best)",
    yticks=range(len(methods)),
    yticklabels=methods,
    title="Ranks of the 20 informative columns among 200",
)
axes.invert_yaxis()
figure.savefig("planted_features.png", dpi=120)
