# make demo | test | lint | bench | clean
#
# Everything runs in .venv on the installed wheel, never on the source tree. Stamp files in .venv remember what is done:
# a second call starts at once, and a change to the sources builds and installs the wheel again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

PACKAGES := bpe_engine chunker integrations
# Folders too: deleting a file changes nothing but its folder.
SOURCES := pyproject.toml README.md LICENSE $(shell find $(PACKAGES) -name __pycache__ -prune -o -print)
CHECKED := $(PACKAGES) $(wildcard benchmarks examples scripts) tests

# A PYTHONPATH from outside could put the source tree before the installed package.
unexport PYTHONPATH

.PHONY: demo test lint bench clean

demo: $(VENV)/stamp-package
	$(BIN)/chunker chunk .

# From inside .venv: what is imported is the installed package, and --installed makes the run fail if it is not.
test: $(VENV)/stamp-all
	cd $(VENV) && bin/python -P -m pytest -c ../pyproject.toml --rootdir=.. --installed -n 2 ../tests

lint: $(VENV)/stamp-all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(CHECKED)

bench: $(VENV)/stamp-bench
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/chunk_structure.py
	$(BIN)/python benchmarks/speed.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/stamp-venv:
	$(PYTHON) -m venv $(VENV)
	touch $@

# Two installs: the first replaces the package although its version is the same, the second brings what it depends on.
$(VENV)/stamp-package: $(SOURCES) $(VENV)/stamp-venv
	rm -rf $(VENV)/wheel
	$(PIP) wheel --no-deps --wheel-dir $(VENV)/wheel .
	$(PIP) install --force-reinstall --no-deps $(VENV)/wheel/*.whl
	$(PIP) install $(VENV)/wheel/*.whl
	touch $@

# The dependencies of an extra are in pyproject.toml alone; the package itself is up to date by the stamp before.
$(VENV)/stamp-all $(VENV)/stamp-bench: $(VENV)/stamp-%: pyproject.toml | $(VENV)/stamp-package
	$(PIP) install "$$(echo $(VENV)/wheel/*.whl)[$*]"
	touch $@
