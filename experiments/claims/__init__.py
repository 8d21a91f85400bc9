"""The claims of the paper in our words, with verdicts computed from the tables."""

from functools import partial

from ..analysis import finished
from .claim import FAILS, HOLDS, OPEN, PARTLY, RIVALS, UNDECIDED, Claim
from .comparison import (
    beats_all_features,
    beats_rivals,
    beats_rivals_fixed,
    keeps_discriminative_pixels,
    random_under_oracle,
    recursion_beats_rivals,
    sieve_beats_rivals,
)
from .cost import (
    costs_as_in_the_table,
    gafs_is_worth_the_time,
    recursion_is_worth_the_time,
    slower_on_redundant,
    sparse_is_slower,
)
from .sensitivity import (
    best_lambda,
    flat_on_text,
    gamma_in_the_middle,
    grows_with_lambda,
    insensitive_to_hidden,
    penalties,
    recursion_under_both_rules,
)

__all__ = [
    "FAILS",
    "HOLDS",
    "OPEN",
    "PARTLY",
    "RIVALS",
    "UNDECIDED",
    "Claim",
    "check",
    "penalties",
]


def _recursive(claim):
    """The same claim about the network with recursive elimination."""
    return partial(claim, ours="gafs_recursive")


CLAIMS = {
    "comparison": (
        beats_rivals,
        beats_rivals_fixed,
        recursion_beats_rivals,
        sieve_beats_rivals,
        beats_all_features,
        random_under_oracle,
    ),
    "sensitivity_hidden": (insensitive_to_hidden, _recursive(insensitive_to_hidden)),
    "sensitivity_penalties": (
        best_lambda,
        grows_with_lambda,
        flat_on_text,
        gamma_in_the_middle,
        recursion_under_both_rules,
        _recursive(grows_with_lambda),
        _recursive(gamma_in_the_middle),
    ),
    "yale_masks": (keeps_discriminative_pixels, _recursive(keeps_discriminative_pixels)),
    "convergence": (slower_on_redundant, sparse_is_slower),
    "training_time": (gafs_is_worth_the_time, recursion_is_worth_the_time),
    "complexity": (costs_as_in_the_table,),
}


def check(tables):
    """Check the claims of the paper, by experiment, also on tables of interrupted runs."""
    return {
        name: [claim(finished(table)) for claim in CLAIMS.get(name, ())]
        for name, table in tables.items()
        if len(finished(table))
    }
