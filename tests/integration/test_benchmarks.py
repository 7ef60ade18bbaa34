"""Every benchmark runs at a very small size and prints its ratios; how fast it is does not matter here."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
import redis
from django.conf import settings

from annotations.formats.exports import EXPORTS
from tests.benchmarks.archives import FILE_NAMES
from tests.migrated_database import build_database_url, create_migrated_database, execute

LIMIT_SECONDS = 600
TEMPLATE, DATABASE, BROKER = "benchmark_template", "benchmark", "8"
RATIO = re.compile(r"^ratio  .+: ([0-9.e+-]+)$", re.MULTILINE)
HELPERS = {
    "annotated_articles",
    "archives",
    "bare_loop",
    "command_line",
    "django_setup",
    "many_entries",
    "mixed_site",
    "quick_annotators",
    "spent",
    "workers",
}
# Of each benchmark: the sizes, and how many ratios it prints with them.
CASES = {
    "article_page": ("--articles 3 --servers 2 --paragraphs 10 --requests 2 --visits 1", 13),
    "availability": ("--servers 3 --attempts 30 --repeats 2", 5),
    "batches": ("--articles 9 --milliseconds 10 --each 1", 2),
    "comparing": ("--articles 4", 4),
    "curating": ("--paragraphs 10 --decisions 3 --curators 2 --each 3", 8),
    "demo_corpora": ("--archives {archives}", 1),
    "entry_suggestions": ("--entries 60 --sample 3", 10),
    "evaluate_command": ("--lines 2000 --documents 4 --runs 3 --repeats 1", 9),
    "exporting": ("--made 3 --copies 2", len(EXPORTS) + 1),
    "home_pages": ("--runs 2 --abstracts 10 --servers 2 --requests 2", 5),
    "import_citations": ("{archives}/newer.xml.gz", 2),
    "interactions": ("--visits 1", 16),
    "leaderboard": ("--runs 4 --articles 20 --times 2", 9),
    "loop_throughput": ("--articles 4 --annotators 3 --workers 1 --archives {archives}", 1),
    "measures": ("--articles 20 --many-articles 40 --ranks 20 --results 10000", 5),
    "queue_growth": ("--calls 1000 --articles 12 --bystanders 2 --repeats 2", 4),
    "resampling": ("--runs 6 --documents 20 --samples 100", 5),
    "retention": ("--attempts 300", 1),
    "searching": ("--articles 4 --sample 2 --pages 1", 21),
    "serial_loop": ("2:0.01:3 --workers 1", 3),
    "silver": ("{folder} --archives {archives} --articles 20 --sample 2 --watchers 0", 31),
    "slow_connections": ("--articles 3 --slow 5 --requests 3", 5),
    "upgrading": ("{folder} --archives {archives} --articles 20 --times 1 --calm 1", 1),
    "uploading": ("--articles 20", 2),
    "worker_groups": ("1 2 --articles 2", 2),
    "watching": ("--articles 3 --watchers 20 --seconds 0.5 --visits 0", 3),
}

CITATION = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><Journal><JournalIssue><PubDate>
<Year>1979</Year></PubDate></JournalIssue></Journal><ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>{text}
</AbstractText></Abstract></Article><MeshHeadingList>{headings}</MeshHeadingList></MedlineCitation></PubmedArticle>"""
HEADING = "<MeshHeading><DescriptorName>{}</DescriptorName></MeshHeading>"
GENE_COLUMNS = (
    "Approved symbol",
    "Approved name",
    "Status",
    "Alias symbols",
    "Previous symbols",
    "NCBI Gene ID(supplied by NCBI)",
    "UniProt ID(supplied by UniProt)",
    "Mouse genome database ID(supplied by MGI)",
    "Rat genome database ID(supplied by RGD)",
    "Locus type",
)
PROTEIN = "gene with protein product"
GENES = (
    ("EGFR", "epidermal growth factor receptor", "Approved", "ERBB1", "", "1956", "P00533", "", "", PROTEIN),
    ("IL6", "interleukin 6", "Approved", "IL-6", "", "3569", "P05231", "", "", PROTEIN),
)
NO_ORTHOLOGS = "ID\tsymbol\tsynonyms\tensembl\n"


def format_indexed_citation(pmid):
    """Every fourth is about binding in rats, in words and in headings; the others are about patients."""
    relevant = pmid % 4 == 0
    text = "Insulin binds to cells of rats." if relevant else "Fever was seen in these patients."
    headings = "".join(map(HEADING.format, ("Rats", "Protein Binding") if relevant else ("Humans",)))
    return CITATION.format(pmid=pmid, title=f"Case {pmid}", text=text, headings=headings)


def format_gene_citation(pmid):
    text = "EGFR and IL-6 of humans bind EGFR and IL6 in these cells."
    return CITATION.format(pmid=pmid, title=f"EGFR in case {pmid}", text=text, headings="")


def write_citations(path, citations):
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as stream:
        stream.write(f"<PubmedArticleSet>{''.join(citations)}</PubmedArticleSet>")


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """A folder of made-up files in place of the archives that the demo downloads."""
    folder = tmp_path_factory.mktemp("archives")
    older, newer, hgnc, mgi, rgd, mesh = (folder / name for name in FILE_NAMES)
    write_citations(older, map(format_indexed_citation, range(1, 801)))
    write_citations(newer, map(format_gene_citation, range(1001, 1321)))
    hgnc.write_text("".join("\t".join(row) + "\n" for row in (GENE_COLUMNS, *GENES)), encoding="utf-8")
    for path in (mgi, rgd):
        path.write_text(NO_ORTHOLOGS, encoding="utf-8")
    mesh.write_text("D005334\tFever\tFevers\tC23.888.119.344\t\n", encoding="utf-8")
    return folder


def build_environment(database):
    """The services of the tests, but a database and a broker of its own."""
    return {
        **os.environ,
        "DATABASE_URL": build_database_url(database),
        "REDIS_URL": urlunsplit(urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{BROKER}")),
        "OPENBLAS_NUM_THREADS": "1",
    }


@pytest.fixture(scope="module")
def template(shared_folder):
    """A migrated database of which each benchmark gets a copy."""
    create_migrated_database(TEMPLATE, shared_folder)
    yield TEMPLATE
    execute(f"DROP DATABASE {TEMPLATE}")


@pytest.fixture
def environment(template):
    execute(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)", f"CREATE DATABASE {DATABASE} TEMPLATE {template}")
    environment = build_environment(DATABASE)
    with redis.Redis.from_url(environment["REDIS_URL"]) as broker:
        broker.flushdb()
    yield environment
    execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")


def test_every_benchmark_has_a_case():
    folder = Path(settings.BASE_DIR) / "tests" / "benchmarks"
    names = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__main__.py").exists()}
    assert names - HELPERS - {"__init__"} == set(CASES)


def test_make_runs_every_benchmark_or_says_why_not():
    text = (Path(settings.BASE_DIR) / "Makefile").read_text().split("\nBENCH := ")[1].split("\n# Kills")[0]
    listed = text.split("BENCHMARKS := ")[1].split("\n\n")[0].replace("\\\n", " ").split()
    named = re.findall(r"\$\(BENCH\)\.(\w+)", text)

    assert sorted([*listed, *named]) == sorted(set(CASES) - {"searching", "comparing", "watching", "upgrading"})


def iter_cases():
    for name, (sizes, ratios) in CASES.items():
        yield pytest.param(name, sizes, ratios, id=name)
    yield pytest.param("uploading", "--articles 20 --kind mention", 2, id="uploading mentions")
    answers = "--articles 3 --watchers 20 --seconds 0.5 --visits 1 --answers 1 --workers 1"
    yield pytest.param("watching", answers, 3, id="watching answers")


@pytest.mark.long
@pytest.mark.parametrize(("name", "sizes", "ratios"), list(iter_cases()))
def test_it_prints_its_ratios(name, sizes, ratios, archives, environment, tmp_path):
    arguments = sizes.format(archives=archives, folder=tmp_path).split()
    done = subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{name}", *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    printed = [float(number) for number in RATIO.findall(done.stdout)]
    assert len(printed) == ratios, done.stdout
    assert min(printed) >= 0
