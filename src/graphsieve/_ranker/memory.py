"""Whether a fit fits in memory, before it starts."""

from .._utils.memory import available_memory
from .._utils.warn import warn

# Bytes beyond three times the data from which a fit warns before it starts.
_MUCH_MEMORY = 5e8
# Bytes per feature: statistics of the columns, scores and names. Per neighbour of every sample:
# the graph and the matrices made from it take 120 (8,000 samples, 40 neighbours).
_COLUMN_BYTES = 100.0
_EDGE_BYTES = 150.0


class ChecksMemory:
    """Refuses data for which a fit would need more memory than there is.

    ``_n_copies`` is the number of copies of the data that ``_rank`` makes; ``_own_memory`` adds
    what depends on the shape alone.
    """

    _n_copies = 0
    _memory_advice = (
        "Fit a random subset of the samples, leave out columns, or use a method whose memory does "
        "not grow with the square of the data: GreedyCSS, GAFS, LaplacianScore or Variance"
    )

    def _own_memory(self, n_samples: int, n_features: int) -> float:
        """Bytes that the method needs for its own arrays, at most."""
        return 0.0

    def _estimate_memory(self, n_samples: int, n_features: int) -> float:
        """Bytes that ``_rank`` needs besides the data, at most."""
        n_edges = n_samples * getattr(self, "n_neighbors", 0)
        shared = _COLUMN_BYTES * n_features + _EDGE_BYTES * n_edges
        return self._own_memory(n_samples, n_features) + shared

    def _check_memory(self, data):
        """Refuse, before the work starts, what does not fit in memory; warn of what is much."""
        needed = self._estimate_memory(data.n_samples, data.n_features)
        to_load = data.bytes_to_load()
        if not self._distributes:
            needed += to_load
        if not (self._distributes and to_load):  # otherwise it works in pieces
            floats = 8.0 * data.n_samples * data.n_features
            needed += self._n_copies * (data.size() if data.is_sparse else floats)
        limit = available_memory()
        message = (
            f"{type(self).__name__} needs about {needed / 1e9:,.1f} GB of memory for "
            f"{data.n_samples:,} samples and {data.n_features:,} features, "
        )
        if needed > limit:
            raise MemoryError(
                f"{message}but only {limit / 1e9:,.1f} GB are available. {self._memory_advice}"
            )
        much = _MUCH_MEMORY + 3 * data.size()
        if needed > much:
            warn(
                f"{message}more than three times the data plus 0.5 GB ({much / 1e9:,.1f} GB). "
                f"{limit / 1e9:,.1f} GB are available, so the fit starts, but it will be slow, and "
                f"may fail if other programs need the memory. {self._memory_advice}"
            )
