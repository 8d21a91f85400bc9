"""
A customer table: flags, amounts, counts, copies and gaps
=========================================================

A table as it comes from a business system: four things are measured, each by several columns in
units and shapes of their own; two more columns have nothing to do with the others. A few entries
are missing. No labels, no scaling, nothing to set.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from graphsieve import GraphSieve

rng = np.random.default_rng(0)
n = 1_000
money, age, activity, plan = rng.normal(size=(4, n))


def noisy(x, deviation):
    return x + deviation * rng.normal(size=n)


revenue = np.exp(7 + noisy(money, 0.2))
sessions = rng.poisson(np.exp(2 + 0.6 * activity))

X = pd.DataFrame(
    {
        "revenue_eur": revenue.round(2),
        "revenue_usd": (1.09 * revenue).round(2),
        "log_revenue": np.log(revenue),
        "basket_value": np.exp(3 + noisy(money, 0.3)).round(2),
        "age": (45 + 12 * noisy(age, 0.1)).round(),
        "birth_year": (1980 - 12 * noisy(age, 0.1)).round(),
        "years_as_customer": np.maximum(8 + 5 * noisy(age, 0.5), 0).round(1),
        "sessions": sessions,
        "pages_viewed": sessions * 4 + rng.poisson(5, n),
        "minutes_online": np.exp(noisy(0.6 * activity, 0.3)).round(1),
        "is_business": (noisy(plan, 0.2) > 0).astype(int),
        "seats": np.where(noisy(plan, 0.2) > 0, rng.poisson(12, n), 1),
        "vat_number_given": (noisy(plan, 0.3) > 0).astype(int),
        "newsletter": rng.integers(0, 2, n),
        "satisfaction": rng.integers(1, 6, n),
    }
)
X = X.mask(rng.random(X.shape) < 0.02)  # 2 % of the entries are missing

sel = GraphSieve("auto").fit(X)
print(f"{sel.n_features_} of {X.shape[1]} columns:", *sel.get_feature_names_out(), sep="\n  ")

# %%
# Every kept column stands for those that it predicts best. One number per dropped column: the
# fraction of its variance that the kept ones predict.

coverage = sel.coverage(X).drop_duplicates("feature").sort_values("r2")
figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
axes.barh(coverage["feature"], coverage["r2"], color="#0072b2")
for position, (r2, kept) in enumerate(zip(coverage["r2"], coverage["kept"], strict=True)):
    text = "by nothing that was kept" if kept is None else f"mainly by {kept}"
    axes.text(r2 + 0.02, position, text, va="center", fontsize=9)
axes.set(xlim=(0, 1.5), xticks=np.arange(0, 1.1, 0.25), xlabel="predicted fraction of the variance")
axes.set_title("What the kept columns say about the dropped ones")
axes.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Why is a column not kept? In words:

print(sel.explain(X, "revenue_usd"))
print(sel.explain(X, "newsletter"))
