"""A method that does not describe or constrain a parameter is told so."""

import pytest

from graphsieve._utils.shared import with_shared_parameters
from graphsieve.base import FeatureRanker


def method(constraints, section):
    class Mine(FeatureRanker):
        __doc__ = f"Mine.\n\nParameters\n----------\n{section}"
        _parameter_constraints = constraints
        width: float = 1.0

    return with_shared_parameters(Mine)


def test_a_forgotten_parameter_is_named():
    described = "width : float, default=1\n    Its width.\n"
    allowed = {"width": [float]}
    assert "Number of features" in method(allowed, described).__doc__
    with pytest.raises(TypeError, match="Mine has the parameter 'width': add it to _parameter_c"):
        method({}, described)
    with pytest.raises(TypeError, match="Mine has the parameter 'width': add it to the Param"):
        method(allowed, "height : float\n    Its height.\n")
