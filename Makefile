# Every target installs what it needs, except for Python 3.11 or newer, a C compiler and make.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -n auto --dist worksteal
FUZZ_MINUTES ?= 10

# The tests start hundreds of processes: without byte code, each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

# Installed in the virtual environment: the package, and the package with the tools of developers. Type checkers cannot
# follow that install, which maps folders to packages while Python runs: they read a tree of links, see pyproject.toml.
PACKAGE := $(VENV)/.package
TOOLS := $(VENV)/.tools
SOURCES := $(VENV)/.sources
FILES := $(VENV)/.files
BUILT_FROM := pyproject.toml setup.py $(wildcard ir/text/grammar/*.c ir/text/grammar/src/*.c ir/text/grammar/src/tree_sitter/*.h)

.PHONY: help demo generate test test-all lint format types imports bench corpus mesa fuzz mutants docs screenshots vsix clean FORCE
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(PACKAGE) ## check a real pipeline, then open, hover and fix it over LSP
	@$(BIN)/python -m tools.demo

generate: $(TOOLS) ## generate the parser, pages of findings, and settings of the VS Code extension
	@if command -v tree-sitter >/dev/null; then cd ir/text/grammar && tree-sitter generate --no-bindings; \
	    else echo "tree-sitter is not installed: the parser is not regenerated"; fi
	$(BIN)/python -m tools.rule_pages
	$(BIN)/python -m tools.vscode_settings

test: $(TOOLS) ## run the tests, without the long sweeps
	$(BIN)/python -m pytest -m "not sweep" $(PYTEST_ARGS)

test-all: $(TOOLS) ## run all tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(TOOLS) types ## run ruff, check the formatting, run mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(TOOLS) ## format the Python sources
	$(BIN)/ruff format .

types: $(SOURCES) ## run mypy --strict on the package and the tools
	$(BIN)/mypy -p nirls -p tools

imports: $(SOURCES) ## check with basedpyright that editors find every import
	$(BIN)/basedpyright

bench: $(TOOLS) ## measure time and memory of every step, and how they grow
	@$(BIN)/python -m tools.bench

corpus: $(PACKAGE) ## count over the corpus of real shaders: text, analyses, passes
	@$(BIN)/python -m tools.corpus --only accepted bugs drivers transitions text passes evaluator varyings validation

mesa: $(PACKAGE) ## build Mesa's NIR library outside of the repository, and count the dumps that come back from it
	@$(BIN)/python -m tools.libnir.build
	@$(BIN)/python -m tools.libnir.round_trip

fuzz: $(TOOLS) ## fuzz passes, dumps and sessions with new seeds, measure growth: FUZZ_MINUTES=60 for an hour
	@$(BIN)/python -m tools.fuzz --minutes $(FUZZ_MINUTES)

mutants: $(TOOLS) ## count the broken pass results that verification finds
	@$(BIN)/python -m tools.corpus --only mutants

docs: $(TOOLS) $(SOURCES) docs/dev/architecture.svg ## build the documentation in build/site and check its links
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict

docs/dev/architecture.svg: docs/dev/architecture.dot | $(TOOLS)
	$(BIN)/python -c 'import pygraphviz, sys; pygraphviz.AGraph(sys.argv[1]).draw(sys.argv[2], prog="dot")' $< $@

screenshots: $(TOOLS) ## renew the screenshots in docs/ from the editor
	@rm -f $(patsubst docs/%,build/%,$(wildcard docs/screenshots/*.png))
	$(BIN)/python -m pytest -q -n0 tests/editors/test_vscode.py tests/editors/test_vscode_themes.py \
	    tests/editors/test_vscode_fault.py -k 'session or graph or timeline or fault'
	@for picture in docs/screenshots/*.png; do cp build/screenshots/$${picture##*/} $$picture; done

vsix: $(TOOLS) ## package the VS Code extension, with and without a server
	$(BIN)/python -m pip install -qq --disable-pip-version-check 'build>=1.2'
	$(BIN)/python -m tools.bundle_server sources
	cd editors/vscode && npm ci --no-audit --no-fund && npm run package
	$(BIN)/python -m tools.bundle_server program
	cd editors/vscode && npm run package:bundled

clean: ## remove everything that was built
	rm -rf build dist *.egg-info $(VENV)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "nirls needs Python 3.11 or newer; set it with: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(PACKAGE): $(BUILT_FROM) | $(VENV)/bin/python
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable .
	@touch $@

$(TOOLS): $(BUILT_FROM) | $(VENV)/bin/python
	$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[test,lint,docs]'
	@touch $@ $(PACKAGE)

$(SOURCES): $(FILES) $(TOOLS)
	@rm -rf build/sources build/strict
	$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --target build/strict \
	    --config-settings editable_mode=strict --editable .
	@ln -sn "$$(cat build/strict/__editable__.nirls-*.pth)" build/sources
	@touch $@

# Changes when a file of the package is added or removed.
$(FILES): FORCE | $(VENV)/bin/python
	@find api ir verification passes server -type f ! -path '*/__pycache__/*' ! -name '*.so' | sort >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

FORCE:
