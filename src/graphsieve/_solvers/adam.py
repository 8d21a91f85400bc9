"""Adam on random parts of the samples, for more of them than can be seen a hundred times."""

import numpy as np

# Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015. The second moment forgets
# within a hundred steps, a few passes over small data.
_FIRST_MOMENT = 0.9
_SECOND_MOMENT = 0.99

# In variables of about unit curvature: 0.03 to 0.3 came to much the same objectives.
_STEP = 0.1

# An iteration that gains less than this fraction of the objective is the last with its step length.
_LEAST_GAIN = 1e-3


def adam(value_and_grad, batches, x0, monitor):
    """Minimise a smooth function that is a mean over many samples.

    One iteration is one pass: a step of Adam for every batch, then one evaluation of the objective
    on all samples. The step is halved after an iteration that gained little, so that the changes
    of the objective die down and meet ``tol``. Stops like :func:`lbfgs`; the objective may rise
    from one iteration to the next.

    ``batches()`` returns the functions ``value_and_grad`` of the batches of one pass, whose
    gradients are right on average.
    """
    x, (value, _) = x0.copy(), value_and_grad(x0)
    monitor.start(value)
    step = _STEP
    moments = _Moments(x0.size)
    for _ in range(monitor.max_iter):
        for batch_value_and_grad in batches():
            x -= step * moments.direction(batch_value_and_grad(x)[1])
        before, (value, _) = value, value_and_grad(x)
        if monitor.finished(value):
            break
        if value > (1 - _LEAST_GAIN) * before:
            step /= 2
    return monitor.result(x)


class _Moments:
    """Running means of the gradient and of its square."""

    def __init__(self, size):
        self.first = np.zeros(size)
        self.second = np.zeros(size)
        self.count = 0

    def direction(self, grad):
        self.count += 1
        self.first *= _FIRST_MOMENT
        self.first += (1 - _FIRST_MOMENT) * grad
        grad *= grad
        self.second *= _SECOND_MOMENT
        self.second += (1 - _SECOND_MOMENT) * grad
        scale = np.sqrt(self.second / (1 - _SECOND_MOMENT**self.count))
        scale += np.finfo(float).tiny  # no gradient, no step
        return self.first / ((1 - _FIRST_MOMENT**self.count) * scale)
