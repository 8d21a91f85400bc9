"""Baselines that people use today, as rankers for the experiments; not part of REGISTRY.

The first three are short enough to be written here. The others belong to packages that are
imported when the baseline is fitted: without the package, `MissingPackage` says what to install.
"""

from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from numbers import Integral, Real

import numpy as np
from scipy.linalg import qr
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.feature_selection import f_classif
from sklearn.manifold import SpectralEmbedding
from sklearn.utils import check_random_state

from graphsieve._rows import split_rows
from graphsieve._rows.scaling import standardised
from graphsieve._utils.names import count_features, scores_of
from graphsieve._utils.sklearn_private import Interval
from graphsieve.base import FeatureRanker
from graphsieve.methods import REGISTRY

_SEED = {"random_state": ["random_state"]}


class MissingPackage(ImportError):
    """A baseline needs a package that is not installed."""


class _Baseline(FeatureRanker):
    # Whether the first j columns of the ranking for k columns are those selected for j < k.
    nested = True

    def _wanted(self, n_features):
        return count_features(self.n_features_to_select, n_features)


class PFA(_Baseline):
    """Principal feature analysis.

    k-means with k clusters on the rows of the PCA loadings, one row per feature; of every cluster,
    the feature next to the centre is selected. The principal components explain at least the
    fraction ``explained`` of the variance. Selections of different sizes are not nested: fit once
    for each size. Selected features are ranked by the size of their cluster.

    Y. Lu, I. Cohen, X. S. Zhou, Q. Tian, "Feature selection using principal feature analysis",
    ACM Multimedia, 2007.
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        **_SEED,
        "explained": [Interval(Real, 0, 1, closed="neither")],
    }
    nested = False

    def __init__(self, n_features_to_select=None, *, explained=0.9, random_state=None):
        super().__init__(n_features_to_select)
        self.explained = explained
        self.random_state = random_state

    def _rank(self, data):
        k = self._wanted(data.n_features)
        loadings = PCA(self.explained, svd_solver="full").fit(data.whole()).components_.T
        kmeans = KMeans(k, n_init=1, random_state=self.random_state).fit(loadings)
        distance = np.linalg.norm(loadings - kmeans.cluster_centers_[kmeans.labels_], axis=1)
        sizes = np.bincount(kmeans.labels_, minlength=k)
        # Of each cluster the first in order of distance; the others come after all of these.
        by_distance = np.argsort(distance, kind="stable")
        _, first = np.unique(kmeans.labels_[by_distance], return_index=True)
        scores = -1 - distance
        chosen = by_distance[first]
        scores[chosen] = sizes[kmeans.labels_[chosen]]
        return scores


class CorrelationPruning(_Baseline):
    """Drop columns that are correlated with a column kept before.

    Columns are visited in order of decreasing variance. A column is kept if its absolute
    correlation with all columns kept so far is at most the threshold. Kept columns are ranked by
    variance, and dropped columns follow, by variance.
    """

    _parameter_constraints = {
        **FeatureRanker._parameter_constraints,
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, n_features_to_select=None, *, threshold=0.9):
        super().__init__(n_features_to_select)
        self.threshold = threshold

    def _rank(self, data):
        X = np.asarray(data.whole(), dtype=np.float64)
        variance = X.var(axis=0)
        order = np.argsort(-variance, kind="stable")
        Z = (standardised(X[:, order])[0] / np.sqrt(len(X))).astype(np.float32)
        kept = np.ones(data.n_features, dtype=bool)
        # Blocks of columns, so that no d x d matrix is held.
        for block in split_rows(data.n_features, 512):
            correlated = np.abs(Z[:, block].T @ Z[:, : block.stop]) > self.threshold
            for row, place in zip(correlated, range(block.start, block.stop), strict=True):
                kept[place] = not (row[:place] & kept[:place]).any()
        scores = np.empty(data.n_features)
        scores[order] = variance[order] - np.where(kept, 0, variance.max() + 1)
        return scores


class QRPivoting(_Baseline):
    """Order of the pivots in a QR decomposition of the centred data, as in sensor placement.

    Beyond the rank of the data, the order is arbitrary.

    K. Manohar, B. W. Brunton, J. N. Kutz, S. L. Brunton, "Data-driven sparse sensor placement for
    reconstruction", IEEE Control Systems Magazine 38(3), 2018.
    """

    def _rank(self, data):
        X = np.asarray(data.whole(), dtype=np.float64)
        _, order = qr(X - X.mean(axis=0), mode="r", pivoting=True, check_finite=False)
        return scores_of(order)


class _Package(_Baseline):
    """A selector of another package, whose picks come first; the rest follows in random order."""

    _parameter_constraints = {**FeatureRanker._parameter_constraints, **_SEED}

    def __init__(self, n_features_to_select=None, *, random_state=None):
        super().__init__(n_features_to_select)
        self.random_state = random_state

    def _rank(self, data):
        X = np.asarray(data.whole(), dtype=np.float64)
        rng = check_random_state(self.random_state)
        picks = np.asarray(self._pick(X - X.mean(axis=0), self._wanted(data.n_features), rng))
        rest = rng.permutation(np.setdiff1d(np.arange(data.n_features), picks))
        return scores_of(np.concatenate([picks, rest]))


class CUR(_Package):
    """Greedy CUR decomposition of scikit-matter, with its defaults."""

    def _pick(self, X, k, rng):
        package = _import("skmatter.feature_selection", "skmatter")
        # Where the rank is exhausted, it goes on at random.
        selector = package.CUR(n_to_select=k, full=True, random_state=rng.randint(2**31 - 1))
        return selector.fit(X).selected_idx_


class FPS(_Package):
    """Farthest point sampling of scikit-matter; the first column is drawn at random."""

    def _pick(self, X, k, rng):
        package = _import("skmatter.feature_selection", "skmatter")
        first = int(rng.randint(X.shape[1]))
        return package.FPS(n_to_select=k, initialize=first, full=True).fit(X).selected_idx_


class FastCan(_Package):
    """Greedy canonical correlation of fastcan, with principal components as targets.

    Its guide recommends these targets if there are no labels. The components explain at least the
    fraction ``explained`` of the variance, unless there are more than ``max_components``.
    """

    _parameter_constraints = {
        **_Package._parameter_constraints,
        "explained": [Interval(Real, 0, 1, closed="neither")],
        "max_components": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self, n_features_to_select=None, *, explained=0.9, max_components=50, random_state=None
    ):
        super().__init__(n_features_to_select, random_state=random_state)
        self.explained = explained
        self.max_components = max_components

    def _targets(self, X):
        # All components cost little next to the selection, and need no random start.
        pca = PCA(self.explained, svd_solver="full").fit(X)
        return pca.transform(X)[:, : self.max_components]

    def _pick(self, X, k, rng):
        package = _import("fastcan")
        targets = self._targets(X)
        while True:
            try:
                return package.FastCan(k, verbose=0).fit(X, targets).indices_
            except RuntimeError:
                # It finds no more independent columns, and does not return those it has found.
                if k == 1:
                    raise
                k = max(1, 3 * k // 4)


class FastCanSpectral(FastCan):
    """The same with a spectral embedding of the neighbour graph as targets, as in fastcan's guide.

    L. Wang and S. Sun, "Unsupervised feature selection by manifold learning", Materials Research
    Proceedings 50, 2025.
    """

    def _targets(self, X):
        n = len(X)
        embedding = SpectralEmbedding(
            min(10, n - 2),
            affinity="nearest_neighbors",
            n_neighbors=min(max(5, n // 10), n - 1),
            random_state=0,
        )
        return embedding.fit_transform(X)


class NDFS(_Package):
    """Nonnegative discriminative feature selection of scikit-feature, on centred columns.

    The number of clusters is five, as in `MCFS`. With the penalty of the package, 1, most rows of
    the weights vanish; .01 is better on Isolet, Yale and COIL20 (split 100), and smaller ones are
    no better. A fit inverts a matrix of features by features in every iteration.

    Z. Li, Y. Yang, J. Liu, X. Zhou, H. Lu, "Unsupervised feature selection using nonnegative
    spectral analysis", AAAI 2012.
    """

    def _rank(self, data):
        package = _import("skfeature.function.sparse_learning_based.NDFS", "skfeature-chappers")
        graph = _import("skfeature.utility.construct_W", "skfeature-chappers")
        X = np.asarray(data.whole(), dtype=np.float64)
        X = X - X.mean(axis=0)
        W = graph.construct_W(X, neighbor_mode="knn", weight_mode="cosine", k=5)
        np.random.seed(check_random_state(self.random_state).randint(2**31 - 1))  # noqa: NPY002
        return np.linalg.norm(package.ndfs(X, mode="raw", W=W, n_clusters=5, beta=0.01), axis=1)


class _WithLabels(_Baseline):
    """A reference that sees the labels of the training rows: not a rival."""

    _parameter_constraints = {**FeatureRanker._parameter_constraints, **_SEED}
    uses_labels = True

    def __init__(self, n_features_to_select=None, *, random_state=None):
        super().__init__(n_features_to_select)
        self.random_state = random_state

    def fit(self, X, y=None, *, groups=None):
        if y is None:
            raise ValueError(f"{type(self).__name__} is a reference with labels: pass y")
        self._labels = y
        super().fit(X, groups=groups)
        del self._labels
        return self


class ExtraTrees(_WithLabels):
    """Importances of 500 extremely randomised trees that are trained with the labels."""

    def _rank(self, data):
        trees = ExtraTreesClassifier(500, random_state=self.random_state)
        return trees.fit(data.whole(), self._labels).feature_importances_


class FTest(_WithLabels):
    """F statistic of every feature for the labels."""

    def _rank(self, data):
        with np.errstate(divide="ignore", invalid="ignore"):
            F = f_classif(np.asarray(data.whole(), dtype=np.float64), self._labels)[0]
        return np.nan_to_num(F, posinf=np.finfo(float).max)


class LSCAE(_Package):
    """Concrete autoencoder with a Laplacian score (lscae), standardised data and its defaults.

    It may pick a column several times; random columns then fill the selection up.

    U. Shaham, O. Lindenbaum, J. Svirsky, Y. Kluger, "Deep unsupervised feature selection by
    discarding nuisance and correlated features", Neural Networks 152, 2022.
    """

    nested = False

    def _pick(self, X, k, rng):
        package, torch = _import("lscae"), _import("torch")
        spread = X.std(axis=0)
        rows = torch.as_tensor(X / np.where(spread > 0, spread, 1), dtype=torch.float32)
        batch = min(64, len(X))
        settings = {"k_selected": k, "batch_size": batch, "laplacian_k": min(50, batch)}
        with torch.random.fork_rng(), redirect_stdout(StringIO()):
            torch.manual_seed(rng.randint(2**31 - 1))
            loader = torch.utils.data.DataLoader(
                torch.utils.data.TensorDataset(rows), batch_size=batch, shuffle=True, drop_last=True
            )
            network = package.Lscae(
                device=torch.device("cpu"),
                kwargs={"input_dim": X.shape[1], "verbose": False, **settings},
            )
            return sorted(network.select_features(loader))


BASELINES = {
    "pfa": PFA,
    "correlation": CorrelationPruning,
    "qr": QRPivoting,
    "cur": CUR,
    "fps": FPS,
    "fastcan": FastCan,
    "fastcan_spectral": FastCanSpectral,
    "ndfs": NDFS,
    "lscae": LSCAE,
    "extra_trees": ExtraTrees,
    "f_test": FTest,
}


def ranker(name):
    """Class of a method of REGISTRY or of a baseline, by its name."""
    return {**BASELINES, **REGISTRY}[name]


def _import(module, package=None):
    package = package or module
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise MissingPackage(
            f"this baseline needs {package}. Run: python -m pip install {package}"
        ) from error
