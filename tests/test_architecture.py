"""Imports go one way, and importing the package loads nothing that is not needed."""

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import graphsieve
from graphsieve import GraphSieve, Selection
from graphsieve._explain import Reconstructor
from graphsieve.base import FeatureRanker

ROOT = Path(graphsieve.__file__).parent
# A module may import from the layers above its own in this list; siblings do not import each other.
LAYERS = [
    {"_utils"},
    {"_rows"},
    {"_graph", "_linear", "_network"},
    {"selection", "_explain", "encoding"},
    {"base"},
    {"methods"},
    {"evaluation", "inspection"},
    {"plots"},
    {"report"},
    {"anndata"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
FILES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def part(path):
    """The top-level module or package that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_parts(path):
    """Parts of graphsieve that a file imports, anywhere in it."""
    depth = len(path.relative_to(ROOT).parts)
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from (name.split(".")[0] for name in names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_are_relative(path):
    """So that the next test sees all of them; what is not installed is not imported."""
    for node in ast.walk(ast.parse(path.read_text())):
        absolute = []
        if isinstance(node, ast.Import):
            absolute = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            absolute = [node.module]
        for name in absolute:
            assert name.split(".")[0] not in ("graphsieve", "experiments", "benchmarks", "tests")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path):
    assert part(path) in LEVEL, f"say in LAYERS where {part(path)} belongs"
    for other in imported_parts(path):
        if other in LEVEL and other != part(path):
            assert LEVEL[other] < LEVEL[part(path)], f"{part(path)} must not import {other}"


@pytest.mark.parametrize("path", sorted((ROOT / "methods").glob("[!_]*.py")), ids=lambda p: p.stem)
def test_no_method_imports_another(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            assert (node.module or "").startswith("_"), f"{path.name} imports a sibling"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_private_scikit_learn_is_in_one_file(path):
    if path.name == "sklearn_private.py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
            names = [*node.module.split("."), *(alias.name for alias in node.names)]
            assert not any(name.startswith("_") for name in names), f"{path.name}: {names}"


def own_classes():
    for found in pkgutil.walk_packages([str(ROOT)], "graphsieve."):
        if not found.name.endswith("__main__"):
            module = import_module(found.name)
            for _, cls in inspect.getmembers(module, inspect.isclass):
                if cls.__module__ == found.name:
                    yield cls


def parameters(method):
    return [name for name in inspect.signature(method).parameters if name != "self"]


def test_no_subclass_changes_a_signature():
    for cls in own_classes():
        for name, method in vars(cls).items():
            if not inspect.isfunction(method) or name.startswith("__"):
                continue
            bases = [vars(base)[name] for base in cls.__mro__[1:] if name in vars(base)]
            if bases and inspect.isfunction(bases[0]):
                assert parameters(method) == parameters(bases[0]), f"{cls.__name__}.{name}"


@pytest.mark.parametrize("cls", [FeatureRanker, Selection, Reconstructor])
def test_public_methods_are_annotated(cls):
    for name, method in vars(cls).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            found = inspect.signature(method)
            names = [*found.parameters.values()][1:]
            assert all(p.annotation is not p.empty for p in names), name
            assert found.return_annotation is not found.empty, name


def loaded_by(statement):
    code = f"import sys; {statement}; print(*sorted({{n.split('.')[0] for n in sys.modules}}))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.slow
def test_import_is_light():
    """A method loads no plotting, tables, command line or cluster that scikit-learn does not."""
    extra = loaded_by("from graphsieve import GAFS") - loaded_by("import sklearn.feature_selection")
    heavy = {"matplotlib", "pandas", "typer", "rich", "dask", "jinja2"}
    assert not heavy & extra


def test_the_wheel_holds_the_library_alone():
    project = tomllib.loads((ROOT.parents[1] / "pyproject.toml").read_text())
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": ["src/graphsieve"]}


CONTRIBUTING = (ROOT.parents[1] / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("name", sorted({part(path) for path in FILES} - {"__main__"}))
def test_contributing_names_every_package(name):
    assert f"`{name}/`" in CONTRIBUTING or f"`{name}.py`" in CONTRIBUTING


WALK = CONTRIBUTING.split("## A walk")[1].split("\n## ")[0]


def test_the_walk_through_a_fit_names_files_that_exist():
    steps = re.findall(r"^\d+\. `([\w/]+\.py)`", WALK, re.M)
    assert len(steps) <= 14
    named = re.findall(r"`([\w/]+\.py)`", WALK)
    assert [name for name in named if not (ROOT / name).exists() and "tests/" not in name] == []


def test_the_walk_names_all_files_of_a_fit(rng):
    X, method, files = rng.random((50, 10)), GraphSieve(3, n_jobs=1), set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, arg: files.add(Path(frame.f_code.co_filename)))
    try:
        method.fit(X)
    finally:
        sys.setprofile(before)
    used = {path.relative_to(ROOT).as_posix() for path in files if path.is_relative_to(ROOT)}
    used = {name for name in used if not name.startswith(("_rows/", "_utils/"))}
    assert "methods/graph_sieve.py" in used
    assert used <= set(re.findall(r"`([\w/]+\.py)`", WALK))


@pytest.mark.slow
def test_public_modules_need_no_import():
    names = "methods", "inspection", "evaluation", "plots", "report"
    code = f"import graphsieve; [getattr(graphsieve, name).__name__ for name in {names}]"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert not hasattr(graphsieve, "nothing")


def test_dir_shows_what_is_public():
    shown = dir(graphsieve)
    assert set(shown) == {*graphsieve.__all__, "__version__"}
    assert all(getattr(graphsieve, name) is not None for name in shown)


@pytest.mark.parametrize("cls", graphsieve.REGISTRY.values())
def test_methods_are_public(cls):
    for module in (graphsieve, graphsieve.methods):
        where = f"__all__ of {module.__file__}"
        assert cls.__name__ in module.__all__, f"add {cls.__name__} to {where}"
