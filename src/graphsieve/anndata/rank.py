"""Rankings of genes: the estimator, checks of its input, and one fit per batch."""

from dataclasses import asdict, dataclass, fields

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from .._graph.affinity import build_graph
from .._linear.columns import Columns, leading_scores
from .._network.estimator import Autoencoder
from .._rows import RowBlocks, find_non_finite, first_rows, is_constant, open_rows, take_rows
from .._utils.names import suggestion
from .._utils.warn import warn
from ..base import FeatureRanker
from ..inspection.grouped import constant_columns
from ..methods import REGISTRY, GraphSieve
from .data import labels

# A batch with fewer cells says next to nothing about genes.
FEWEST_CELLS = 20
# Weight of the neighbour graph relative to the data, and the number of principal components in
# which neighbours are found, which is that of scanpy. See docs/gene_panels.md.
_GRAPH_WEIGHT = 0.3
_N_COMPONENTS = 50


@dataclass(frozen=True)
class CellGraph:
    """Neighbour graph of cells in the space of their first principal components.

    GraphSieve by itself uses the components above noise, to which a rare cell type may not
    contribute.
    """

    n_neighbors: int = 5
    n_jobs: int | None = None

    def __call__(self, X):
        """Affinity of the cells of X, in any container."""
        columns = Columns(open_rows(X))
        size = min(_N_COMPONENTS, columns.n_samples - 1, columns.n_features)
        scores, _ = leading_scores(columns, size, np.random.RandomState(0))
        return build_graph(RowBlocks(scores), **asdict(self))


def make_estimator(method, random_state, affinity=None):
    """An unfitted estimator from the name of a method, or a clone of an estimator.

    ``random_state`` is for a method given by its name, ``affinity`` is a neighbour graph that the
    method is to use.
    """
    if isinstance(method, FeatureRanker):
        estimator = clone(method)
    elif method in REGISTRY:
        estimator = REGISTRY[method]()
        if "random_state" in estimator.get_params():
            estimator.set_params(random_state=random_state)
        adapt_to_expression(estimator)
    else:
        raise ValueError(
            f"method={method!r} is neither a method of graphsieve nor an estimator"
            f"{suggestion(method, REGISTRY)}; the methods are {', '.join(REGISTRY)}"
        )
    if affinity is not None and "affinity" not in estimator.get_params():
        with_graph = [name for name, cls in REGISTRY.items() if "affinity" in cls().get_params()]
        raise ValueError(
            f"{type(estimator).__name__} uses no neighbour graph: leave neighbors_key out, or use "
            f"one of the methods {', '.join(with_graph)}"
        )
    return estimator


def adapt_to_expression(estimator, given=()):
    """Set the parameters that differ from those for other tables, but for those that are given.

    Genes share one unit, and one that varies little is mostly noise: all columns are scaled alike.
    Most of the variance of expression is noise that no panel explains, whereas few genes explain
    the embedding of the neighbour graph: with the weight of the data, it would decide most picks.
    The graph is that of more components than are above noise, so that rare cell types are in it.
    """
    parameters = estimator.get_params()
    if parameters.get("scale") is not None and "scale" not in given:
        estimator.set_params(scale="global")
    if not isinstance(estimator, GraphSieve):
        return
    if "graph_weight" not in given:
        estimator.set_params(graph_weight=_GRAPH_WEIGHT)
    if "affinity" not in given:
        options = {field.name: parameters[field.name] for field in fields(CellGraph)}
        estimator.set_params(affinity=CellGraph(**options))


def check_values(X, names, estimator, where):
    """Refuse values that the estimator cannot process; returns the mask of constant genes.

    ``where`` is the name of X in messages.
    """
    data = open_rows(X)
    if data.is_sparse and not estimator.__sklearn_tags__().input_tags.sparse:
        accepting = [n for n, c in REGISTRY.items() if c().__sklearn_tags__().input_tags.sparse]
        raise TypeError(
            f"{where} is sparse, and {type(estimator).__name__} needs dense data: store it with "
            f".toarray(), or use one of the methods {', '.join(accepting)}"
        )
    low, high = data.column_range()
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        cell, gene = find_non_finite(data)
        raise ValueError(
            f"{where} contains NaN or infinity: cell {cell}, gene {str(names[gene])!r}. Filter or "
            "fill such values first"
        )
    # These shift columns, which would make sparse data dense.
    shifts = isinstance(estimator, Autoencoder | GraphSieve) and estimator.scale is not None
    if data.is_sparse and low.min() < 0 and shifts:
        raise ValueError(
            f"{where} is sparse and has negative values (gene {str(names[low.argmin()])!r}), which "
            f"{type(estimator).__name__} cannot scale: use a layer with log-normalised counts, or "
            "store the values with .toarray()"
        )
    warn_of_counts(first_rows(X, 1000), low.min(), where)
    return is_constant(low, high)


def warn_of_counts(X, smallest, where):
    """Warn if values look like counts.

    ``X`` has some of the cells, ``smallest`` is the least value of all, and ``where`` the name of
    the values in the message.
    """
    values = X.data if sp.issparse(X) else X
    largest = values.max(initial=0)
    if smallest < 0 or largest <= 1 or (values != np.floor(values)).any():
        return
    warn(
        f"{where} holds integers up to {largest:g}, which look like raw counts: genes with large "
        "counts and deeply sequenced cells dominate the selection. Log-normalise first "
        "(scanpy.pp.normalize_total, then scanpy.pp.log1p), or use a layer with such values"
    )


def find_batches(adata, batch_key):
    """Masks of the cells of every batch that is large enough."""
    number, names = labels(adata, batch_key, "batch_key")
    if (number < 0).any():
        raise ValueError(
            f"adata.obs[{batch_key!r}] is missing for {(number < 0).sum()} cells: fill it, or "
            "leave these cells out"
        )
    size = np.bincount(number)
    if size.max() < FEWEST_CELLS:
        raise ValueError(
            f"no batch of adata.obs[{batch_key!r}] has {FEWEST_CELLS} cells or more (the largest "
            f"has {size.max()}): merge batches, or leave batch_key out"
        )
    if size.min() < FEWEST_CELLS:
        small = [str(name) for name in names[size < FEWEST_CELLS]]
        warn(
            f"{len(small)} of {len(names)} batches have fewer than {FEWEST_CELLS} cells and have "
            f"no influence on the selection: {', '.join(small[:5])}. Merge small batches if they "
            "should count"
        )
    return [number == batch for batch in np.flatnonzero(size >= FEWEST_CELLS)]


def rank_genes(estimator, X, affinity=None, batches=None):
    """Ranks (0 is best) and scores of the genes, one row per batch.

    ``batches`` are masks of the cells; None means one batch of all cells.
    """
    if batches is None:
        fits = [_fit(estimator, X, affinity)]
    else:
        parts = ((c, None if affinity is None else affinity[c][:, c]) for c in batches)
        fits = [_fit(estimator, take_rows(X, cells), A) for cells, A in parts]
    ranks, scores = (np.array([getattr(fit, a) for fit in fits]) for a in ("ranking_", "scores_"))
    if batches is not None:
        # A batch says nothing about a gene that is constant there.
        silent = np.array([constant_columns(take_rows(X, cells)) for cells in batches])
        silent[:, estimator.include or []] = False
        ranks[silent] = ranks.shape[1] + 1
    return ranks - 1, scores


def _fit(estimator, X, affinity):
    estimator = clone(estimator)
    if affinity is None and isinstance(getattr(estimator, "affinity", None), CellGraph):
        affinity = estimator.affinity(X)  # from the rows where they are: fit would load them
    if affinity is not None:
        estimator.set_params(affinity=affinity)
    return estimator.fit(X)
