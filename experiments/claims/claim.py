"""A claim of the paper, and the verdicts on it."""

from dataclasses import dataclass

HOLDS, PARTLY, FAILS = "holds", "holds in part", "does not hold"
UNDECIDED, OPEN = "undecided", "not measured"
RIVALS = ("lap_score", "spec", "mrsf", "udfs", "rsr")
LABELS = {
    "gafs": "GAFS",
    "gafs_recursive": "GAFS with recursive elimination",
    "sieve": "GraphSieve",
}
# Means over repetitions that differ by less are equal.
NOISE = 0.005


@dataclass(frozen=True)
class Claim:
    """What the paper says in our words, the verdict, the numbers behind it and the main one.

    ``table`` has further numbers as rows of text, the first of which are the names of the columns.
    """

    text: str
    verdict: str
    evidence: str
    estimate: str = ""
    table: tuple[tuple[str, ...], ...] = ()


def judge(signs):
    """Verdict on a claim from the signs of its parts.

    A sign is 1 if the interval supports the part, -1 if it contradicts it, 0 if it does neither.
    The claim holds if all parts do, and in part if some do. It does not hold if some are
    contradicted and none is supported; otherwise it is undecided.
    """
    signs = list(signs)
    if all(sign > 0 for sign in signs):
        return HOLDS
    if any(sign > 0 for sign in signs):
        return PARTLY
    return FAILS if any(sign < 0 for sign in signs) else UNDECIDED
