"""Arrays from another process are aligned before use, so that sums do not depend on the way."""

import pickle

import numpy as np
import pytest

from graphsieve._rows import RowBlocks
from graphsieve._rows.cluster import _on_worker
from graphsieve._rows.memory import aligned


def shifted(buffer):
    """The same bytes at an address that no number would be stored at."""
    room = bytearray(len(buffer) + 64)
    start = next(k for k in range(64) if np.frombuffer(room, "u1")[k:].ctypes.data % 8 == 1)
    room[start : start + len(buffer)] = buffer
    return memoryview(room)[start : start + len(buffer)]


def sent(value):
    """A copy by pickle, as a message between processes may deliver it."""
    buffers = []
    message = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(message, buffers=[shifted(buffer.raw()) for buffer in buffers])


@pytest.fixture
def table(rng):
    return rng.random((751, 13)).astype(np.float32)


def squared(X):
    return np.einsum("ij,ij->", X[:, :-1], X[:, :-1])


def test_the_address_decides_on_the_order_of_a_sum(table):
    """What the rest is about; if this fails one day, NumPy has made the rest unnecessary."""
    moved = sent(table)
    assert not moved.flags.aligned
    assert squared(moved) != squared(table)


def test_arguments_of_tasks_are_aligned(table):
    assert _on_worker(squared, sent(table)) == squared(table)
    assert _on_worker(lambda pair: squared(pair[0]), [sent(table)]) == squared(table)
    assert aligned(table) is table


def test_rows_are_aligned(table):
    rows = sent(RowBlocks(table))
    assert rows.reduce(squared) == squared(table)
