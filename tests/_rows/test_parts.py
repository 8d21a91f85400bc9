"""Blocks of the rows, and sums that do not depend on who computes them."""

import numpy as np
import pytest

from graphsieve._graph.affinity import build_graph, laplacian
from graphsieve._network.objective import Objective
from graphsieve._rows import RowBlocks, Rows, split_rows
from graphsieve._utils.threads import Workers


@pytest.mark.parametrize(("n", "size"), [(1, 1), (10, 3), (10, 100), (7, 7), (0, 3)])
def test_row_slices_cover_all_rows_once(n, size):
    slices = split_rows(n, size)
    assert [row for s in slices for row in range(s.start, s.stop)] == list(range(n))
    assert max((s.stop - s.start for s in slices), default=0) <= size


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_number_of_threads_does_not_change_a_bit(rng, dtype):
    """On a table that is large enough for several blocks."""
    X = rng.random((4200, 256)).astype(dtype)
    data = RowBlocks(X)
    A = build_graph(RowBlocks(X[:, :3]), n_neighbors=3)
    results = []
    for n_jobs in (1, 3):
        with Workers(n_jobs) as workers:
            terms = {"alpha": 0.1, "graph_weight": 0.05}
            objective = Objective(data, laplacian(A), workers, n_hidden=3, **terms)
            assert len(objective._rows_of_L) > 3
            results.append(objective.value_and_grad(objective.start(np.random.RandomState(0))))
    assert results[0][0] == results[1][0]
    np.testing.assert_array_equal(results[0][1], results[1][1])


def test_rows_are_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Rows()
