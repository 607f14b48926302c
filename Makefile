# Needs Python 3.11 or newer with pip and venv, make and git; everything else is installed into .venv.
PYTHON  ?= python3
# Processes the tests run in, and more arguments for the target's command: make test-only ARGS="-k wager".
WORKERS ?= 2
ARGS    ?=
# Whose oldest libraries `make test-floors` tries; all by default.
FLOORS  ?=
# What `make bounds` runs.
BOUNDED ?= tests/shakespeare/rules tests/figaro/rules tests/contract/core/test_records.py tests/fuzz

VENV    := .venv
BIN     := $(VENV)/bin
STAMP   := $(VENV)/.installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup test test-only test-ecosystem test-floors test-ptx lint types imports coverage golden docs site notebooks table play train evaluate fuzz bounds bench panel leaderboards clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-21s %s\n", $$1, $$2 }' Makefile

setup: $(STAMP)  ## create .venv and install the project with the pinned versions

$(STAMP): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; try make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV); this takes two to five minutes the first time and prints nothing"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[train,render,data,arena,mcp,table,ray,notebooks,docs,dev]' -c constraints.txt
	@touch $@
	@echo "done; next: . $(BIN)/activate"

test: lint types imports test-only  ## every check: style, types, imports, tests

lint: setup  ## style, with ruff
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check agents benchmarks docs/*.py docs/games notebooks/*.py shakespeare_env tests training

types: setup  ## types, with mypy
	$(BIN)/python -m mypy

imports: setup  ## who may import whom, with import-linter
	$(BIN)/lint-imports

test-only: setup  ## the tests alone
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(ARGS)

test-ecosystem:  ## recipes for other libraries, each installed apart; ARGS="rllib torchrl" for some
	$(PYTHON) -m tests.ecosystem recipes $(ARGS)

test-floors:  ## the oldest libraries that pyproject.toml takes, each extra installed apart; FLOORS="arena" for some
	$(PYTHON) -m tests.ecosystem floors $(FLOORS)

test-ptx: setup  ## compile all that a GPU runs, without one; installs the extra cuda into .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[cuda]' -c constraints.txt
	$(BIN)/python -m tests.device.ptx

coverage: setup  ## the rule tests with the compiler off; at least 98 % of the rules' lines must run
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal \
		tests/shakespeare/rules tests/shakespeare/record tests/figaro -m "not slow" \
		--cov=shakespeare_env/shakespeare/rules --cov=shakespeare_env/shakespeare/record --cov=shakespeare_env/figaro \
		--cov-report=term --cov-fail-under=98 $(ARGS)

golden: setup  ## play the golden games again; read the difference before you keep it
	$(BIN)/python -m tests.golden.regenerate $(ARGS)

docs: setup  ## make the pictures and answers in docs/ that come from code
	$(BIN)/python docs/build.py

site: setup  ## the documentation as a site in build/site; every warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict $(ARGS)

notebooks: setup  ## execute the notebooks and save their output; ARGS=5_agents.ipynb for one
	$(BIN)/python notebooks/execute.py $(ARGS)

table: setup  ## play, watch and review in the browser
	$(BIN)/shakespeare table $(ARGS)

play: setup  ## play against bundled networks
	$(BIN)/shakespeare play $(ARGS)

train: setup  ## train a network by self-play; the end says how to play against it
	$(BIN)/shakespeare train $(ARGS)
	@echo "for these commands, first: . $(BIN)/activate"

evaluate: setup  ## the bundled network against three heuristic players
	$(BIN)/shakespeare evaluate network heuristic --players 4 --games 2000 $(ARGS)

bounds: setup  ## with every index of compiled rules checked: the rules' tests and some fuzzing; BOUNDED=tests for all
	SHAKESPEARE_BOUNDS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(BOUNDED) -m "not slow" $(ARGS)

fuzz: setup  ## attack what reads positions, records and commands, for half an hour; ARGS="-k records" for some
	FUZZ_EXAMPLES=10000 $(BIN)/python -m pytest -n $(WORKERS) tests/fuzz $(ARGS)

bench: setup  ## a module of benchmarks/, the engine's by default; ARGS="views --help" for another
	$(BIN)/python -m benchmarks.$(or $(ARGS),engine)

panel: setup  ## judge a network by the fixed panel; ARGS="CHECKPOINT", with --card to keep the figures
	$(BIN)/python -m benchmarks.panel $(ARGS)

leaderboards: setup  ## play what is missing of both leaderboards and write them
	$(BIN)/python -m benchmarks.leaderboards $(ARGS)

clean:  ## remove .venv and everything else that was made
	rm -rf $(VENV) build dist htmlcov .coverage .coverage.* .hypothesis
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
