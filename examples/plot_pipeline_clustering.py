"""
A pipeline: scale, select, cluster
==================================

Selectors are ordinary scikit-learn transformers: they fit into a ``Pipeline``, keep column names
and can be cloned. Here k-means clusters 178 wines by all 13 measurements and by a few selected
ones. The labels are only used at the end, to judge the clusters.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphsieve import MRSF, GreedyCSS, RandomRanker

X, y = load_wine(return_X_y=True, as_frame=True)


def agreement(selector):
    """Agreement of clusters and true classes: 1 is perfect, 0 is chance."""
    model = make_pipeline(StandardScaler(), selector, KMeans(3, n_init=10, random_state=0))
    return adjusted_rand_score(y, model.fit_predict(X))


# %%
# How the agreement changes with the number of kept columns; random selection is the mean of 20
# draws.

numbers = [2, 3, 4, 6, 8, 10, 13]
figure, axes = plt.subplots(figsize=(6.5, 3.6), layout="constrained")
axes.plot(numbers, [agreement(MRSF(k)) for k in numbers], "o-", label="MRSF")
axes.plot(numbers, [agreement(GreedyCSS(k)) for k in numbers], "s-", label="greedy CSS")
random = [
    np.mean([agreement(RandomRanker(k, random_state=seed)) for seed in range(20)]) for k in numbers
]
axes.plot(numbers, random, "^--", color="0.5", label="random")
axes.axhline(agreement("passthrough"), color="0.8", zorder=0)
axes.set(xlabel="columns kept of 13", ylabel="adjusted Rand index", ylim=(0, 1))
axes.legend(frameon=False)
plt.show()

# %%
# The kept columns by name, through the whole pipeline:

pipeline = make_pipeline(StandardScaler(), MRSF(6)).set_output(transform="pandas")
print(pipeline.fit_transform(X).columns.to_list())
