"""
Faces: pixels that determine the rest of the picture
====================================================

The faces are drawn from six hidden parameters: the positions of the eyes, their openness, the
curve of the mouth, the height of the brows, the length of the nose and the direction of the light.
Real photographs of faces behave in a similar way: thousands of pixels, few causes.

GraphSieve and greedy column subset selection look for pixels from which the whole picture follows.
The Laplacian score looks for pixels that vary slowly between similar pictures, one by one, and ends
up with large patches of neighbouring pixels.
"""

import matplotlib.pyplot as plt
import numpy as np

from graphsieve import GraphSieve, GreedyCSS, LaplacianScore

SIDE = 28
rng = np.random.default_rng(0)
row, column = np.mgrid[-1 : 1 : SIDE * 1j, -1 : 1 : SIDE * 1j]


def spot(x, y, width, height):
    """A soft dark spot."""
    return np.exp(-(((column - x) / width) ** 2) - ((row - y) / height) ** 2)


def face(gap, openness, smile, brows, nose, light):
    """One picture; every parameter lies between -1 and 1."""
    skin = 0.8 / (1 + np.exp(12 * (np.hypot(column / 0.8, row / 0.95) - 1)))
    picture = skin * (1 + 0.25 * light * column)
    for side in (-1, 1):
        x = side * (0.36 + 0.06 * gap)
        picture -= 0.5 * spot(x, -0.2, 0.13, 0.06 + 0.03 * openness)
        picture -= 0.3 * spot(x, -0.45 + 0.06 * brows, 0.2, 0.05)
    picture -= 0.2 * spot(0, 0.12, 0.06, 0.16 + 0.05 * nose)
    picture -= 0.5 * spot(0, 0.5 + 0.35 * smile * (column**2 - 0.08), 0.32, 0.06)
    return picture


X = np.array([face(*rng.uniform(-1, 1, 6)).ravel() for _ in range(400)])
X = np.clip(X + 0.03 * rng.standard_normal(X.shape), 0, 1)
train, test = X[:300], X[300:]

# %%
# Thirty of the 784 pixels. Those of GraphSieve sit on the mouth, the eyes, the brows and the
# outline.

methods = {
    "GraphSieve": GraphSieve(30, scale=None, random_state=0),
    "greedy CSS": GreedyCSS(30),
    "Laplacian score": LaplacianScore(30),
}
figure, panels = plt.subplots(3, 3, figsize=(7, 7), layout="constrained")
for axes, (name, method) in zip(panels, methods.items(), strict=True):
    method.fit(train)
    rebuilt = test.copy()
    rebuilt[:, ~method.get_support()] = method.reconstructor(train).predict(method.transform(test))
    error = ((rebuilt - test) ** 2).sum() / ((test - train.mean(axis=0)) ** 2).sum()
    axes[0].imshow(train.mean(axis=0).reshape(SIDE, SIDE), cmap="gray")
    where = np.divmod(np.flatnonzero(method.get_support()), SIDE)
    axes[0].scatter(where[1], where[0], s=14, color="#d55e00")
    axes[0].set_ylabel(f"{name}\n{1 - error:.0%} explained")
    axes[1].imshow(test[0].reshape(SIDE, SIDE), cmap="gray")
    axes[2].imshow(rebuilt[0].reshape(SIDE, SIDE), cmap="gray")
for axes, title in zip(panels[0], ("kept pixels", "a new face", "from 30 pixels"), strict=True):
    axes.set_title(title)
for axes in panels.ravel():
    axes.set(xticks=[], yticks=[])
plt.show()
