# Two commands do everything: `make paper_figures` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
CORES ?= all
# The run that `report`, `status`, `schedule`, `verify` and `clean` act on: paper, or that of config/<RUN>.yaml.
RUN ?= paper
RUNS := $(patsubst config/%.yaml,%,$(wildcard config/*.yaml))
# The one of the words $(2) that is nearest to $(1), in a sentence.
DID_YOU_MEAN = $(shell $(PYTHON) -c 'import difflib, sys; [print(f" Did you mean {near}?") for near in \
  difflib.get_close_matches(sys.argv[1], sys.argv[2:], 1, 0.5)]' '$(1)' $(2))
NO_RUN = RUN=$(RUN): there is no config/$(RUN).yaml.$(call DID_YOU_MEAN,$(RUN),$(RUNS)) Known runs: $(RUNS)
CHECKED_RUN = $(if $(filter $(RUNS),$(RUN)),$(RUN),$(error $(NO_RUN)))
OF_RUN = $(if $(filter-out paper,$(CHECKED_RUN)),--configfile config/$(RUN).yaml)
VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
DOCS := .venv-docs
# Benchmarks and tests run on one BLAS thread; for jobs of the pipeline workflow/rules/common.smk sees to it.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.PHONY: help env paper_figures beyond claims all quick notebooks report verify status schedule test test-cluster test-cluster-quick test-report test-docs \
  mutants reference bench bench-bp bench-path bench-subsets lock rulegraph docs lock-docs dist archive test-release clean

help: ## list the targets
	@grep -hE '^[a-z_-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z_-]+):.*## /\1\t/' | expand -t 20

env: $(VENV)/.complete ## build the environment in .venv from requirements.lock: what a run needs

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PACKAGES = $$(grep -c '^[a-z0-9-]*==' $<)

# The stamp is written last, so an interrupted install starts over.
$(VENV)/.complete: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	@echo "Building the environment in $(VENV), once: $(PACKAGES) packages of $<, 1 GB. A minute or two, with no output."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(INSTALL) --require-hashes -r $<
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@
	@echo "The environment is built."

# What tests need beyond that. The versions of what both have are the same.
$(VENV)/.tests: requirements-test.lock $(VENV)/.complete
	@echo "Adding what the tests need to $(VENV)."
	@$(INSTALL) --require-hashes -r $<
	@touch $@

paper_figures: env ## figures 1 to 7 and their tables at paper scale, into paper_figures/
	$(BIN)/snakemake --cores $(CORES) paper_figures

beyond: env ## figures 8 on and their tables, which the paper does not have
	$(BIN)/snakemake --cores $(CORES) beyond

claims: env ## what the paper says, each statement with a computed verdict
	$(BIN)/snakemake --cores $(CORES) claims

all: env ## everything: paper_figures, beyond, claims, notebooks
	$(BIN)/snakemake --cores $(CORES) all

quick: env ## a preview of every figure in minutes, into quick_figures/
	$(BIN)/snakemake --cores $(CORES) --configfile config/quick.yaml -- paper_figures beyond claims

notebooks: env ## run notebooks/*.py and write .ipynb files and offline pages to paper_figures/notebooks/
	$(BIN)/snakemake --cores $(CORES) notebooks

report: env ## one offline page of a run, <run>_figures/report.html (RUN=quick for the preview)
	$(BIN)/snakemake --cores $(CORES) $(OF_RUN) -- report_page

verify: env ## compare a finished run with reference/: identical, within noise or changed (RUN=quick for the preview)
	$(BIN)/python workflow/verify.py $(CHECKED_RUN)

status: env ## for each figure and table: fresh or stale, why, and what a rerun would cost (RUN=quick for the preview)
	$(BIN)/python workflow/status.py $(OF_RUN)

schedule: env ## what each target of a finished run cost, and how long it would take on 2, 16, 64 cores (RUN=quick)
	$(BIN)/python workflow/schedule.py $(OF_RUN)

test: $(VENV)/.tests ## linters and tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/Snakefile workflow/rules
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations 15

test-cluster: $(VENV)/.tests ## the pipeline on a real SLURM, started here (root on Debian), with a dead node and a lost job
	$(BIN)/python -m pytest tests/cluster -m "not quick"

test-cluster-quick: $(VENV)/.tests ## `make quick` here and on a real SLURM, byte for byte the same; too long for CI
	$(BIN)/python -m pytest tests/cluster -m quick

test-report: $(VENV)/.tests ## the page of `make report` in a real browser (installs Debian's chromium if run as root)
	$(BIN)/python -m pytest tests/browser/test_report.py

test-docs: docs $(VENV)/.tests ## the site of `make docs` in a real browser: no broken link, nothing asked of the network
	$(BIN)/python -m pytest tests/browser/test_site.py

mutants: $(VENV)/.tests ## put 200 small faults into the library, one at a time: each has to fail a test (takes long; resumes)
	$(BIN)/python tests/mutants.py

reference: env ## copy the finished paper run to reference/ (after `make all`)
	$(BIN)/snakemake --cores 1 --forcerun record -- record
	mkdir -p reference
	for file in paper_figures/*.{csv,json,md,pdf,png,tex}; do [ $${file##*/} = README.md ] || cp $$file reference/; done
	cp results/paper/{costs,manifest}.csv reference/
	$(BIN)/python workflow/schedule.py > reference/schedule.txt
	$(BIN)/python workflow/work.py > reference/work.csv
	$(BIN)/python workflow/readme_numbers.py
	$(BIN)/python benchmarks/choosing.py

# The peers have their own environment, which also sees the packages of .venv, so both sides use the same NumPy; skglm is
# among those of the tests. If the install fails, the next call tries again, and the rows of the peers say that they are
# missing.
$(BENCH)/.complete: $(VENV)/.tests benchmarks/requirements.txt
	$(BIN)/python -m venv --clear $(BENCH)
	cd $(BENCH)/lib/python*/site-packages && printf '%s\n' ../../../../$(VENV)/lib/python*/site-packages ../../../../src > product.pth
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
	  -r benchmarks/requirements.txt && touch $@ || echo "The peers above could not be installed and are left out."

IN_R := apt-get install --yes --no-install-recommends r-cran-leaps r-cran-glmnet r-cran-mass

bench: $(BENCH)/.complete ## all comparisons with peers, one thread, into benchmarks/RESULTS.md (QUICK=1: a smoke run)
	@Rscript -e 'library(leaps); library(glmnet); library(MASS)' >/dev/null 2>&1 \
	  || { [ $$(id -u) = 0 ] && { $(IN_R) || { apt-get update && $(IN_R); }; }; } \
	  || echo "R's leaps, glmnet and MASS (Debian's r-cran-...) could not all be installed; what is missing is left out."
	$(BENCH)/bin/python benchmarks/run_all.py $(if $(QUICK),--quick)

rulegraph: env ## redraw docs/rulegraph.svg (needs Graphviz)
	$(BIN)/python workflow/rulegraph.py

# Sphinx and what the archive is written with see the packages of .venv, too, so that the API is that of the product.
$(DOCS)/.complete: $(VENV)/.complete docs/requirements.txt
	$(BIN)/python -m venv --clear $(DOCS)
	cd $(DOCS)/lib/python*/site-packages && printf '%s\n' ../../../../$(VENV)/lib/python*/site-packages ../../../../src > product.pth
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r docs/requirements.txt
	@touch $@

docs: notebooks $(DOCS)/.complete ## write what docs/ says of the code anew, then the site, into build/site/
	$(BIN)/python workflow/generated_docs.py
	$(BIN)/python docs/site/stage.py
	rm -rf build/site
	PYTHONPATH=docs/site $(DOCS)/bin/python -m sphinx -q -E -W --keep-going -n -c docs/site build/site-source build/site

bench-bp: env ## belief propagation against plain NumPy
	$(BIN)/python benchmarks/bench_bp.py

bench-path: $(BENCH)/.complete ## the direct solver against scikit-learn, celer, skglm and adelie
	$(BENCH)/bin/python benchmarks/bench_path.py

bench-subsets: env ## best subsets against R leaps and a plain search
	$(BIN)/python benchmarks/bench_subsets.py

# uv resolves for every platform and Python at once; it is needed to make the locks, never to use them.
LOCK := uv pip compile --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
  --no-emit-index-url --no-emit-find-links --no-annotate --no-header

lock: ## resolve pyproject.toml again into both lock files (then edit environment.yml to match)
	$(LOCK) pyproject.toml --extra paper --extra build -o requirements.lock
	$(LOCK) pyproject.toml --all-extras --constraint requirements.lock -o requirements-test.lock

lock-docs: ## resolve docs/requirements.in again into docs/requirements.txt
	$(LOCK) docs/requirements.in --constraint requirements-test.lock -o docs/requirements.txt

dist: $(DOCS)/.complete ## wheel and source distribution, into dist/
	rm -rf dist
	$(DOCS)/bin/python -m build --no-isolation

archive: $(DOCS)/.complete ## one zip of the finished paper run with its code, for Zenodo, into build/ (after `make all`)
	$(BIN)/snakemake --cores 1 --forcerun record -- record
	$(DOCS)/bin/python workflow/archive.py

test-release: $(DOCS)/.complete $(VENV)/.tests ## the wheel in a clean environment, the archive of a small run (not in CI)
	$(DOCS)/bin/python -m pytest tests/release

# Without RUN all runs, and Snakemake's record of them; with it results and figures of that run.
ALL_RUNS := $(filter file,$(origin RUN))
CLEANED = $(if $(ALL_RUNS),.snakemake results *_figures,results/$(RUN) $(RUN)_figures)

clean: ## delete results and figures, of all runs or of one (RUN=quick), after asking; keep the environment
	@found=$$(ls -d $(CLEANED) 2>/dev/null | tr '\n' ' '); \
	[ "$$found" ] || { echo "There is nothing to delete ($(CLEANED)).$(if $(or $(ALL_RUNS),$(filter $(RUN),$(RUNS))),,$(call DID_YOU_MEAN,$(RUN),$(RUNS)))"; exit 0; }; \
	read -r -p "Delete what is in $$found? [y/N] " answer; \
	[ "$$answer" = y ] || { echo "Nothing was deleted."; exit 0; }; \
	find $$found -mindepth 1 ! -path results/README.md ! -path paper_figures/README.md -delete 2>/dev/null; \
	rmdir $$found 2>/dev/null; \
	echo "Deleted."

.DEFAULT:
	@echo "There is no target $@.$(call DID_YOU_MEAN,$@,$(shell sed -nE 's/^([a-z_-]+):.*## .*/\1/p' Makefile)) make help lists them."; exit 2
