# Everything a developer does here. `make site` and `make test` set themselves up, in .venv.

PYTHON ?= python3
# More arguments for `make expand`, such as ARGS="docker --dry-run"
ARGS ?=
# What `make test-fast` leaves to `make test`
SLOW := bench browser cli/test_materialize.py cli/test_mcp.py install plugin project/test_conftest.py project/test_docs.py project/test_growth.py project/test_recipe.py research/expand research/submission speed
# Processes that run tests: one more than cores, as tests of a browser or of `expand` wait as much as they compute
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
# More arguments for `make bench`, such as BENCH_FLAGS="--cores 2 --rows cold unchanged"
BENCH_FLAGS ?=
# The sets of `make bench-quality`, such as QUALITY_FLAGS="--wcxb ../wcxb --clapnq ../clapnq"
QUALITY_FLAGS ?=
# What `make laws` draws its examples from; the same number gives the same ones
SEED ?=
# More arguments for `make lock`, such as LOCK_FLAGS=--upgrade
LOCK_FLAGS ?=
# The tag that `make dist` builds for, such as v0.2.0
TAG ?=

VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
PYTHON_VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)

# Stamps: the environment itself (named after what made it, so that another Python or tool makes it anew),
# what the site needs, and what research and the tests need on top.
VENV_STAMP := $(VENV)/.made-by-$(if $(UV),uv,pip)-$(PYTHON_VERSION)
SITE_STAMP := $(VENV)/.site
DEV_STAMP := $(VENV)/.dev

ifdef UV
MAKE_VENV = "$(UV)" venv --quiet --python "$$($(PYTHON) -c 'import sys; print(sys.executable)')" $(VENV)
INSTALL = "$(UV)" pip install --quiet --python $(BIN)/python
else
MAKE_VENV = $(PYTHON) -m venv $(VENV)
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif

# Material for MkDocs and ProperDocs (which mkdocs-gen-files brings in) each print a banner about the future of
# MkDocs before every build. We know (MkDocs is held below 2), and the banners would hide our own messages.
export NO_MKDOCS_2_WARNING := 1
export DISABLE_MKDOCS_2_WARNING := true

# Images of containers often set this. The tests start hundreds of Pythons, and each would compile the code anew.
unexport PYTHONDONTWRITEBYTECODE

# What shows a day of building shows the day of the commit: two builds of one commit are the same.
SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
ifneq ($(SOURCE_DATE_EPOCH),)
export SOURCE_DATE_EPOCH
endif

# Where `make publish` pushes to.
REMOTE ?= origin
BRANCH ?= gh-pages
# More arguments for `planbook check`, such as CHECK_FLAGS=--fix
CHECK_FLAGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup site serve check publish offline expand refresh demo test test-all test-fast laws lint browser golden bench bench-expand bench-answers bench-quality dist installs neighbours specification lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(DEV_STAMP) ## Set up .venv with everything (the other targets do it themselves)

site: $(SITE_STAMP) ## Build the site into site/
	$(BIN)/mkdocs build --strict
	@echo "The site is ready: open $(CURDIR)/site/index.html, or run 'make serve'."

serve: $(SITE_STAMP) ## Serve the site on this machine, and build it again when a file changes
	$(BIN)/mkdocs serve

check: $(SITE_STAMP) ## Check the plans and the pages
	$(BIN)/planbook check $(CHECK_FLAGS)

publish: $(SITE_STAMP) ## Build the site and push it to the branch gh-pages, for those without GitHub Actions
	$(BIN)/mkdocs gh-deploy --strict --remote-name $(REMOTE) --remote-branch $(BRANCH)

offline: $(SITE_STAMP) ## Pack the site into offline.zip, to be read from a folder without a server
	rm -rf offline offline.zip
	OFFLINE=true $(BIN)/mkdocs build --strict --site-dir offline
	$(BIN)/python -m zipfile -c offline.zip offline
	@echo "Unpack offline.zip anywhere, and open offline/index.html."

expand: $(DEV_STAMP) ## Fill the open PARTs (see it first: make expand ARGS=--dry-run)
	$(BIN)/planbook expand $(ARGS)

refresh: $(DEV_STAMP) ## Find quotes whose sources changed (ARGS=--reopen marks their PARTs for make expand)
	$(BIN)/planbook verify --changes $(ARGS)

demo: $(DEV_STAMP) ## Fill a plan from a folder of documents, offline, and show the site
	$(BIN)/python -m tests.demo

test: lint site ## Lint, check the types, build the site strictly and run every test
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m 'not nightly'

test-all: lint site ## Run everything: also nightly tests, property tests with 1,000 examples, packages and fresh installs
	$(BIN)/pytest -n $(WORKERS) --dist worksteal --nightly --hypothesis-profile=fresh $(if $(SEED),--hypothesis-seed=$(SEED))
	$(MAKE) dist installs specification

test-fast: $(DEV_STAMP) ## Run the tests that need no whole site, browser or run, and draw nothing at random
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m 'not hypothesis and not nightly' $(SLOW:%=--ignore=tests/%)

laws: $(DEV_STAMP) ## Run the property tests with 1,000 new examples each
	$(BIN)/pytest -n $(WORKERS) --dist worksteal -m hypothesis --hypothesis-profile=fresh $(if $(SEED),--hypothesis-seed=$(SEED))

lint: $(DEV_STAMP) ## Check style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

browser: $(DEV_STAMP) ## Run only the tests in a real browser
	$(BIN)/pytest -m browser

golden: $(DEV_STAMP) ## Rewrite the golden files (then review the diff)
	$(BIN)/pytest --golden

bench: $(DEV_STAMP) ## Time builds beside plain mkdocs-material, for ten minutes (BENCH_FLAGS="--minutes 0" for all)
	@$(BIN)/python -m bench $(BENCH_FLAGS)

bench-expand: $(DEV_STAMP) ## Time expand beside what its pauses and workers allow
	@$(BIN)/python -m bench.expand

bench-answers: $(DEV_STAMP) ## Print how often the passage that answers a point is found (ANSWERS_FLAGS="tune --save FILE")
	@$(BIN)/python -m bench.answers $(ANSWERS_FLAGS)
	@$(BIN)/python -m bench.small_folders

bench-quality: $(DEV_STAMP) ## Print our error rates on public sets, from the folders in QUALITY_FLAGS, and on quotes
	@$(BIN)/python -m bench.quality $(QUALITY_FLAGS)
	@$(BIN)/python -m bench.quotes

dist: $(DEV_STAMP) ## Build the sdist and the wheel into dist/, and check them
	$(BIN)/python -m tests.install.release $(TAG)

installs: $(DEV_STAMP) ## Run the install commands of the Guide, in fresh environments
	$(BIN)/python -m tests.install.documented

LOCK = uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --python-version 3.11 \
	--custom-compile-command 'make lock' $(LOCK_FLAGS) pyproject.toml --group build
# One version of a package for every Python: the pages must come out the same on all of them.
LOCK += --fork-strategy fewest

neighbours: $(DEV_STAMP) ## Build a site beside the plugins that people use (SHARD=2/4 for a part)
	$(BIN)/python -m tests.install.neighbours --shard $(or $(SHARD),1/1)

specification: $(DEV_STAMP) ## Count the examples of CommonMark's and GitHub's specifications that a site shows as specified
	$(BIN)/python -m bench.specification

lock: ## Pin the requirements anew from pyproject.toml (needs uv)
	@command -v uv >/dev/null || { echo "make lock needs uv: $(PYTHON) -m pip install uv" >&2; exit 1; }
	$(LOCK) --output-file requirements.txt
	$(LOCK) --output-file requirements-dev.txt --group dev --extra research --extra dask --extra mcp --extra zensical --constraints requirements.txt

clean: ## Remove what can be made again (.planbook/ holds what was fetched, and stays)
	rm -rf $(VENV) site offline offline.zip dist .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find bench generator tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV_STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Planbook needs Python 3.11 or newer, and '$(PYTHON)' is $(or $(PYTHON_VERSION),missing)." \
			"Name another one: make PYTHON=python3.13 ..." >&2; exit 1; }
	rm -rf $(VENV)
	$(MAKE_VENV)
	@touch $@

$(SITE_STAMP): $(VENV_STAMP) requirements.txt pyproject.toml
	$(INSTALL) --require-hashes -r requirements.txt
	$(INSTALL) --no-build-isolation --no-deps -e .
	@touch $@

$(DEV_STAMP): $(SITE_STAMP) requirements-dev.txt
	$(INSTALL) --require-hashes -r requirements-dev.txt
	@touch $@
