"""
Digits: which pixels are worth reading?
=======================================

Scikit-learn's digits are images of 8 x 8 pixels. We keep 13 of the 64 pixels, without looking at
the labels, and ask two questions: where are they, and what do the images look like when all other
pixels are predicted from these 13? Pixels have one unit, hence ``scale="global"``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from graphsieve import GraphSieve, GreedyCSS, RandomRanker, Variance

X = load_digits().data
train, test = train_test_split(X, test_size=597, random_state=0)

methods = {
    "GraphSieve": GraphSieve(13, scale="global", random_state=0),
    "greedy CSS": GreedyCSS(13, scale="global"),
    "variance": Variance(13),
    "random": RandomRanker(13, random_state=0),
}

# %%
# The kept pixels (orange) on the mean image. Variance keeps neighbouring pixels, which say nearly
# the same; the greedy methods spread them out.

figure, panels = plt.subplots(1, 4, figsize=(9, 2.8), layout="constrained")
for axes, (name, method) in zip(panels, methods.items(), strict=True):
    method.fit(train)
    axes.imshow(train.mean(axis=0).reshape(8, 8), cmap="gray_r")
    rows, columns = np.divmod(np.flatnonzero(method.get_support()), 8)
    axes.scatter(columns, rows, color="#d55e00", s=60)
    axes.set(title=name, xticks=[], yticks=[])

# %%
# ``reconstructor`` learns to predict the 51 dropped pixels, here of images that were not used for
# fitting.

shown = [0, 1, 3, 5, 8, 13]
figure, panels = plt.subplots(5, len(shown), figsize=(6, 5.6), layout="constrained")
rebuilt = {"original": test}
for name, method in methods.items():
    rebuilt[name] = test.copy()
    predicted = method.reconstructor(train).predict(method.transform(test))
    rebuilt[name][:, ~method.get_support()] = predicted
    error = ((rebuilt[name] - test) ** 2).sum() / ((test - train.mean(axis=0)) ** 2).sum()
    print(f"{name}: {1 - error:.0%} of the variance is explained")
for line, (name, images) in zip(panels, rebuilt.items(), strict=True):
    for axes, index in zip(line, shown, strict=True):
        axes.imshow(images[index].reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        axes.set(xticks=[], yticks=[])
    line[0].set_ylabel(name, rotation=0, ha="right", va="center")
plt.show()
