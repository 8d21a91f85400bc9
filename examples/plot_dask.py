"""
Dask: the same lines on a cluster
=================================

The rows of a Dask array may lie on many machines. ``fit`` sends the work to them and brings back
only sums and weights; the selection is the same as in memory. Here the "cluster" is a few threads
of this process; for a real one, pass its address to ``Client``.
"""

import dask.array as da
import matplotlib.pyplot as plt
import numpy as np
from distributed import Client

from graphsieve import GraphSieve, GreedyCSS

rng = np.random.default_rng(0)
hidden = rng.normal(size=(2_000, 6))
X = hidden @ rng.normal(size=(6, 60)) + 0.5 * rng.normal(size=(2_000, 60))
X = ((X - X.min(axis=0)) / np.ptp(X, axis=0)).astype(np.float32)

selectors = {
    "GraphSieve": GraphSieve(10, random_state=0),
    "greedy CSS": GreedyCSS(10),
}
in_memory = {name: selector.fit(X).scores_ for name, selector in selectors.items()}

client = Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None)
X_cluster = da.from_array(X, chunks=(250, -1))  # or da.from_zarr, dd.read_parquet, ...

on_cluster = {name: selector.fit(X_cluster).scores_ for name, selector in selectors.items()}
kept = selectors["greedy CSS"].transform(X_cluster)
print("transform stays lazy:", kept)
client.close()

# %%
# Scores from the cluster against scores from memory: all points lie on the diagonal.

figure, panels = plt.subplots(1, 2, figsize=(7.5, 3.6), layout="constrained")
for axes, name in zip(panels, selectors, strict=True):
    axes.axline((0, 0), slope=1, color="0.8")
    axes.scatter(in_memory[name], on_cluster[name], s=14, color="#0072b2")
    axes.set(title=name, xlabel="score in memory", ylabel="score on the cluster")
    axes.set(xlim=(0, None), ylim=(0, None))
plt.show()
