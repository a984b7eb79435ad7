# Everything starts from a clean clone: the environment is made in .venv on first use.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

PYTHON3 ?= python3
BIN := .venv/bin
PYTHON := $(BIN)/python
INSTALLED := .venv/.installed
DEVELOPED := .venv/.installed-dev
CPP := $(wildcard runtime/cpp/include/toastergen/* runtime/cpp/tests/*.[ch]pp bindings/*.[ch]pp)
ROOMS := frontend codegen runtime bindings

.PHONY: demo test test-all lint types bench size clean

$(PYTHON):
	$(PYTHON3) -m venv .venv

$(INSTALLED): pyproject.toml | $(PYTHON)
	$(PYTHON) -m pip install --quiet --editable .
	touch $@

$(DEVELOPED): pyproject.toml | $(PYTHON)
	$(PYTHON) -m pip install --quiet --editable '.[dev]'
	touch $@ $(INSTALLED)

demo: $(INSTALLED)
	$(PYTHON) examples/generate_sales.py
	$(PYTHON) -m toastergen run examples/sales.sql

test: $(DEVELOPED)
	$(PYTHON) -m pytest -n 2 -m 'not slow'

test-all: $(DEVELOPED)
	$(PYTHON) -m pytest -n 2
	$(PYTHON) tests/property/hunt.py --minutes 60 --native-every 50 --to build/finds

lint: $(DEVELOPED)
	$(BIN)/ruff check
	$(BIN)/clang-format --dry-run -Werror $(CPP)

# mypy does not see the folders that pyproject.toml maps into the package, so it is shown a tree of links.
types: $(DEVELOPED)
	tree=$$(mktemp -d); trap 'rm -rf "$$tree"' EXIT; mkdir "$$tree/toastergen"; \
	for file in toastergen/*.py toastergen/py.typed toastergen/drawing; do ln -s "$(CURDIR)/$$file" "$$tree/toastergen/"; done; \
	for room in $(ROOMS); do ln -s "$(CURDIR)/$$room" "$$tree/toastergen/$$room"; done; \
	cd "$$tree" && "$(CURDIR)/$(PYTHON)" -m mypy --strict --config-file "$(CURDIR)/pyproject.toml" \
		--cache-dir "$(CURDIR)/.mypy_cache" -p toastergen

bench: $(DEVELOPED)
	$(PYTHON) -m pytest bench --benchmark-only
	$(PYTHON) bench/run.py

# Lines per room, then the files that have outgrown the limit of 400.
size:
	@git ls-files '*.py' '*.hpp' '*.cpp' '*.h' '*.j2' | xargs wc -l | awk '$$2 != "total" \
		{ split($$2, part, "/"); lines[part[1]] += $$1; files[part[1]]++; if ($$1 > 400) long[$$2] = $$1 } \
		END { for (room in lines) printf "%-12s %4d files %6d lines\n", room, files[room], lines[room] | "sort"; \
		close("sort"); for (file in long) printf "over 400: %s (%d)\n", file, long[file] }'

clean:
	rm -rf build .demo .mypy_cache .ruff_cache .pytest_cache
