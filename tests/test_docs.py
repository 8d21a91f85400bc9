"""The code in docstrings, README, docs and gallery runs and says what it claims."""

import doctest
import importlib
import pkgutil
import re
import runpy
import warnings
from pathlib import Path

import pytest

import graphsieve

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(graphsieve.__path__, "graphsieve.")
    if not module.name.startswith("graphsieve.cli") and not module.name.endswith("__main__")
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def python_blocks(page):
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.M | re.S))


@pytest.mark.parametrize(
    "page", [page for page in PAGES if python_blocks(page)], ids=lambda page: page.name
)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if ">>> " in python_blocks(page):
            assert doctest.testfile(str(page), module_relative=False).failed == 0
        else:
            exec(compile(python_blocks(page), str(page), "exec"), {"__name__": "docs"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "script", sorted((ROOT / "examples").glob("*.py")), ids=lambda script: script.stem
)
def test_gallery_runs(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert list(tmp_path.glob("*.png")), "an example draws a picture"


@pytest.mark.parametrize("name", graphsieve.REGISTRY)
def test_every_method_has_a_page_and_a_true_row(name):
    assert (ROOT / "docs" / "methods" / f"{name}.md").exists()
    row = re.search(rf"^\| `{name}` \|.*", (ROOT / "README.md").read_text(), re.M).group()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    cls = graphsieve.REGISTRY[name]
    assert f"`{cls.__name__}`" in cells[1]
    assert cells[4] == ("yes" if cls().__sklearn_tags__().input_tags.sparse else "no")
