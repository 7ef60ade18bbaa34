# make demo: the whole site on this machine until Ctrl-C. make dev: the same, reloading changed code.
# make silver ARTICLES=2000: the silver standard as files.
# make test: checks and tests, under 8 minutes. make test-unit: the pure tests, seconds. make test-long: the slow tests.

PORT ?= 8000
PYTHON ?= $(or $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done),python3)
OURS := .venv/bin/python
PACKAGES := requirements.txt requirements-local.txt
# mypy loads the settings, which need a value for each of these.
TYPES := SECRET_KEY=types DATABASE_URL=postgresql://127.0.0.1/types REDIS_URL=redis://127.0.0.1

# Each of the many processes would compile the project anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo dev tour silver test short-tests test-unit test-long check bench crashes faults load audit fuzz clean lock licences sbom packages all-packages python

demo: packages
	@$(OURS) -m bcms.local demo --port $(PORT)

dev: all-packages
	@$(OURS) -m bcms.local demo --port $(PORT) --reload

# The pictures of the manual's tour.
tour: all-packages
	TOUR_FOLDER=static/tour $(OURS) -m pytest -q -n 0 tests/acceptance/test_tour_browser.py

# The silver standard of so many articles, in every format, into silver/ARTICLES/files.
ARTICLES ?= 22730
silver: packages
	@$(OURS) -m bcms.silver silver --articles $(ARTICLES)

# Some processes (tests/conftest.py), each with its own services; one that has finished takes tests from the others.
PYTEST := $(OURS) -m pytest -n auto --dist worksteal

# Beside each other: mypy uses one processor only.
test: all-packages
	@$(MAKE) --no-print-directory -j2 check short-tests

# The first time read once before, so that not each of the processes prepares all modules; errors show in what follows.
short-tests:
	@test -d tests/integration/__pycache__ || $(OURS) -m pytest -q --collect-only > /dev/null || true
	$(PYTEST) -m "not long"

test-unit: all-packages
	$(OURS) -m pytest -q tests/unit -m "not shared"

# Tests that share a running deployment stay in one process.
test-long: all-packages
	$(PYTEST) --dist loadgroup -m long

check: all-packages
	$(OURS) -m ruff check .
	$(OURS) -m ruff format --check .
	$(TYPES) $(OURS) -m mypy bcms annotations servers evaluation clients/python/src

ARCHIVES := import sys; from bcms.demo.data_archives import download_and_unpack_missing_demo_files; \
	found = download_and_unpack_missing_demo_files(lambda line: print(line, file=sys.stderr)); print(found.older, found.newer)

# Each on services of its own. The archives of the demo are downloaded once, and what silver makes of them is kept.
# Not among them: searching, comparing and watching, which measure a site that runs (DATABASE_URL), and upgrading, which
# takes hours to fill one.
BENCH := env -u DATABASE_URL -u REDIS_URL $(OURS) -m tests.benchmarks
BENCHMARKS := measures evaluate_command resampling demo_corpora article_page interactions home_pages leaderboard availability \
	loop_throughput serial_loop worker_groups batches curating queue_growth uploading slow_connections entry_suggestions retention

bench: all-packages
	@for name in $(BENCHMARKS); do echo "== $$name"; $(BENCH).$$name || exit 1; done
	@echo "== exporting"; $(BENCH).exporting --copies 4
	@echo "== silver"; $(BENCH).silver $${TMPDIR:-/tmp}/bcms-silver
	@echo "== import_citations"; archives=$$($(OURS) -c '$(ARCHIVES)') && $(BENCH).import_citations $$archives

# Kills parts of a running site 50 times while 20 servers are called, and counts lost and doubled results: 15 minutes.
crashes: all-packages
	$(OURS) -m tests.crashes

# Lets a running site meet faults such as a full disk or a wrong clock: 12 minutes, as root, with Debian's faketime.
faults: all-packages
	$(OURS) -m tests.faults

# Many visitors at a deployment on this machine; tables in Markdown: 25 minutes, with Debian's programs as for test-long.
# make load SCENARIO=board LENGTH=60 FACTORS=1,3,10: one of phase, day, board, exports, for so many seconds at each load.
SCENARIO ?=
LENGTH ?= 60
FACTORS ?= 1,3,10
load: all-packages
	$(OURS) -m tests.load --seconds $(LENGTH) --factors $(FACTORS) $(SCENARIO)

# Each requirements*.txt from its .in: all packages that are needed, for every Python from 3.11 and every machine, with the
# hashes of their files. Versions stay as they are where the .in does not ask for others.
LOCK := $(OURS) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --no-strip-extras --custom-compile-command "make lock"

lock: all-packages
	$(LOCK) requirements.in -o requirements.txt
	$(LOCK) requirements-local.in -c requirements.txt -o requirements-local.txt
	$(LOCK) requirements-dev.in -c requirements.txt -c requirements-local.txt -o requirements-dev.txt
	$(LOCK) --no-deps requirements-readers.in -o requirements-readers.txt

licences: all-packages
	$(OURS) tools/list_licences.py

# The packages of a site with the hashes of their files, in CycloneDX's format.
sbom: all-packages
	$(OURS) -m cyclonedx_py requirements requirements.txt --output-reproducible -o bcms.cdx.json

# Known holes in packages, unsafe code, and licences.
audit: all-packages
	$(OURS) -m pytest -n 0 tests/security

# Ten minutes of hostile input for every parser, by hypothesis, or by atheris if it is installed.
SECONDS ?= 600
fuzz: all-packages
	$(TYPES) DJANGO_SETTINGS_MODULE=bcms.settings $(OURS) -m tests.fuzzing --seconds $(SECONDS)

python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed, and there is no $(PYTHON)." >&2; exit 1; }

packages: python
	@$(PYTHON) bcms/local/environment.py $(PACKAGES)

all-packages: python
	@$(PYTHON) bcms/local/environment.py $(PACKAGES) requirements-dev.txt requirements-readers.txt

clean:
	@if [ -x $(OURS) ] && [ -d .run ]; then $(OURS) -m bcms.local clean; fi
	rm -rf .venv .run .mypy_cache .ruff_cache .pytest_cache .hypothesis static-collected
