"""Cells for the tests of gene panels, which need anndata."""

import pytest

pytest.importorskip("anndata")

from ..helpers.cells import make_cells


@pytest.fixture
def adata():
    return make_cells()
