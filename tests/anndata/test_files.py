"""Files of AnnData."""

import pytest

from graphsieve.anndata import read_h5ad


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="none.h5ad does not exist"):
        read_h5ad(tmp_path / "none.h5ad")
    (tmp_path / "text.h5ad").write_text("not an HDF5 file")
    with pytest.raises(ValueError, match="text.h5ad cannot be read as an .h5ad file"):
        read_h5ad(tmp_path / "text.h5ad")
