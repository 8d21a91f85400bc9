"""GAFS: graph autoencoder feature selection."""

from functools import partial

from .._autoencoder.passes import encode
from .._autoencoder.ranker import NON_NEGATIVE, AutoencoderRanker
from .._graph.affinity import build_graph, laplacian
from .._graph.neighbors import SEARCHES
from .._linear.greedy import TARGETS, greedy_order
from .._utils.sklearn_private import StrOptions
from ..base import GRAPH_CONSTRAINTS


class GAFS(AutoencoderRanker):
    """Keep the columns through which an autoencoder sees the data and their neighbourhoods.

    A network with one hidden layer of ``n_hidden`` units rebuilds the data from a code
    H = sigmoid(X W_in + b_in). A penalty on the rows of W_in lets it read few columns; the
    Laplacian L of a nearest-neighbour graph asks that neighbours have similar codes::

        min  |X - Xhat|_F^2 / (2 n) + alpha |W_in|_{2,1} + graph_weight Tr(H' L H)
             + decay / 2 (|W_in|_F^2 + |W_out|_F^2),    Xhat = sigmoid(H W_out + b_out)

    Score of column j: the norm of row j of W_in. The solver stops when the relative change of the
    objective falls below ``tol``.

    Parameters
    ----------
    n_features_to_select : int, float, "auto" or None, default None
        A number, a share in (0, 1], the knee of the sorted scores, or half of the features.
    n_hidden : int, default 10
        Size of the code.
    alpha, graph_weight : float, default 1e-2 and 1e-3
        Weights of the l2,1 penalty and of the graph term (lambda and gamma in the paper).
    decay : float, default 0
        Weight decay on W_in and W_out. Without it, as in the paper, there is no minimiser: W_in
        can shrink while W_out grows. A little, such as 1e-3, makes the problem well posed.
    n_neighbors : int, default 5
    affinity : {"cosine", "binary", "heat"}, callable, array or sparse matrix, default "cosine"
        How neighbours are joined, see :func:`graphsieve.graphs.build_graph`. The graph is that of
        the scaled data; a callable gets these, a matrix is taken as it is.
    neighbors : {"auto", "exact", "approximate"}, default "auto"
        Approximate ones need the extra ``ann``; "auto" wants them above 50,000 samples.
    scale : {"minmax", "global"} or None, default "minmax"
        Columns are brought to [0, 1] one by one, or all with one range (pixels, counts), or are
        there already. Sparse data must not be negative, unless None.
    output : {"sigmoid", "identity"}, default "sigmoid"
        Last layer: sigmoid as in the paper, identity for data that were standardised.
    selection : {"norm", "greedy"}, default "norm"
        Rank by the norm of the weights, as in the paper, or pick columns one by one, each for what
        it adds to the linear reconstruction of ``targets``, see :mod:`graphsieve.greedy`: exact
        for the first ``n_features_to_select`` features, with the score d - position.
    targets : {"both", "data", "code"}, default "both"
        What greedy selection reconstructs: scaled data, hidden code, or both, weighted equally.
    solver : {"lbfgs", "minibatch"}, default "lbfgs"
        "minibatch" is for many samples: an iteration is a pass over them in random batches.
    max_iter : int, default 400
    tol : float, default 1e-5
    memory : int, default 10
        Pairs of vectors that L-BFGS keeps (100 in the paper).
    dtype : {"float32", "float64"}, default "float32"
        Precision of the matrix products.
    n_jobs : int or None, default None
        Threads; None uses the cores that OMP_NUM_THREADS and joblib leave.
    random_state : int, RandomState or None, default None
        Seeds the starting weights and the batches.
    verbose : int, default 0
        1 shows a progress bar.
    callback : callable(iteration, objective) or None, default None
        Called after every iteration; True stops the fit and keeps the result.

    Attributes
    ----------
    scores_, order_, ranking_ : ndarray of shape (n_features,)
        Score (higher is better), all features from best to worst, and rank (1 is best).
    W_in_, b_in_, W_out_, b_out_ : ndarray of shape (d, m), (m,), (m, d), (d,)
        Weights, for the scaled data.
    objective_trace_, n_iter_, converged_
        The objective at every iteration, their number, and whether ``tol`` was met.
    gains_, layers_ : ndarray of shape (n_features,)
        Greedy: share of the targets' energy that a feature explained, or would explain next, and
        the layer in which it was picked, 0 for one that was not.

    References
    ----------
    S. Feng and M. F. Duarte, "Graph autoencoder-based unsupervised feature selection with broad
    and local data structure preservation", Neurocomputing 312, 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from graphsieve import GAFS
    >>> X = load_digits().data
    >>> sel = GAFS(n_features_to_select=10, scale="global", random_state=0).fit(X)
    >>> sel.transform(X).shape
    (1797, 10)
    """

    _parameter_constraints = {
        **AutoencoderRanker._parameter_constraints,
        **GRAPH_CONSTRAINTS,
        "neighbors": [StrOptions(set(SEARCHES))],
        "graph_weight": NON_NEGATIVE,
        "scale": [StrOptions({"minmax", "global"}), None],
        "output": [StrOptions({"sigmoid", "identity"})],
        "selection": [StrOptions({"norm", "greedy"})],
        "targets": [StrOptions(set(TARGETS))],
    }

    _distributes = True

    def __init__(
        self,
        n_features_to_select=None,
        *,
        n_hidden=10,
        alpha=1e-2,
        graph_weight=1e-3,
        decay=0.0,
        n_neighbors=5,
        affinity="cosine",
        neighbors="auto",
        scale="minmax",
        output="sigmoid",
        selection="norm",
        targets="both",
        solver="lbfgs",
        max_iter=400,
        tol=1e-5,
        memory=10,
        dtype="float32",
        n_jobs=None,
        random_state=None,
        verbose=0,
        callback=None,
    ):
        super().__init__(n_features_to_select)
        self.n_hidden = n_hidden
        self.alpha = alpha
        self.graph_weight = graph_weight
        self.decay = decay
        self.n_neighbors = n_neighbors
        self.affinity = affinity
        self.neighbors = neighbors
        self.scale = scale
        self.output = output
        self.selection = selection
        self.targets = targets
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol
        self.memory = memory
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @classmethod
    def paper(cls, n_features_to_select=None, *, random_state=None):
        """GAFS as in the paper, whatever the defaults become. Its grids for m, lambda and gamma
        are centred on the values here."""
        return cls(
            n_features_to_select,
            n_hidden=10,
            alpha=1e-2,
            graph_weight=1e-3,
            decay=0.0,
            n_neighbors=5,
            affinity="cosine",
            neighbors="exact",
            scale="minmax",
            output="sigmoid",
            selection="norm",
            solver="lbfgs",
            max_iter=400,
            tol=1e-5,
            memory=100,
            dtype="float64",
            random_state=random_state,
        )

    def _laplacian(self, X):
        if self.graph_weight == 0:
            return None
        names = ("affinity", "n_neighbors", "neighbors", "n_jobs")
        return laplacian(build_graph(X, **{name: getattr(self, name) for name in names}))

    def _score(self, X):
        for name in ("gains_", "layers_", "_unexplained"):
            vars(self).pop(name, None)  # of an earlier fit
        if self.selection == "norm":
            return super()._score(X)
        H = X.stack(partial(encode, W_in=self.W_in_, b_in=self.b_in_))
        n_picks = self._check_count(X.n_features)
        greedy = greedy_order(X, n_picks, code=H, targets=self.targets)
        self.gains_, self.layers_ = greedy.gains, greedy.layers
        self._unexplained = greedy.unexplained()
        return greedy.scores

    def _knee_curve(self):
        return super()._knee_curve() if self.selection == "norm" else self._unexplained
