"""A claim of the paper, and the verdicts on it."""

from dataclasses import dataclass

HOLDS, PARTLY, FAILS, OPEN = "holds", "holds in part", "does not hold", "not measured"
RIVALS = ("lap_score", "spec", "mrsf", "udfs", "rsr")
# Means over repetitions that differ by less are equal.
NOISE = 0.005


@dataclass(frozen=True)
class Claim:
    """What the paper says in our words, the verdict, and the numbers behind it."""

    text: str
    verdict: str
    evidence: str


def judge(right):
    """Verdict on a claim with several parts, from whether each part is right."""
    right = list(right)
    return HOLDS if all(right) else PARTLY if any(right) else FAILS
