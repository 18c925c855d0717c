# Two commands do everything: `make paper_figures` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
CORES ?= all
# The run that `report`, `status`, `schedule` and `verify` act on: paper, or that of config/<RUN>.yaml.
RUN ?= paper
RUNS := $(patsubst config/%.yaml,%,$(wildcard config/*.yaml))
CHECKED_RUN = $(if $(filter $(RUNS),$(RUN)),$(RUN),$(error RUN=$(RUN): there is no config/$(RUN).yaml. Known runs: $(RUNS)))
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

env: $(VENV)/.complete ## build the environment in .venv from requirements.lock

# The stamp is written last, so an interrupted install starts over.
$(VENV)/.complete: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
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

test: env ## linters and tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	$(BIN)/python -m pytest -n auto --dist loadfile --durations 15

test-cluster: env ## the pipeline on a real SLURM, started here (root on Debian), with a dead node and a lost job
	$(BIN)/python -m pytest tests/cluster -m "not quick"

test-cluster-quick: env ## `make quick` here and on a real SLURM, byte for byte the same; too long for CI
	$(BIN)/python -m pytest tests/cluster -m quick

test-report: env ## the page of `make report` in a real browser (installs Debian's chromium if run as root)
	$(BIN)/python -m pytest tests/browser/test_report.py

test-docs: docs ## the site of `make docs` in a real browser: no broken link, nothing asked of the network
	$(BIN)/python -m pytest tests/browser/test_site.py

mutants: env ## put 200 small faults into the library, one at a time: each has to fail a test (takes long; resumes)
	$(BIN)/python tests/mutants.py

reference: env ## copy the finished paper run to reference/ (after `make all`)
	$(BIN)/snakemake --cores 1 --forcerun record -- record
	mkdir -p reference
	for file in paper_figures/*.{csv,json,md,pdf,png,tex}; do [ $${file##*/} = README.md ] || cp $$file reference/; done
	cp results/paper/{costs,manifest}.csv reference/
	$(BIN)/python workflow/schedule.py > reference/schedule.txt
	$(BIN)/python workflow/readme_numbers.py

# The peers have their own environment, which also sees the packages of .venv, so both sides use the same NumPy. If the
# install fails, the next call tries again, and the rows of the peers say that they are missing.
$(BENCH)/.complete: $(VENV)/.complete benchmarks/requirements.txt
	$(BIN)/python -m venv --clear $(BENCH)
	cd $(BENCH)/lib/python*/site-packages && printf '%s\n' ../../../../$(VENV)/lib/python*/site-packages ../../../../src > product.pth
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
	  -r benchmarks/requirements.txt && touch $@ || echo "The peers above could not be installed and are left out."

LEAPS := apt-get install --yes --no-install-recommends r-cran-leaps

bench: $(BENCH)/.complete ## all comparisons with peers, one thread, into benchmarks/RESULTS.md (QUICK=1: a smoke run)
	@Rscript -e 'library(leaps)' >/dev/null 2>&1 || { [ $$(id -u) = 0 ] && { $(LEAPS) || { apt-get update && $(LEAPS); }; }; } \
	  || echo "R's leaps (Debian's r-cran-leaps) could not be installed and is left out."
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

# uv resolves for every platform and Python at once; it is needed to make the lock, never to use it.
lock: ## resolve pyproject.toml again into requirements.lock (then edit environment.yml to match)
	uv pip compile pyproject.toml --all-extras --universal --fork-strategy fewest --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header -o requirements.lock

lock-docs: ## resolve docs/requirements.in again into docs/requirements.txt
	uv pip compile docs/requirements.in --constraint requirements.lock --universal --fork-strategy fewest --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-emit-find-links --no-annotate --no-header -o docs/requirements.txt

dist: $(DOCS)/.complete ## wheel and source distribution, into dist/
	rm -rf dist
	$(DOCS)/bin/python -m build --no-isolation

archive: $(DOCS)/.complete ## one zip of the finished paper run with its code, for Zenodo, into build/ (after `make all`)
	$(BIN)/snakemake --cores 1 --forcerun record -- record
	$(DOCS)/bin/python workflow/archive.py

test-release: $(DOCS)/.complete ## the wheel in a clean environment, the archive of a small run (not in CI)
	$(DOCS)/bin/python -m pytest tests/release

clean: ## delete results and figures, keep the environment
	rm -rf .snakemake
	find results *_figures -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +
