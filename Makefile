PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TYPES := build/types

.PHONY: types
types: ## mypy --strict over the package, through links that give the folders their import names
	@mkdir -p $(TYPES)/nirls
	@for part in ir passes server; do ln -sfn ../../../$$part $(TYPES)/nirls/$$part; done
	cd $(TYPES) && MYPYPATH=. $(CURDIR)/$(BIN)/mypy --config-file $(CURDIR)/pyproject.toml -p nirls.ir -p nirls.passes -p nirls.server
