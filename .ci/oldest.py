"""Prints the lower bounds that pyproject.toml declares, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
names = ["experiments", *re.search(r"\[(.+)\]", extras["all"][0]).group(1).split(",")]
lines = [*project["dependencies"], *(line for name in names for line in extras[name])]
lines = [line for line in lines if not line.startswith("graphsieve[")]
bounds = {re.match(r"([\w-]+)(?:\[.*\])?>=(.+)", line).groups() for line in lines}
print("\n".join(sorted(f"{name}=={version}" for name, version in bounds)))
