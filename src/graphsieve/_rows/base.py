"""Rows: what all kinds of storage have in common, as sums over blocks of rows."""

from __future__ import annotations

import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from operator import add
from tempfile import TemporaryFile, gettempdir
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.sparsefuncs import mean_variance_axis, min_max_axis

# Size of one block of dense floats: it should stay in a core's second-level cache.
BLOCK_BYTES = 2**20
# Size of a block in a pass that does little with each row.
PASS_BYTES = 8 * BLOCK_BYTES


def split_rows(n_samples: int, block_rows: int) -> list[slice]:
    """Slices of nearly equal length, at most ``block_rows`` each, that cover all rows."""
    n_blocks = -(-n_samples // block_rows) if n_samples else 0
    edges = [n_samples * block // n_blocks for block in range(n_blocks + 1)] if n_blocks else []
    return [slice(a, b) for a, b in pairwise(edges)]


def to_dense(X: Any) -> np.ndarray:
    """A dense array of a dense or sparse one; dense arrays are not copied."""
    return X.toarray() if sp.issparse(X) else X


def chosen_rows(block: Any, chosen: np.ndarray) -> np.ndarray:
    """Dense rows of a block, given by a mask, for ``Rows.stack``."""
    return to_dense(block[chosen])


class Rows(ABC):
    """The rows of a table of floats; nothing outside this package asks how they are stored."""

    n_samples: int
    n_features: int
    dtype: np.dtype
    is_sparse: bool = False  # whether blocks are CSR arrays
    in_memory: bool = False
    gaps: Gaps | None = None  # what the rows were like before ``fill_gaps``

    @abstractmethod
    def reduce(
        self, function, *aligned, combine=add, block_bytes=PASS_BYTES, dense=False, workers=None
    ) -> Any:
        """Combine the results of ``function(block, *rows of aligned)``, left to right in row order.

        ``aligned`` are arrays with one row per sample. Blocks take about ``block_bytes``, as they
        are stored or as ``dense`` arrays. The number of ``workers``, threads for rows in memory,
        does not change the result.
        """

    def reduce_pairs(self, function, i, j, *aligned) -> Any:
        """Add up the results of ``function(rows i, rows j, *aligned)`` over blocks of pairs."""
        return self.stored().reduce_pairs(function, i, j, *aligned)

    @abstractmethod
    def scaled(self, scaling: Any, dtype: Any) -> Rows:
        """The rows after a Scaling, as Rows of type ``dtype``."""

    @abstractmethod
    def filled(self, value: np.ndarray) -> Rows:
        """The rows with ``value[j]`` in place of NaN in column j."""

    @abstractmethod
    def whole(self) -> Any:
        """All rows at once, in the memory of this process, as a float ndarray or CSR array."""

    def resident(self) -> Any | None:
        """What ``whole`` returns if the rows are in the memory of this process, else None."""
        return self.whole() if self.in_memory else None

    def stored(self) -> Rows:
        """The same rows in a place where any of them can be read at any time."""
        return self

    def observed(self) -> Rows:
        """The same rows with NaN for the gaps that ``fill_gaps`` has filled."""
        return self if self.gaps is None else self.gaps.observed

    def size(self) -> int:
        """Bytes that the rows take as they are stored, or as dense floats if they are elsewhere."""
        return self.n_samples * self.n_features * self.dtype.itemsize

    def mapped(self, blocks: Iterable[np.ndarray], dtype: np.dtype) -> np.memmap:
        """Memory map of blocks with all rows; its file has no name and is freed with the map."""
        n_bytes, folder = self.n_samples * self.n_features * dtype.itemsize, gettempdir()
        free = shutil.disk_usage(folder).free
        if free < n_bytes:
            raise OSError(
                f"a temporary copy of the data needs {n_bytes / 1e9:.1f} GB, but {folder} has only "
                f"{free / 1e9:.1f} GB left: set TMPDIR to a folder on a larger disk"
            )
        with TemporaryFile() as file:
            for block in blocks:
                file.write(np.ascontiguousarray(block, dtype=dtype).data)
            file.flush()
            return np.memmap(file, dtype, "r", shape=(self.n_samples, self.n_features))

    def stack(
        self, function, *aligned, block_bytes=PASS_BYTES, dense=False, workers=None
    ) -> np.ndarray:
        """Concatenate the arrays that ``function`` returns for the blocks, see ``reduce``."""
        options = {"block_bytes": block_bytes, "dense": dense, "workers": workers}
        return _joined(self.reduce(lambda *args: [function(*args)], *aligned, **options))

    def column_range(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest entry of every column; NaN and infinity show up in them."""
        return self._range

    def column_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and population variance of every column, in double precision."""
        return self._moments.mean, self._moments.spread / self.n_samples

    @cached_property
    def _range(self):
        def wider(one, other):
            return np.minimum(one[0], other[0]), np.maximum(one[1], other[1])

        return self.reduce(_range_of, combine=wider)

    @cached_property
    def _moments(self):
        return self.reduce(Moments.of)


def _joined(parts):
    if len(parts) == 1 and parts[0].flags.owndata:
        return parts[0]
    n_rows = sum(map(len, parts))
    joined = np.empty((n_rows, *parts[0].shape[1:]), dtype=np.result_type(*parts))
    while parts:
        part = parts.pop()
        n_rows -= len(part)
        joined[n_rows : n_rows + len(part)] = part
    return joined


def _range_of(block):
    if sp.issparse(block):
        return min_max_axis(block.tocsc(), axis=0)  # it would convert CSR rows twice
    return block.min(0), block.max(0)


def is_constant(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Whether columns with these extremes vary by no more than rounding."""
    tiny = np.finfo(np.float64).tiny  # smaller ranges have neither squares nor an inverse
    return high - low <= np.maximum(1e-12 * np.maximum(abs(low), abs(high)), tiny)


@dataclass(frozen=True)
class Moments:
    """Weight of the rows, mean and sum of squared deviations of the columns; ``+`` joins groups."""

    weight: float
    mean: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, X, weight: np.ndarray | None = None) -> Moments:
        """Moments of a dense, CSR or CSC matrix; the weights of its rows are not negative."""
        total = float(X.shape[0] if weight is None else weight.sum())
        if total == 0:
            return cls(0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1]))
        if sp.issparse(X):
            # For single precision scikit-learn would round the result to it.
            mean, variance = mean_variance_axis(X.astype(np.float64, copy=False), 0, weight)
        elif weight is None:
            mean = X.mean(axis=0, dtype=np.float64)
            centred = X - mean
            variance = np.einsum("ij,ij->j", centred, centred) / total
        else:
            weight = np.asarray(weight, dtype=np.float64)
            mean = weight @ X / total
            variance = weight @ np.square(X - mean) / total
        return cls(total, mean, variance * total)

    def __add__(self, other: Moments) -> Moments:
        """Chan, Golub and LeVeque (1983), "Algorithms for computing the sample variance"."""
        total = self.weight + other.weight
        if total == 0:
            return self
        fraction = other.weight / total
        step = other.mean - self.mean
        spread = self.spread + other.spread + self.weight * fraction * step**2
        return Moments(total, self.mean + fraction * step, spread)


@dataclass(frozen=True)
class Gaps:
    """The rows before their gaps were filled, and the fraction of values present per column."""

    observed: Rows
    present: np.ndarray


def fill_gaps(data: Rows) -> Rows:
    """Rows with the mean of the observed values in place of NaN; ``data`` if there is none."""
    if not np.isnan(data.column_range()[0]).any():
        return data
    with np.errstate(over="ignore"):  # values that overflow are reported by check_entries
        sums, counts = data.reduce(_sums_and_counts)
    filled = data.filled(np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0))
    filled.gaps = Gaps(data, counts / data.n_samples)
    return filled


def fill_block(block, value: np.ndarray):
    """A copy of a dense or CSR block with ``value[j]`` in place of NaN in column j."""
    if not sp.issparse(block):
        return np.where(np.isnan(block), value.astype(block.dtype), block)
    filled = block.copy()
    missing = np.isnan(filled.data)
    filled.data[missing] = value[filled.indices[missing]]
    return filled


def marked(function, block):
    """A mask by a function of the entries of a dense or CSR block."""
    if not sp.issparse(block):
        return function(block)
    return sp.csr_array((function(block.data), block.indices, block.indptr), shape=block.shape)


def _sums_and_counts(block):
    sums = fill_block(block, np.zeros(block.shape[1])).sum(axis=0, dtype=np.float64)
    return np.array([sums, block.shape[0] - marked(np.isnan, block).sum(axis=0)])
