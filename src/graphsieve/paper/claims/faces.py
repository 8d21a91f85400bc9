"""The claim about the pixels of faces."""

from sklearn.feature_selection import f_classif

from ..cells import load_dataset
from .claim import FAILS, HOLDS, OPEN, PARTLY, RIVALS, Claim

# Fraction of the pixels in the illustration.
TOP = 0.2


def keeps_discriminative_pixels(table):
    """GAFS keeps the pixels that distinguish the persons."""
    text = "On Yale GAFS keeps the most distinctive parts of a face: eyes, nose and mouth."
    try:
        X, y, _, _ = load_dataset("yale")
    except OSError:
        return Claim(text, OPEN, "The data set yale has not been downloaded.")
    strength = f_classif(X, y)[0]
    n_kept = round(TOP * len(strength))
    means = {
        method: float(strength[rows.nsmallest(n_kept, "position")["feature"].astype(int)].mean())
        for method, rows in table.groupby("method", sort=False)
    }
    if "gafs" not in means:
        return Claim(text, OPEN, "GAFS is missing.")
    rivals = [means[name] for name in (*RIVALS, "variance") if name in means]
    average = float(strength.mean())
    if means["gafs"] > max(rivals, default=average):
        verdict = HOLDS
    else:
        verdict = PARTLY if means["gafs"] > average else FAILS
    numbers = ", ".join(f"{name} {value:.2f}" for name, value in means.items())
    return Claim(
        text,
        verdict,
        f"Mean F statistic, over the persons, of the first {TOP:.0%} of the pixels; all pixels "
        f"{average:.2f}: {numbers}.",
        f"mean F {means['gafs']:.2f}, all pixels {average:.2f}",
    )
