"""Prints the lower bounds that pyproject.toml declares, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
_EXTRAS = ("cli", "report", "excel", "hdf5", "anndata", "dask", "zarr", "ann")
tested = [
    *project["dependencies"],
    *(line for name in _EXTRAS for line in extras[name]),
]
bounds = {re.match(r"([\w-]+)(?:\[.*\])?>=(.+)", line).groups() for line in tested}
print("\n".join(sorted(f"{name}=={version}" for name, version in bounds)))
