# Everything a person or CI does with this repository, one word each.
# PYTHON picks the interpreter that .venv is made with: make setup PYTHON=python3.12

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
EXTRAS := notebooks,bishengir,class,build,test
JOBS   ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup venv test lab lint docs format clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv and install tlcourse with every extra, by pip only

venv: setup ## another name of setup

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "tlcourse needs Python 3.11 or newer; try: make setup PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt -e ".[$(EXTRAS)]"
	@touch $@

test: setup ## run all tests (they execute the Chinese notebooks, too), then nbval on the English ones
	$(BIN)/python -m pytest tests -q -n $(JOBS) --durations=40
	$(BIN)/python -m pytest --nbval notebooks/day* -q -n $(JOBS) --dist loadfile

lab: setup ## open the course in JupyterLab
	$(BIN)/tlcourse lab

lint: setup ## ruff, pyright and the layer rule
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

docs: setup ## write docs/api/ from the docstrings
	$(BIN)/python -m tlcourse.cli.reference

format: setup ## format and sort imports
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

clean: ## remove .venv and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .import_linter_cache
