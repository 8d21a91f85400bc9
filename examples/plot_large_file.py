"""
A file that is larger than memory
=================================

A Parquet file is opened, not read: ``fit`` goes through its row groups one at a time. Memory maps
(``np.load(..., mmap_mode="r")``) and Zarr arrays work in the same way. The file of this example is
small, so that it takes seconds; the memory that a fit needs does not grow with the number of rows.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graphsieve import GreedyCSS, Variance

rng = np.random.default_rng(0)
mixing = rng.normal(size=(8, 100)) * rng.uniform(0.2, 2, 100)
names = [f"sensor_{index:03d}" for index in range(100)]
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "measurements.parquet"

schema = pa.schema([(name, pa.float32()) for name in names])
with pq.ParquetWriter(path, schema) as writer:
    for _ in range(20):  # twenty row groups of 2,000 rows
        block = rng.normal(size=(2_000, 8)) @ mixing + rng.normal(size=(2_000, 100))
        writer.write_table(pa.table(list(block.T.astype(np.float32)), schema=schema))

# %%
# The column names come from the file.

source = pq.ParquetFile(path)
print(source.metadata.num_rows, "rows in", source.num_row_groups, "row groups")
css = GreedyCSS(12).fit(source)
variance = Variance(12).fit(source)
print("kept:", ", ".join(css.get_feature_names_out()))

# %%
# How much of all columns the kept ones explain, pick by pick. Eight hidden factors generated the
# data, and the curve bends after the eighth pick.

figure, axes = plt.subplots(figsize=(6, 3.4), layout="constrained")
axes.plot(range(1, 13), np.cumsum(css.gains_[css.order_[:12]]), "o-", color="#0072b2")
axes.axvline(8, color="0.8", zorder=0)
axes.set(xlabel="columns kept", ylabel="explained fraction", ylim=(0, 1))
shared = len(set(css.get_feature_names_out()) & set(variance.get_feature_names_out()))
axes.set_title(f"greedy CSS; variance would keep {shared} of the same 12")
plt.show()
folder.cleanup()
