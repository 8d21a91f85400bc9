"""
A report: everything about one selection on a page
==================================================

A selection raises questions: what was kept, what do the kept columns stand for, would another
number be better, can it be trusted? ``sel.report(X)`` answers them on one page, here for
measurements of breast tumours. Move the slider to see other numbers of columns.
"""

# sphinx_gallery_thumbnail_path = 'images/report-digits-dark.png'
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from graphsieve import GraphSieve

data = load_breast_cancer(as_frame=True)
diagnosis = data.target.map({0: "malignant", 1: "benign"}).rename("diagnosis")
sel = GraphSieve(n_features_to_select=6, random_state=0).fit(data.data)
print(sel.explain(data.data, "worst area"))

# %%
# What each measurement adds to those before it, and the most that one adds in shuffled columns:
# the number of measurements above the grey area is the suggestion of the report.

sel.plot.gains(data.data)
plt.show()

# %%
# In a notebook the page appears below the cell. ``sel.report(X, "report.html")`` writes it to a
# file that opens in a browser without a server or network. The diagnosis only colours the samples.

sel.report(data.data, color=diagnosis, title="Breast tumours: 6 of 30 measurements")
