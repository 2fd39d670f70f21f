# sprintd: `make` lists the recipes, `make run` starts the daemon, `make test` runs the tests.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
# Twice the processors: many tests wait for a process of their own.
WORKERS := $(shell expr $$(nproc) \* 2)

.DEFAULT_GOAL := help
.PHONY: help setup run test check format lock bench clean

help: ## list the recipes
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

setup: $(VENV)/.run ## make the virtual environment with pinned, hashed requirements

run: $(VENV)/.run ## start the daemon on the sample workspace (this folder)
	$(BIN)/sprintd run

test: $(VENV)/.dev ## run the tests
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

check: $(VENV)/.dev ## what CI runs: format, lint, types, floors, tests with coverage
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --cov --cov-report=term

format: $(VENV)/.dev ## mend what ruff can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(VENV)/.dev ## pin the requirements again, with hashes and no address
	$(BIN)/python requirements/lock.py

bench: $(VENV)/.dev ## run the benchmarks of docs/benchmarks.md
	$(BIN)/python benchmarks/budget.py
	$(BIN)/python benchmarks/sprint.py
	$(BIN)/python benchmarks/health.py

clean: ## remove the virtual environment and caches; never the state
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build

# A stamp file a set of requirements: made again when the set changes.
$(VENV)/.run: requirements/run.txt pyproject.toml
	@echo "Installing what it needs into $(VENV); that takes a minute or two."
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	touch $@
