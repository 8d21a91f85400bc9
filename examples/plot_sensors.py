"""
Sensors: where to measure a field
=================================

A temperature field on a grid is simulated as slow waves that drift across it. We can afford 12
sensors. Each grid point is a column, each moment a row, so placing sensors is selecting columns:
the field everywhere else is predicted from the kept points.
"""

import matplotlib.pyplot as plt
import numpy as np

from graphsieve import GreedyCSS, RandomRanker, Variance

rng = np.random.default_rng(0)
height, width, n_moments = 20, 30, 800
y, x = np.mgrid[0 : 1 : height * 1j, 0 : 1.5 : width * 1j]
time = np.arange(n_moments) / 40

field = np.zeros((n_moments, height, width))
for _ in range(8):
    direction, phase = rng.uniform(0, 2 * np.pi, 2)
    frequency, speed = rng.uniform(2, 7), rng.uniform(-2, 2)
    along = frequency * (np.cos(direction) * x + np.sin(direction) * y)
    field += rng.uniform(0.5, 1) * np.sin(along + speed * time[:, None, None] + phase)
field *= 0.3 + x  # it varies more on the right
X = field.reshape(n_moments, -1) + 0.05 * rng.standard_normal((n_moments, height * width))
train, test = X[:600], X[600:]

# %%
# Variance puts all sensors where the field varies most, next to each other. Later moments are
# predicted from earlier ones here, which is harder than it looks: the waves have moved on.

methods = {
    "greedy CSS": GreedyCSS(12),
    "random": RandomRanker(12, random_state=0),
    "variance": Variance(12),
}
figure, panels = plt.subplots(3, 3, figsize=(9, 6.4), layout="constrained")
for line, (name, method) in zip(panels, methods.items(), strict=True):
    method.fit(train)
    predicted = test.copy()
    dropped = method.reconstructor(train).predict(method.transform(test))
    predicted[:, ~method.get_support()] = dropped
    error = ((predicted - test) ** 2).sum() / ((test - train.mean(axis=0)) ** 2).sum()
    print(f"{name}: {1 - error:.1%} of the variance of the field is explained")
    moment = 150
    images = test[moment], predicted[moment], predicted[moment] - test[moment]
    for axes, image in zip(line, images, strict=True):
        axes.imshow(image.reshape(height, width), cmap="cividis", vmin=-4, vmax=4)
        axes.set(xticks=[], yticks=[])
    rows, columns = np.divmod(np.flatnonzero(method.get_support()), width)
    line[0].scatter(columns, rows, color="#d55e00", s=20)
    line[0].set_ylabel(f"{name}\n{1 - error:.1%} explained")
titles = "field and sensors", "predicted from 12 sensors", "difference"
for axes, title in zip(panels[0], titles, strict=True):
    axes.set_title(title)
plt.show()
