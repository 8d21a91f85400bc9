"""The claim about the pixels of faces."""

from sklearn.feature_selection import f_classif

from ..cells import load_dataset
from ..estimate import over_splits
from .claim import OPEN, RIVALS, Claim, judge

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
    values = table.groupby(["method", "split"], sort=False).apply(
        lambda rows: strength[rows.nsmallest(n_kept, "position")["feature"].astype(int)].mean(),
        include_groups=False,
    )
    means = values.groupby("method", sort=False).mean()
    if "gafs" not in means:
        return Claim(text, OPEN, "GAFS is missing.")
    average = float(strength.mean())
    gain = over_splits(values["gafs"] - average)
    parts, leads = [gain.sign], ""
    rivals = means.loc[[name for name in (*RIVALS, "variance") if name in means]]
    if len(rivals):
        lead = over_splits(values["gafs"] - values[rivals.idxmax()])
        parts.append(lead.sign)
        leads = f" GAFS minus {rivals.idxmax()}: {lead:+z.2f}."
    return Claim(
        text,
        judge(parts),
        f"Mean F statistic, over the persons, of the first {TOP:.0%} of the pixels. GAFS minus all "
        f"pixels: {gain:+z.2f}.{leads}",
        f"mean F, GAFS minus all pixels: {gain:+z.2f}",
        (
            ("", *means.index, "all pixels"),
            ("mean F", *(f"{value:.2f}" for value in (*means, average))),
        ),
    )
