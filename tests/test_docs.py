"""The code in docstrings, README, docs and gallery runs, and links lead somewhere."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import runpy
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpydoc.validate import validate
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

import experiments
import graphsieve
import graphsieve.evaluation

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")),
    *sorted(page for page in DOCS.rglob("*.md") if "_build" not in page.parts),
    *sorted((ROOT / "experiments" / "records").rglob("*.md")),
]
PAGES = [page for page in PAGES if "auto_examples" not in page.parts]
MODULES = sorted(
    module.name
    for package in (graphsieve, experiments)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.startswith(("graphsieve.cli", "experiments.studies"))
    and not module.name.endswith("__main__")
)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def blocks(page, language):
    """Code blocks of a page that are to be run; a comment before a block may forbid it."""
    fence = rf"^((?:<!--[^\n]*-->\n)?) *```{language}\n(.*?)^ *```"
    found = re.findall(fence, page.read_text(), re.M | re.S)
    return [code for comment, code in found if "not run:" not in comment]


def needed_packages(page):
    return re.findall(r"^<!-- needs: (\w+) -->", page.read_text(), re.M)


def pages_with(language):
    return [pytest.param(page, id=page.stem) for page in PAGES if blocks(page, language)]


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("python"))
def test_python_blocks_run(page, tmp_path, monkeypatch):
    for package in needed_packages(page):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    code = "\n".join(blocks(page, "python"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if ">>> " in code:
            examples = doctest.DocTestParser().get_doctest(code, {}, page.name, str(page), 0)
            assert doctest.DocTestRunner().run(examples).failed == 0
        else:
            exec(compile(code, str(page), "exec"), {"__name__": "docs"})


def console_steps(block):
    """Pairs of a command and the output that is shown for it."""
    steps = re.split(r"^\$ ", block, flags=re.M)[1:]
    return [step.partition("\n")[::2] for step in steps]


def without_times(text):
    return [re.sub(r"\d+(\.\d+)? s\b", "some s", line.rstrip()) for line in text.splitlines()]


def matches(said, shown):
    """Does an output contain the lines that are shown, "..." standing for any lines?"""
    pieces = [re.escape("\n".join(piece)) for piece in _split(without_times(shown))]
    return re.search(r"(.|\n)*?".join(pieces), "\n".join(without_times(said)))


def _split(lines):
    piece = []
    for line in lines:
        if line == "...":
            yield piece
            piece = []
        else:
            piece.append(line)
    yield piece


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("console"))
def test_console_blocks_run(page, tmp_path):
    """Commands succeed, unless an error is shown, and say what the page shows."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": search,
        "COLUMNS": "80",
        "NO_COLOR": "1",
        "TERM": "dumb",
    }
    for block in blocks(page, "console"):
        for command, shown in console_steps(block):
            run = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            fails = "Error" in shown
            assert (run.returncode != 0) == fails, f"{command}\n{run.stdout}"
            assert matches(run.stdout, shown), f"{command}\n{run.stdout}"


def slug(heading):
    """The anchor of a heading, as GitHub and MyST make it."""
    plain = re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower()
    return plain.replace(" ", "-")


def anchors(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {slug(heading) for heading in re.findall(r"^#+ (.*)", text, re.M)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        generated = re.search(r"auto_examples/(\w+)$", target)
        if generated:
            wanted = ROOT / "examples" / f"{generated.group(1)}.py"
            assert generated.group(1) == "index" or wanted.exists(), f"{page.name}: {target}"
            continue
        file = page.parent / target if target else page
        assert file.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(file), f"{page.name} links to {target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_nothing_is_left_to_fill_in(page):
    assert not re.search(r"@@|TODO|FIXME|XXX", page.read_text())


def test_readme_works_outside_the_repository():
    """On a package index only the picture needs the repository."""
    links = re.findall(r"(?<!!)\[[^\]]*\]\((?!https?:)", (ROOT / "README.md").read_text())
    assert not links


def test_every_page_is_in_the_table_of_contents():
    listed = {"index"}
    for page in (DOCS / "index.md", DOCS / "methods" / "index.md"):
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(), re.M | re.S):
            folder = page.parent.relative_to(DOCS)
            listed |= {(folder / name).as_posix() for name in re.findall(r"^\w[\w/]*$", tree, re.M)}
    pages = [p for p in DOCS.rglob("*.*") if p.suffix in (".md", ".rst")]
    pages = {page.relative_to(DOCS).with_suffix("").as_posix() for page in pages}
    made = {page for page in pages if page.split("/")[0] in ("_build", "_templates", "generated")}
    made |= {page for page in pages if page.startswith(("auto_examples/", "sg_execution"))}
    assert listed == pages - made | {"auto_examples/index"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("script", EXAMPLES, ids=lambda script: script.stem)
def test_gallery_runs(script, tmp_path, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    plt.close("all")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    assert plt.get_fignums(), "an example draws a figure"
    plt.close("all")


@pytest.mark.parametrize("name", graphsieve.REGISTRY)
def test_every_method_has_a_page_and_a_true_row(name):
    assert (DOCS / "methods" / f"{name}.md").exists()
    table = (DOCS / "methods" / "index.md").read_text()
    row = re.search(rf"^\| `{name}` \|.*", table, re.M).group()
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    cls = graphsieve.REGISTRY[name]
    assert f"`{cls.__name__}`" in cells[1]
    assert cells[4] == ("yes" if cls().__sklearn_tags__().input_tags.sparse else "no")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", graphsieve.REGISTRY)
def test_redundancy_in_the_table_of_methods(name):
    """Mean absolute correlation of the first six columns; for random ones, over twenty seeds."""
    X = load_breast_cancer().data
    correlation = np.abs(np.corrcoef(X.T))
    rankers = [graphsieve.REGISTRY[name]()]
    if "random_state" in rankers[0].get_params():
        seeds = range(20 if name == "random" else 1)
        rankers = [clone(rankers[0]).set_params(random_state=seed) for seed in seeds]
    first = [ranker.fit(X).order_[:6] for ranker in rankers]
    found = np.mean([(correlation[np.ix_(k, k)].sum() - 6) / 30 for k in first])
    row = re.search(rf"^\| `{name}` \|.*", (DOCS / "methods" / "index.md").read_text(), re.M)
    assert float(row.group().strip("|").split("|")[3]) == pytest.approx(found, abs=0.006)


def public_names():
    """Every public class and function, and the methods that graphsieve defines on the classes."""
    for module in (graphsieve, graphsieve.evaluation):
        for name in module.__all__:
            item = getattr(module, name)
            if inspect.isclass(item) or inspect.isfunction(item):
                yield f"{module.__name__}.{name}"
            if inspect.isclass(item):
                for method, function in inspect.getmembers(item, inspect.isfunction):
                    if not method.startswith("_") and function.__module__.startswith("graphsieve"):
                        yield f"{module.__name__}.{name}.{method}"


# Missing docstring, sections out of order, summary, parameters, returned values.
NUMPYDOC_CODES = re.compile("GL08|GL07|SS01|SS03|PR0[1-7]|RT0[13]|YD01")


@pytest.mark.parametrize("name", list(public_names()))
def test_docstring_follows_numpydoc(name):
    errors = [f"{code} {text}" for code, text in validate(name)["errors"]]
    assert not [error for error in errors if NUMPYDOC_CODES.match(error)]


def test_promises_name_tests_that_exist():
    """Every row of the tables of promises names at least one test."""
    page = (DOCS / "promises.md").read_text()
    for table in re.findall(r"\| promise \| tests \|\n\|---\|---\|\n((?:\|.*\n)+)", page):
        assert all("`tests/" in row.split("|")[2] for row in table.splitlines())
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page)
    assert named
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(), f"{file} has no {test}"
