"""The conda recipe says what pyproject.toml says."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RECIPE = (ROOT / "conda" / "meta.yaml").read_text()


def requirements(section):
    """Lower bounds in a section of the recipe."""
    lines = re.search(rf"^  {section}:\n((?:    - .*\n)+)", RECIPE, re.MULTILINE).group(1)
    return set(re.findall(r"- (.+)", lines.replace("matplotlib-base", "matplotlib")))


def bounds(given):
    return {requirement.replace(">=", " >=") for requirement in given}


def test_name_version_and_summary():
    assert f"version: {PROJECT['version']}\n" in RECIPE
    assert f"summary: {PROJECT['description']}\n" in RECIPE


def test_requirements():
    python = f"python {PROJECT['requires-python']}"
    assert requirements("run") == bounds(PROJECT["dependencies"]) | {python}
    assert requirements("host") >= {python, "hatchling >=1.26"}


def test_optional_requirements_have_the_bounds_of_the_extras():
    extras = PROJECT["optional-dependencies"]
    assert requirements("run_constrained") <= bounds(extras["cli"] + extras["report"])


def test_command():
    (name, target) = next(iter(PROJECT["scripts"].items()))
    assert f"- {name} = {target}\n" in RECIPE
