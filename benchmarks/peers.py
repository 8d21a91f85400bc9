"""Every method that another package has too, side by side with it on the same data.

    python benchmarks/run.py peers

All values divided by the largest (for lassonet every column brought to [0, 1]), seed 0, best of 3
rounds in turns, or of as many as fit in two seconds; no further one starts once those of a pair are
past 30 seconds.

The selections are compared as well: the fraction of the first k columns that both choose, and the
error of a ridge regression of all columns on the first k, relative to the variance
(``graphsieve.evaluation.reconstruction_error``, on the data that were chosen on), with the first k
by variance and k random ones for comparison; k is 50, or a quarter of the columns if that is less.
"""

from functools import partial
from importlib import import_module

import numpy as np
from measure import best_times, quiet

from graphsieve import RandomRanker, Variance
from graphsieve.evaluation import reconstruction_error

# Module: data sets. LassoNet takes minutes to hours on the larger ones.
PEERS = {
    "peers_skfeature": ("yale", "isolet", "coil20"),
    "peers_fastcan": ("digits", "yale", "isolet", "coil20"),
    "peers_lassonet": ("breast_cancer", "digits"),
}


def rows(peers=PEERS, repeats=3, enough=2.0, limit=30.0, options=None):
    """``options``: keyword arguments for the ``pairs`` of a module, by its name."""
    for module, datasets in peers.items():
        peer = import_module(module)
        for dataset in datasets:
            X, pairs = peer.pairs(dataset, **(options or {}).get(module, {}))
            for method, (ours, theirs) in pairs.items():
                yield {
                    "method": method,
                    "peer": peer.PEER,
                    "data": dataset,
                    "n": X.shape[0],
                    "d": X.shape[1],
                    **compare(X, ours, theirs, repeats, enough, limit),
                }


def compare(X, ours, theirs, repeats, enough, limit):
    orders = {}

    def rank(name, function):
        with quiet():
            orders[name] = function(X)

    our_seconds, peer_seconds = best_times(
        [partial(rank, "ours", ours), partial(rank, "peer", theirs)], repeats, enough, limit
    )
    k = min(50, X.shape[1] // 4)
    orders["variance"] = Variance().fit(X).order_
    orders["random"] = RandomRanker(random_state=0).fit(X).order_
    chosen = {name: order[:k] for name, order in orders.items() if order is not None}
    return {
        "our_seconds": our_seconds,
        "peer_seconds": peer_seconds,
        "ratio": peer_seconds / our_seconds,
        "k": k,
        "overlap": np.isin(chosen["ours"], chosen["peer"]).mean() if "peer" in chosen else np.nan,
        **{
            f"{name}_error": reconstruction_error(X, X, chosen[name]) if name in chosen else np.nan
            for name in ("ours", "peer", "variance", "random")
        },
    }
