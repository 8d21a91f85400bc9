"""What a selection leaves behind besides tables: its file and its page."""

import re
from dataclasses import replace

import numpy as np

from .arguments import check_output
from .console import usage_error
from .progress import progress

_SHAPE = re.compile(r"(\d+)\s*[xX,]\s*(\d+)")


def check_artifacts(save, report, force):
    """Refuse wrong extensions, and files that exist, before the data are read."""
    for path, suffix, option in ((save, ".json", "--save"), (report, ".html", "--report")):
        if path is not None:
            check_output(path, (suffix,), force, option)


def parse_image_shape(text):
    """Height and width from text such as 32x32."""
    if text is None:
        return None
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise usage_error(
            f"{text!r} is not an image shape; use height x width, such as 32x32", "--image-shape"
        )
    return int(match[1]), int(match[2])


def name_columns(estimator, features):
    """Tell a fitted estimator the names of its columns, which an array does not have."""
    if features.owner is None:
        estimator.feature_names_in_ = np.asarray(features.names, dtype=object)


def make_artifacts(
    estimator, features, ranking, save, report, *, title, image_shape, groups, color
):
    """The selection and the page about it, each with its path; both have a method ``save``."""
    made = []
    if save is not None:
        made.append((_selection(estimator, features, ranking), save))
    if report is not None:
        with progress(f"Preparing {report.name}"):
            page = estimator.report(
                features.X, groups=groups, title=title, image_shape=image_shape, color=color
            )
        made.append((page, report))
    return made


def _selection(estimator, features, ranking):
    """The selection of columns, also where an estimator has seen values of text columns."""
    selection = estimator.to_selection()
    if features.owner is None:
        return selection
    position = {name: j for j, name in enumerate(features.names)}
    in_order = ranking["feature"].map(position)
    return replace(
        selection,
        kept=sorted(in_order[ranking["kept"]].tolist()),
        n_features_in=len(features.names),
        feature_names_in=features.names,
        order=in_order.tolist(),
        scores=ranking.set_index("feature")["score"][features.names].tolist(),
    )
