# make demo: everything, on this machine, until Ctrl-C.   make test: every check and every test.

PORT ?= 8000
PYTHON ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done),python3)
OURS := .venv/bin/python
PACKAGES := requirements.txt requirements-local.txt
# The checker of types reads the settings, and these need a value each.
TYPES := SECRET_KEY=types DATABASE_URL=postgresql://127.0.0.1/types REDIS_URL=redis://127.0.0.1

.PHONY: demo test check bench crashes clean packages all-packages python

demo: packages
	@$(OURS) -m bcms.local demo --port $(PORT)

# A process for each processor, with services of its own; all tests of one file in one of them. The quick ones come last:
# a long one that is begun last would leave the other processes idle.
test: check
	$(OURS) -m pytest -n auto --dist loadfile --no-loadscope-reorder

check: all-packages
	$(OURS) -m ruff check .
	$(OURS) -m ruff format --check .
	$(TYPES) $(OURS) -m mypy bcms annotations servers evaluation

ARCHIVES := import sys; from bcms.demo.archives import archive_files; \
	found = archive_files(lambda line: print(line, file=sys.stderr)); print(found.older, found.newer)

bench: all-packages
	@for name in measures evaluate_command demo_corpora article_page leaderboard loop_throughput; do echo "== $$name"; \
		$(OURS) -m bcms.local run $(OURS) -m tests.benchmarks.$$name || exit 1; done
	@for name in serial_loop queue_growth uploading; do echo "== $$name"; $(OURS) -m tests.benchmarks.$$name || exit 1; done
	@echo "== silver"; $(OURS) -m tests.benchmarks.silver $${TMPDIR:-/tmp}/bcms-silver
	@echo "== import_citations"; $(OURS) -m tests.benchmarks.import_citations $$($(OURS) -c '$(ARCHIVES)')

# A site of its own is struck 50 times at random moments while 20 servers are asked: about 15 minutes.
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
