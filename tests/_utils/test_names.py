"""Names that are meant, and names that only look a little alike."""

import pytest

from graphsieve._utils.names import suggestion

KNOWN = ["mean radius", "mean area", "area error"]


@pytest.mark.parametrize("name", ["Mean Radius", "mean_radius", "mean radus"])
def test_near_names_are_suggested(name):
    assert suggestion(name, KNOWN) == " (did you mean mean radius?)"


@pytest.mark.parametrize("name", ["mean texture", "texture error", "price"])
def test_other_names_are_not(name):
    assert suggestion(name, KNOWN) == ""
