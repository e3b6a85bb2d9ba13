# `make` alone prints this list. Everything runs in a local environment, made on first use.

PYTHON ?= python3
VENV := .venv
EVALUATION := packages/lexprint-evaluation
TRAINING := .venv-training
PIP_FLAGS := --quiet --disable-pip-version-check
PARALLEL := -n auto --maxprocesses 8 --dist worksteal# most files stay whole, and no worker waits for another's last file
SEED ?= 1# of the order of the tests, and of whatever they draw by chance
SOURCES := src tests packages $(wildcard training benchmarks)
unexport PYTHONDONTWRITEBYTECODE# else every worker would compile all tests anew
export OPENBLAS_NUM_THREADS := 1# workers share the cores; threads of theirs would wait for each other

.DEFAULT_GOAL := help
.PHONY: help demo test test-rest test-all slow hub check format bench models figures docs site clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.core ## See it work on a few sentences (installs the core only)
	@$(VENV)/bin/lexprint demo

test: $(VENV)/.dev ## Run every test but the slow ones
	@$(VENV)/bin/pytest -q -m "not slow" $(PARALLEL) --randomly-seed=$(SEED)

slow: $(VENV)/.dev ## Run the slow tests, long ones too (two hours), and those of drawn examples with ten other seeds
	@$(VENV)/bin/pytest -q -m slow
	@set -e; for seed in 1 2 3 4 5 6 7 8 9 10; do $(VENV)/bin/pytest -q -m "drawn and not slow" $(PARALLEL) \
		--hypothesis-profile=random --hypothesis-seed=$$seed --randomly-seed=$$seed; done

test-rest: $(VENV)/.all ## Run what `make test` leaves out, but for the long ones: slow tests, and those of Ray, hub models and AWT (installs torch)
	@$(VENV)/bin/pytest -q -m "(slow or extra) and not long" $(PARALLEL) --randomly-seed=$(SEED)

test-all: $(VENV)/.all ## Run every test but the long ones: slow ones too, of Ray, hub models and AWT (installs torch; needs Tesseract and Chromium); a skipped one fails
	@$(VENV)/bin/pytest -q -m "not long" --no-skips $(PARALLEL) --randomly-seed=$(SEED)

hub: $(VENV)/.hub ## Run the tests of hub models (installs torch)
	@$(VENV)/bin/pytest -q tests/models/test_torch_backend.py

check: $(VENV)/.dev ## Lint, format, types, spelling
	@$(VENV)/bin/ruff check $(SOURCES)
	@$(VENV)/bin/ruff format --check --quiet $(SOURCES)
	@$(VENV)/bin/mypy
	@$(VENV)/bin/codespell

format: $(VENV)/.dev ## Sort imports and format the code
	@$(VENV)/bin/ruff check --fix --quiet $(SOURCES)
	@$(VENV)/bin/ruff format $(SOURCES)

bench: $(VENV)/.dev ## Measure speed, scale, registry and start-up; keep the history (an idle machine, an hour)
	@$(VENV)/bin/python -m benchmarks

models: $(TRAINING)/.ready ## Rebuild the shipped models from public packages (hours)
	@$(TRAINING)/bin/python training/build.py

figures: $(VENV)/.dev ## Measure every table of the docs: DATA=FOLDER, AWT=FILE (a day; resumes)
	@DATA='$(DATA)' AWT='$(AWT)' $(VENV)/bin/python docs/figures.py

docs: $(VENV)/.docs ## Rewrite the generated pages and build the site; fails if a table is not of the shipped models
	@$(VENV)/bin/python docs/build.py
	@$(MAKE) --no-print-directory site

site: $(VENV)/.docs ## Build the documentation site in build/site from the pages as they are; every link is checked
	@NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build --strict
	@echo build/site/index.html

clean: ## Remove environments, caches and build products
	@rm -rf $(VENV) $(TRAINING) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find src tests packages -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per environment, so that a second run starts at once.
$(VENV)/.core: pyproject.toml
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install $(PIP_FLAGS) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(EVALUATION)/pyproject.toml
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/pip install $(PIP_FLAGS) --editable '.[dev]' --editable $(EVALUATION)
	@touch $(VENV)/.core $@

$(VENV)/.docs: $(VENV)/.dev
	@$(VENV)/bin/pip install $(PIP_FLAGS) --editable '.[docs]'
	@touch $@

$(VENV)/.hub: $(VENV)/.dev
	@$(VENV)/bin/pip install $(PIP_FLAGS) 'torch==2.13.0' --editable '.[hub]'
	@touch $@

$(VENV)/.all: $(VENV)/.dev
	@$(VENV)/bin/pip install $(PIP_FLAGS) 'torch==2.13.0' --editable '.[hub,parquet,postgres,ray,scans,server,timestamps]' \
		--editable '$(EVALUATION)[awt,judges]'
	@touch $(VENV)/.hub $@

$(TRAINING)/.ready: pyproject.toml
	@test -x $(TRAINING)/bin/python || $(PYTHON) -m venv $(TRAINING)
	@$(TRAINING)/bin/pip install $(PIP_FLAGS) --editable '.[training]'
	@touch $@
