"""
A table of computed features, as tsfresh makes it
=================================================

Libraries such as tsfresh compute hundreds of statistics per time series, and many of them measure
the same thing. Here a small version of such a table is computed from simulated machine vibrations:
several statistics, each in several variants. We ask for the columns from which the others can be
predicted, and then which kept column each dropped one depends on most.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphsieve import GreedyCSS

rng = np.random.default_rng(0)
time = np.arange(512) / 512


def vibration():
    """A signal with a random tone, wear (spikes), drift and noise."""
    tone = rng.uniform(0.5, 2) * np.sin(2 * np.pi * rng.uniform(5, 60) * time)
    spikes = (rng.random(512) < rng.uniform(0, 0.03)) * rng.normal(0, 5, 512)
    return tone + spikes + rng.normal(0, 1.5) * time + rng.uniform(0.1, 1) * rng.normal(size=512)


def describe(signal):
    """The features of one signal."""
    spectrum = np.abs(np.fft.rfft(signal - signal.mean())) ** 2
    centred = signal - signal.mean()
    features = {
        "mean": signal.mean(),
        "median": np.median(signal),
        "std": signal.std(),
        "variance": signal.var(),
        "rms": np.sqrt((signal**2).mean()),
        "energy": (signal**2).sum(),
        "maximum": signal.max(),
        "minimum": signal.min(),
        "range": np.ptp(signal),
        "mean_abs_change": np.abs(np.diff(signal)).mean(),
        "kurtosis": (centred**4).mean() / centred.var() ** 2,
        "skewness": (centred**3).mean() / centred.std() ** 3,
        "zero_crossings": (np.diff(np.sign(centred)) != 0).sum(),
        "spectral_centroid": (spectrum * np.arange(257)).sum() / spectrum.sum(),
        "slope": np.polyfit(time, signal, 1)[0],
    }
    features |= {f"quantile_{q}": np.quantile(signal, q / 100) for q in (5, 10, 25, 75, 90, 95)}
    features |= {
        f"autocorrelation_{lag}": (centred[lag:] * centred[:-lag]).mean() / centred.var()
        for lag in (1, 2, 3, 5, 8)
    }
    bands = np.array_split(np.log(spectrum[1:] + 1e-9), 8)
    return features | {f"log_power_{index}": band.mean() for index, band in enumerate(bands)}


table = pd.DataFrame([describe(vibration()) for _ in range(300)])

# %%
# The features have different units, so they are standardised first. ``set_output`` keeps the names.

selector = make_pipeline(StandardScaler(), GreedyCSS(8)).set_output(transform="pandas")
kept = selector.fit_transform(table)
css = selector[-1]
names = table.columns[css.order_]
print(f"kept {len(kept.columns)} of {table.shape[1]}:", ", ".join(names[:8]))

# %%
# ``gains_`` is the fraction of the total variance that a column explained when it was picked, in
# addition to the columns before it. The curve shows when further columns stop paying off.

Z = StandardScaler().set_output(transform="pandas").fit_transform(table)
stands_for = Z.corr().loc[names[:8]].abs()

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
left.plot(np.arange(1, 9), np.cumsum(css.gains_[css.order_[:8]]), "o-", color="#0072b2")
left.set_xticks(range(1, 9), names[:8], rotation=40, ha="right")
left.set(ylabel="explained fraction of all columns", ylim=(0, 1), title="columns in order of picks")
image = right.imshow(stands_for, cmap="cividis", vmin=0, vmax=1, aspect="auto")
right.set_yticks(range(8), names[:8])
right.set_xticks(range(table.shape[1]), table.columns, rotation=90, fontsize=7)
right.set_title("|correlation| of kept (rows) and all columns")
figure.colorbar(image, ax=right)
plt.show()

# %%
# Columns that the eight kept ones predict worst: candidates to add if they matter to you.

coverage = css.coverage(Z).groupby("feature")["r2"].first()
print(coverage.sort_values().head(5).round(2).to_string())
