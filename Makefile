# Each target creates the virtual environment it needs; later runs reuse it.
PYTHON ?= python3
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin

.PHONY: demo browser test quick test-oldest lint docs pictures bench dist clean

demo: $(VENV)/.installed-cli
	$(BIN)/graphsieve demo

# One thread of BLAS per test process: more than there are cores wait for each other.
test quick test-oldest: export OPENBLAS_NUM_THREADS = 1

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest --numprocesses auto --dist loadgroup

# Chromium for the tests of the pages, if root can install it with apt; those tests skip without it.
browser:
	.ci/browser

# Without the tests marked slow: about a minute on two cores.
quick: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m "not slow" --numprocesses auto --dist loadgroup

# With the lower bounds that pyproject.toml declares. PYTHON=python3.11 is the oldest supported.
# Old libraries use what newer ones deprecate: those warnings are not ours.
test-oldest: $(OLDEST)/.installed
	$(OLDEST)/bin/python -m pytest -W ignore::DeprecationWarning --numprocesses auto --dist loadgroup

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed-docs
	rm -rf docs/generated
	$(BIN)/python -m sphinx -W --keep-going --jobs auto docs docs/_build/html

# The reports that the docs show, in Chromium.
pictures: $(VENV)/.installed-dev
	$(BIN)/python docs/pictures.py

# The data sets are those of experiments/, which is not installed.
bench: export PYTHONPATH = $(CURDIR)
bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/run.py

dist:
	$(PYTHON) -m venv $(VENV)-build
	$(VENV)-build/bin/python -m pip install --quiet build
	$(VENV)-build/bin/python -m build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.installed-cli: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[cli,report]"
	touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@ $(VENV)/.installed-cli

$(VENV)/.installed-docs: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	touch $@ $(VENV)/.installed-cli

$(VENV)/.installed-bench: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	touch $@

$(OLDEST)/.installed: pyproject.toml .ci/oldest.py
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python .ci/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --constraint $(OLDEST)/constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) $(VENV)-build $(OLDEST) .pytest_cache .ruff_cache .mypy_cache build dist
	rm -rf docs/_build docs/auto_examples docs/generated
