"""The main job from end to end, in small: articles in, all real servers asked, answers stored, shown and scored.

The demo's own code seeds the site and plays its teams; only the archives are made here and hold fewer articles.
"""

import gzip
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import AnonymousUser

from annotations.articles.models import Corpus
from annotations.results.models import Result
from bcms.data_sets import building_job
from bcms.demo import corpus_selection, data_set, seeding, simulation
from bcms.demo.annotators import ANNOTATORS
from bcms.demo.data_archives import DemoFiles
from bcms.local import ports
from evaluation.challenges.models import Challenge
from evaluation.leaderboards.board import build_board_visible_to_user
from evaluation.tasks import publish_requested_phases_and_tasks_unless_busy, score_due_runs_after_cleaning_unless_busy
from servers.calls import loop
from servers.calls.models import Call, Queue
from servers.calls.states import OPEN_CALLS, QueueState
from servers.registry.models import Server

SIZE, POSITIVES = 20, 5
REFERENCE = tuple(annotator for annotator in ANNOTATORS if not annotator.delay and not annotator.failure_rate)
CITATION = """<PubmedArticle><MedlineCitation><PMID Version="1">{pmid}</PMID><Article><Journal><JournalIssue><PubDate>
<Year>1979</Year></PubDate></JournalIssue></Journal><ArticleTitle>{title}</ArticleTitle><Abstract><AbstractText>{text}
</AbstractText></Abstract></Article><MeshHeadingList>{headings}</MeshHeadingList></MedlineCitation></PubmedArticle>"""
HEADING = "<MeshHeading><DescriptorName>{}</DescriptorName></MeshHeading>"
GENE_TEXT = "EGFR and IL-6, EGFR and IL6. Insulin was a treatment of fever."
PROTEIN = "gene with protein product"
COLUMNS = (
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
GENES = (
    ("EGFR", "epidermal growth factor receptor", "Approved", "ERBB1", "", "1956", "P00533", "", "", PROTEIN),
    ("IL6", "interleukin 6", "Approved", "IL-6", "", "3569", "P05231", "", "", PROTEIN),
)
HGNC = "".join("\t".join(row) + "\n" for row in (COLUMNS, *GENES))
MESH = (
    "D005334\tFever\tFevers|Pyrexia\tC23.888.119.344\t\n"
    "D007328\tInsulin\tInsulin, Regular\tD06.472.699|D12.644.548\t\n"
    "D010361\tPatients\tPatient\tM01.643\t\n"
)
NAMES_ONLY = "ID	symbol	synonyms	ensembl\n"


def archive(path: Path, citations) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as stream:
        stream.write("<PubmedArticleSet>")
        stream.writelines(citations)
        stream.write("</PubmedArticleSet>")
    return path


def format_indexed_citation(pmid: int) -> str:
    """Every fourth is of rats and the binding of insulin, in words and in headings; the others are of patients with
    fever."""
    relevant = pmid % 4 == 0
    text = "Insulin binds to cells of rats." if relevant else "Fever was seen in these patients."
    headings = ("Rats", "Protein Binding", "Insulin") if relevant else ("Humans", "Fever")
    return CITATION.format(
        pmid=pmid, title=f"Case {pmid}", text=text, headings="".join(HEADING.format(one) for one in headings)
    )


def format_gene_citation(pmid: int) -> str:
    return CITATION.format(pmid=pmid, title=f"EGFR in case {pmid}", text=GENE_TEXT, headings="")


def table(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def archives(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus_selection, "CORPUS_SIZE", SIZE)
    monkeypatch.setattr(corpus_selection, "POSITIVES", POSITIVES)
    monkeypatch.setattr(seeding, "ANNOTATORS", REFERENCE)
    return DemoFiles(
        older=archive(tmp_path / "older.xml.gz", map(format_indexed_citation, range(1, 101))),
        newer=archive(tmp_path / "newer.xml.gz", map(format_gene_citation, range(1001, 1031))),
        hgnc=table(tmp_path / "hgnc.tsv", HGNC),
        mgi=table(tmp_path / "mgi.tsv", NAMES_ONLY),
        rgd=table(tmp_path / "rgd.tsv", NAMES_ONLY),
        mesh=table(tmp_path / "mesh.tsv", MESH),
    )


@contextmanager
def run_annotator(annotator, port: int, archives: DemoFiles, folder: Path):
    tables = {"hgnc": archives.hgnc, "mgi": archives.mgi, "rgd": archives.rgd, "mesh": archives.mesh}
    paths = {**tables, "training": folder / "training.jsonl"}
    with (folder / f"{annotator.slug}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *annotator.build_command(port, **paths)], cwd=settings.BASE_DIR, stdout=log, stderr=log
        )
    until, log_file = time.monotonic() + 120, folder / f"{annotator.slug}.log"
    # Its own word: on a port that was taken meanwhile, another program would be listening.
    while "Answering" not in log_file.read_text():
        assert process.poll() is None and time.monotonic() < until, log_file.read_text()
        time.sleep(0.05)
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)


def run_open_calls() -> None:
    """What the workers do, one server after the other, until nothing is open."""
    while Call.objects.filter(state__in=sorted(OPEN_CALLS)).exists():
        assert not Queue.objects.filter(state=QueueState.STOPPED).exists(), "it would wait for ever"
        for server in Server.objects.all():
            loop.run_slices_if_slot_and_lease_free(server.pk)
    score_due_runs_after_cleaning_unless_busy()


def figures(sort: str, task: str) -> dict[str, str]:
    """The primary figure of each run that a visitor sees."""
    challenge = Challenge.objects.get()
    shown = build_board_visible_to_user(
        challenge.tasks.get(name=task), challenge.phases.get(sort=sort), AnonymousUser()
    )
    return {row.name: row.cells[0].formatted for row in shown.rows}


# The thread that renews leases has a connection of its own, and sees only what is committed.
@pytest.mark.django_db(transaction=True)
def test_it_takes_articles_in_asks_stores_shows_and_scores(archives, tmp_path, client):
    numbers = dict(zip((a.slug for a in REFERENCE), ports.pick_free_ports(len(REFERENCE)), strict=True))
    folder = tmp_path / "demo"
    seeding.seed_demo_once_then_start_servers(archives, folder, numbers, "a-long-password", lambda line: None)
    with ExitStack() as stack:
        for annotator in REFERENCE:
            stack.enter_context(run_annotator(annotator, numbers[annotator.slug], archives, folder))
        run_open_calls()
        assert len(simulation.list_trained_demo_servers_awaiting_test()) == 9
        simulation.advance_demo_teams_or_request_test_publication()
        run_open_calls()
    assert not Call.objects.exclude(state__in=["answered", "empty"]).exists()

    reading = Corpus.objects.get(slug="reading").articles.first()
    page = client.get(f"/articles/{reading.pmid}/").content.decode()
    assert "epidermal growth factor receptor" in page
    assert 'class="mark' in page
    assert all(name in page for name in ("Diseases", "Chemicals", "Relations"))
    assert '"treats"' in client.get(f"/api/v1/articles/{reading.pmid}/annotations/").content.decode()

    assert data_set.advance_demo_data_set()
    (built,) = building_job.list_data_sets_to_build()
    assert building_job.build_slice_unless_busy(built) == "built"
    assert not data_set.advance_demo_data_set()
    shown = client.get(f"/data/{built}/").content.decode()
    assert data_set.NAME in client.get("/data/").content.decode()
    assert all(name in shown for name in (data_set.DESCRIPTION, "MeSH labels", ".jsonl"))

    assert figures("training", "ACT")["Keyword bind"] == "1.0000"
    assert figures("training", "TX")["Species words"] == "1.0000"
    assert figures("training", "DIS")["Disease dictionary"] == "1.0000"
    assert figures("training", "CHEM")["Chemical dictionary"] == "1.0000"
    assert figures("test", "ACT") == {}
    simulation.advance_demo_teams_or_request_test_publication()
    publish_requested_phases_and_tasks_unless_busy()
    assert figures("test", "ACT")["Keyword bind"] == "1.0000"
    assert figures("test", "TX")["Species words"] == "1.0000"
    for task, server in {"DIS": "Disease dictionary", "CHEM": "Chemical dictionary"}.items():
        assert figures("test", task)[server] == "1.0000"
    assert all(len(figures(sort, task)) >= 3 for sort in ("training", "test") for task in ("ACT", "TX", "DIS", "CHEM"))

    before = Result.objects.count()
    (folder / "training.jsonl").unlink()
    (folder / "reading.pmids").unlink()
    seeding.seed_demo_once_then_start_servers(
        archives, folder, dict.fromkeys(numbers, 1), "another-password", lambda line: None
    )
    assert (folder / "training.jsonl").is_file()
    assert Result.objects.count() == before
    assert set(Server.objects.values_list("url", flat=True)) == {"http://127.0.0.1:1/"}
