"""Whole files of PubMed: each once, going on where it broke off, older ones never over newer ones."""

import gzip
import hashlib
import io
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotations.advisory_locks import try_advisory_lock
from annotations.articles.imports import citation_import
from annotations.articles.imports.pubmed_files import FILES_LOCK
from annotations.articles.models import Article, ImportedFile
from annotations.management.commands.import_pubmed import ImportEstimate
from tests.integration.annotations.articles.test_entrez_client import record

pytestmark = pytest.mark.django_db


def xml(*pmids):
    return f"<PubmedArticleSet>{''.join(map(record, pmids))}</PubmedArticleSet>".encode()


def format_revised_citation(pmid, title, date):
    year, month, day = date.split("-")
    return (
        f"<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><DateRevised><Year>{year}</Year>"
        f"<Month>{month}</Month><Day>{day}</Day></DateRevised>"
        f"<Article><ArticleTitle>{title}</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    ).encode()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pubmed26n0002.xml.gz").write_bytes(gzip.compress(xml(3, 4)))
    (tmp_path / "pubmed26n0001.xml.gz").write_bytes(gzip.compress(xml(1, 2)))
    (tmp_path / "README.txt").write_text("no citations")
    return tmp_path


def run_import_command(*paths):
    out = io.StringIO()
    call_command("import_pubmed", *map(str, paths), stdout=out)
    return out.getvalue().splitlines()


def test_it_imports_a_folder_in_the_order_of_names_and_each_file_once(folder):
    first, second = run_import_command(folder)
    assert first.startswith("pubmed26n0001.xml.gz (1 of 2): 2 new, 0 changed and 0 unchanged articles")
    assert first.endswith("left.")
    assert second.startswith("pubmed26n0002.xml.gz (2 of 2): 2 new")
    assert sorted(Article.objects.values_list("pmid", flat=True)) == [1, 2, 3, 4]
    again = run_import_command(folder)
    assert [line.partition(": ")[2] for line in again] == ["imported before.", "imported before."]
    assert run_import_command(folder / "pubmed26n0002.xml.gz") == ["pubmed26n0002.xml.gz (1 of 1): imported before."]


def test_it_imports_a_file_again_that_is_another_now(folder):
    run_import_command(folder)
    (folder / "pubmed26n0002.xml.gz").write_bytes(gzip.compress(xml(3, 4, 5)))
    assert "1 new, 0 changed and 2 unchanged" in run_import_command(folder)[1]


def test_it_keeps_what_came_whole_and_goes_on_from_there(folder, monkeypatch):
    monkeypatch.setattr(citation_import, "BATCH", 2)
    path = folder / "pubmed26n0001.xml.gz"
    path.write_bytes(gzip.compress(xml(*range(1, 8))))

    def stopping(counts):
        if counts.stored == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr("annotations.management.commands.import_pubmed.Command.make_progress", lambda *_: stopping)
    with pytest.raises(CommandError, match=r"^Interrupted while importing pubmed26n0001\.xml\.gz\. Run the same"):
        run_import_command(path)
    assert ImportedFile.objects.get().records == 4
    monkeypatch.undo()
    (line,) = run_import_command(path)
    assert line == (
        "pubmed26n0001.xml.gz (1 of 1): 3 new, 0 changed and 0 unchanged articles; 4 records were stored before."
    )
    assert Article.objects.count() == 7


def test_it_says_what_is_wrong_with_a_file_and_to_go_on_later(folder):
    path = folder / "pubmed26n0002.xml.gz"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(CommandError, match=r"0002\.xml\.gz:0:0: R401 .*Run the same command again to resume\.$"):
        run_import_command(folder)
    path.write_bytes(gzip.compress(xml(3, 4)))
    assert ["imported before" in line for line in run_import_command(folder)] == [True, False]


def test_it_compares_the_checksum_that_pubmed_gives(folder):
    path = folder / "pubmed26n0001.xml.gz"
    beside = folder / "pubmed26n0001.xml.gz.md5"
    beside.write_text(f"MD5(pubmed26n0001.xml.gz)= {'0' * 32}\n")
    with pytest.raises(CommandError, match=r"R401 its checksum differs from the one in pubmed26n0001\.xml\.gz\.md5 -"):
        run_import_command(path)
    assert not Article.objects.exists()
    beside.write_text(f"MD5(pubmed26n0001.xml.gz)= {hashlib.md5(path.read_bytes()).hexdigest()}\n")
    assert "2 new" in run_import_command(path)[0]


def test_an_older_file_does_not_replace_what_is_newer(tmp_path):
    newer, older = tmp_path / "pubmed26n1300.xml", tmp_path / "pubmed26n0001.xml"
    newer.write_bytes(format_revised_citation(5, "Corrected", "2026-02-01"))
    older.write_bytes(format_revised_citation(5, "As it was", "2025-12-31"))
    run_import_command(newer)
    assert "0 new, 0 changed and 1 unchanged" in run_import_command(older)[0]
    assert Article.objects.get().title == "Corrected"


def test_updates_change_and_withdraw(tmp_path):
    (tmp_path / "pubmed26n0001.xml").write_bytes(xml(1, 2, 3))
    update = format_revised_citation(2, "Corrected", "2026-02-01").replace(
        b"</PubmedArticleSet>", b"<DeleteCitation><PMID Version='1'>3</PMID></DeleteCitation></PubmedArticleSet>"
    )
    (tmp_path / "pubmed26n0002.xml").write_bytes(update)
    assert "1 changed and 0 unchanged articles, 1 withdrawn" in run_import_command(tmp_path)[1]
    assert dict(Article.objects.values_list("pmid", "text")) == {1: "No 1", 2: "Corrected"}


def test_it_says_what_is_wrong_with_the_call(tmp_path):
    with pytest.raises(CommandError, match=r"^Cannot read /nowhere: No such file or directory\.$"):
        run_import_command("/nowhere")
    with pytest.raises(CommandError, match=r"^There are no PubMed files\. Their names end in \.xml or \.xml\.gz\.$"):
        run_import_command(tmp_path)


def test_it_tells_how_long_the_rest_will_take():
    estimate = ImportEstimate([100, 100, 200])
    assert estimate.format_remaining() == ""
    estimate.finish_file(100, skipped=True)
    estimate.began -= 10
    assert estimate.format_remaining(50) == "17% read, about 50 s left"
    estimate.finish_file(100, skipped=False)
    assert estimate.format_remaining(200) == ""


def lock_is_free():
    """Whether the database has noticed that the other process is gone."""
    with try_advisory_lock(FILES_LOCK) as free:
        return free


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_it_goes_on_after_it_was_killed(tmp_path):
    path = tmp_path / "pubmed26n0001.xml.gz"
    path.write_bytes(gzip.compress(xml(*range(1, 20_001))))
    command = [sys.executable, "manage.py", "import_pubmed", str(path)]
    own = connection.settings_dict
    database = f"postgresql://{own['USER']}:{own['PASSWORD']}@{own['HOST']}:{own['PORT']}/{own['NAME']}"
    environment = {**os.environ, "DATABASE_URL": database}
    killed = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + 120
    while not ImportedFile.objects.filter(records__gt=0).exists() and time.monotonic() < until:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    while not lock_is_free() and time.monotonic() < until:
        time.sleep(0.01)
    records = ImportedFile.objects.get().records
    assert 0 < records < 20_000
    (line,) = run_import_command(path)
    new, unchanged = (int(re.search(rf"([0-9,]+) {words}", line)[1].replace(",", "")) for words in ("new", "unchanged"))
    # What was under way besides may have been stored, and comes again.
    assert new + unchanged == 20_000 - records
    assert unchanged <= citation_import.PARALLEL_BATCHES * citation_import.BATCH
    assert Article.objects.count() == 20_000
