"""What a reader should know before trusting the numbers, in plain words."""

import numpy as np

from .._rows.samples import lacks_batches
from .._utils.text import counted
from ..methods.drop_redundant import MOST_COMPLETED, too_few_rows

# Columns with a larger correlation count as copies.
_COPY = 0.999
_REDUNDANT = 0.95
_POOR = 0.2
_FEW_ROWS = 30
# Variances that differ by more are a matter of units, if so many columns have such a small one.
_UNITS_DIFFER, _UNITS_FRACTION = 1e4, 0.1


def write_notes(facts, sample, is_pooled, coverage, correlation, explained):
    """Notes about the fit and the data: dicts with a ``level`` and a ``text``, warnings first.

    ``is_pooled`` says that the page does not know the batches of the fit, ``coverage`` is NaN
    for constant columns, ``correlation`` is that with the closest kept feature, and ``explained``
    are the explained fractions of the kept features and of as many random ones.
    """
    pooled = [_warning(f"{lacks_batches(facts.n_batches)}.")] if is_pooled else []
    notes = [
        *_convergence(facts),
        *_rows(facts, sample),
        *_promised(facts, sample, coverage),
        *pooled,
        *_columns(facts, sample, np.isnan(coverage), np.abs(correlation)),
        *_choice(facts, coverage, np.abs(correlation)),
        *_baseline(*explained),
    ]
    return sorted(notes, key=lambda note: ("warning", "note", "good").index(note["level"]))


def _note(text, level="note"):
    return {"level": level, "text": text}


def _warning(text):
    return _note(text, "warning")


def _convergence(facts):
    if facts.converged is None:
        return
    n_iter = max(len(facts.trace) - 1, 0)
    if facts.converged:
        yield _note(f"{facts.method} converged after {counted(n_iter, 'iteration')}.", "good")
    elif not facts.ranks_by_trace:
        yield _note(
            f"The network of the selected features was trained for "
            f"{counted(n_iter, 'iteration')} and has not converged. Only encode() uses it: the "
            "ranking does not depend on it."
        )
    else:
        yield _warning(
            f"{facts.method} stopped after {counted(n_iter, 'iteration')} before it converged. The "
            "ranking is that of an unfinished fit and may change: increase max_iter."
        )


def promise(facts, sample):
    """What DropRedundant promises of the kept features, in words; None for other methods."""
    dropped = None if facts.r2 is None else facts.r2[~facts.is_kept]
    if dropped is None or not dropped.size:
        return None
    filled = ", with gaps filled by means," if sample.n_filled else ""
    if facts.least_r2 is None:
        text = "Every dropped feature is redundant with a kept one"
    else:
        missed = np.count_nonzero(dropped < facts.least_r2 - 1e-6)
        but = f" (but {missed:,}, because of excluded features)" if missed else ""
        text = (
            f"Together, the kept features predict every dropped one{but} with an R² of "
            f"{facts.least_r2:g} or more on the rows used"
        )
        if sample.n_filled and facts.n_features <= MOST_COMPLETED:
            text += ", estimated from all observed values"
    return (
        f"{text}. This is promised for {facts.n_selected:,} features, not for other numbers. "
        f"Coverage is the R² on left-out samples{filled} and may be lower."
    )


def _promised(facts, sample, coverage):
    if facts.least_r2 is not None:
        heldout = coverage[~facts.is_kept & (facts.r2 >= facts.least_r2 - 1e-6)]
        text = too_few_rows(
            sample.n_samples, facts.n_selected, np.nan_to_num(heldout, nan=1.0), facts.least_r2
        )
        if text:
            yield _warning(f"{text}.")


def _rows(facts, sample):
    n_rows, n_samples = len(sample.rows), sample.n_samples
    if n_rows < n_samples:
        yield _note(
            f"Coverage, correlations and pictures on this page are computed from {n_rows:,} of "
            f"the {n_samples:,} samples, drawn at random. The ranking itself is not affected."
        )
    if n_samples < _FEW_ROWS:
        yield _warning(
            f"With {n_samples} samples, correlations and coverage are rough estimates, and another "
            "sample could lead to another selection."
        )
    elif n_samples < facts.n_features:
        yield _note(
            f"There are more features ({facts.n_features:,}) than samples ({n_samples:,}), so "
            "many features are correlated by chance. Coverage is measured on samples that "
            "were left out of the regression, which corrects for most of it."
        )


def _columns(facts, sample, constant, correlation):
    if sample.n_filled:
        yield _note(
            f"{counted(sample.n_filled, 'missing value')} in these rows were replaced by the mean "
            "of their column for this page."
        )
    if constant.any():
        n_constant = int(constant.sum())
        yield _note(
            f"{counted(n_constant, 'feature')} {'is' if n_constant == 1 else 'are'} constant in "
            "these rows: there is nothing to explain, and no coverage."
        )
    # Other methods scale every column, or have no use for units.
    keeps_units = facts.parameters.get("scale") in ("None", "'global'")
    variance = sample.values[:, ~constant].var(axis=0) if keeps_units else np.empty(0)
    if len(variance) and variance.max() > _UNITS_DIFFER * np.quantile(variance, _UNITS_FRACTION):
        yield _warning(
            f"The variances of the features differ by a factor of more than {_UNITS_DIFFER:,.0f}, "
            f"and {facts.method} did not scale the features one by one, so their units decide the "
            "ranking: standardise the data first if they should not. On this page all features "
            "count alike."
        )
    copies = int((correlation[~facts.is_kept] > _COPY).sum())
    if copies:
        yield _note(
            f"{counted(copies, 'dropped feature')} {'is a copy' if copies == 1 else 'are copies'} "
            f"of a kept one (correlation above {_COPY})."
        )


def _choice(facts, coverage, correlation):
    if facts.n_exact < facts.n_features:
        yield _note(
            f"The first {facts.n_exact:,} features were picked one by one, each given those before "
            "it. The others are ordered by what each would add next; fit again with a larger "
            "n_features_to_select to look further."
        )
    redundant = int((correlation[facts.is_kept] > _REDUNDANT).sum())
    if redundant:
        yield _warning(
            f"{counted(redundant, 'kept feature')} {'has' if redundant == 1 else 'have'} a "
            f"correlation above {_REDUNDANT} with another kept one: the selection is redundant."
        )
    # Constant features have no coverage, and nothing of them is lost.
    dropped = coverage[~facts.is_kept & ~np.isnan(coverage)]
    poor = int((dropped < _POOR).sum())
    if poor:
        yield _note(
            f"{poor:,} of {counted(dropped.size, 'dropped feature')} "
            f"{'is' if poor == 1 else 'are'} hardly predicted by the kept ones (coverage below "
            f"{_POOR:.0%}): noise, or information that is lost. Sort the table by coverage to see "
            "which."
        )


def _baseline(this, random):
    if this < random:
        yield _warning(
            f"Random features explain more on average ({random:.0%}) than the selected ones "
            f"({this:.0%}). Try another method, or another scaling of the data."
        )
