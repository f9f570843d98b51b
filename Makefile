# `make` lists what there is. Nothing but Python 3.11 or newer and make is needed beforehand.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help install demo test check bench
.DEFAULT_GOAL := help

help: ## List these
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

install: $(VENV)/installed ## Set up .venv with the command dovecote

demo: $(VENV)/installed ## Send a campaign to the example recipients (DEMO_RECIPIENTS=, PORT=, PREFECT_PORT=, VERIFY_PORT=)
	@$(BIN)/dovecote demo $(if $(DEMO_RECIPIENTS),"$(DEMO_RECIPIENTS)") \
		$(if $(PORT),--port "$(PORT)") $(if $(PREFECT_PORT),--prefect-port "$(PREFECT_PORT)") \
		$(if $(VERIFY_PORT),--verify-port "$(VERIFY_PORT)")

test: $(VENV)/installed-dev ## Run the tests
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

check: $(VENV)/installed-dev ## Run the linters, the types and the architecture's contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev ## Measure, beside Kannel where it is installed
	$(BIN)/python -m benchmarks

# The stamps are newer than what they were made of, so that a second call has nothing to do.
$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit("Dovecote needs Python 3.11 or newer; name one with PYTHON=." if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/installed: $(VENV)/made pyproject.toml constraints.txt
	@echo "Installing into $(VENV); this takes about half a minute."
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@echo "Installing the tools of the tests."
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@
