# make demo: the whole site on this machine until Ctrl-C. make dev: the same, reloading changed code.
# make test: checks and tests, under 8 minutes. make test-unit: the pure tests, seconds. make test-long: the slow tests.

PORT ?= 8000
PYTHON ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done),python3)
OURS := .venv/bin/python
PACKAGES := requirements.txt requirements-local.txt
# mypy loads the settings, which need a value for each of these.
TYPES := SECRET_KEY=types DATABASE_URL=postgresql://127.0.0.1/types REDIS_URL=redis://127.0.0.1

.PHONY: demo dev test test-unit test-long check bench crashes clean packages all-packages python

demo: packages
	@$(OURS) -m bcms.local demo --port $(PORT)

dev: all-packages
	@$(OURS) -m bcms.local demo --port $(PORT) --reload

# One process for each processor, each with its own services; a process that has finished takes tests from the others.
PYTEST := $(OURS) -m pytest -n auto --dist worksteal

test: check
	$(PYTEST) -m "not long"

test-unit: all-packages
	$(OURS) -m pytest -q tests/unit -m "not shared"

test-long: all-packages
	$(PYTEST) -m long

check: all-packages
	$(OURS) -m ruff check .
	$(OURS) -m ruff format --check .
	$(TYPES) $(OURS) -m mypy bcms annotations servers evaluation

ARCHIVES := import sys; from bcms.demo.data_archives import fetch_demo_files; \
	found = fetch_demo_files(lambda line: print(line, file=sys.stderr)); print(found.older, found.newer)

bench: all-packages
	@for name in measures evaluate_command demo_corpora article_page leaderboard loop_throughput; do echo "== $$name"; \
		$(OURS) -m bcms.local run $(OURS) -m tests.benchmarks.$$name || exit 1; done
	@for name in serial_loop queue_growth uploading; do echo "== $$name"; $(OURS) -m tests.benchmarks.$$name || exit 1; done
	@echo "== silver"; $(OURS) -m tests.benchmarks.silver $${TMPDIR:-/tmp}/bcms-silver
	@echo "== import_citations"; $(OURS) -m tests.benchmarks.import_citations $$($(OURS) -c '$(ARCHIVES)')

# Kills parts of a running site 50 times while 20 servers are called, and counts lost and doubled results: 15 minutes.
crashes: all-packages
	$(OURS) -m tests.crashes

python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed, and there is no $(PYTHON)." >&2; exit 1; }

packages: python
	@$(PYTHON) bcms/local/environment.py $(PACKAGES)

all-packages: python
	@$(PYTHON) bcms/local/environment.py $(PACKAGES) requirements-dev.txt

clean:
	@if [ -x $(OURS) ] && [ -d .run ]; then $(OURS) -m bcms.local clean; fi
	rm -rf .venv .run .mypy_cache .ruff_cache .pytest_cache .hypothesis static-collected
