"""The command `import_articles`: clear sentences and exit status for whoever types it."""

import gzip

import pytest
from django.core.management import CommandError, call_command

from annotations.articles.models import Article, Corpus
from tests.integration.annotations.articles.test_entrez_client import hold, pubmed, record  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(tmp_path):
    path = tmp_path / "articles.xml.gz"
    path.write_bytes(gzip.compress(f"<PubmedArticleSet>{record(5)}{record(6)}</PubmedArticleSet>".encode()))
    return path


def members(slug):
    return list(Corpus.objects.get(slug=slug).corpusarticle_set.values_list("article__pmid", "position"))


def test_it_imports_files_and_says_what_it_did(archive, capsys):
    call_command("import_articles", str(archive))
    assert capsys.readouterr().out == "articles.xml.gz: 2 new, 0 changed and 0 unchanged articles.\n"
    call_command("import_articles", str(archive), str(archive))
    assert capsys.readouterr().out.count("0 new, 0 changed and 2 unchanged articles.") == 2


def test_it_appends_the_articles_to_a_corpus(archive, capsys):
    call_command("import_articles", str(archive), corpus="reading-list")
    assert members("reading-list") == [(5, 1), (6, 2)]
    archive.write_bytes(f"<PubmedArticleSet>{record(7)}{record(5)}</PubmedArticleSet>".encode())
    call_command("import_articles", str(archive), corpus="reading-list")
    assert members("reading-list") == [(5, 1), (6, 2), (7, 3)]
    assert "Articles added to the corpus reading-list: 1." in capsys.readouterr().out


def test_it_keeps_what_came_whole_out_of_a_corrupt_archive(archive):
    archive.write_bytes(archive.read_bytes()[:-9])
    with pytest.raises(CommandError, match=r"\.gz:0:0: R401 the gzip archive is truncated - .* before that: 2\."):
        call_command("import_articles", str(archive), corpus="reading-list")
    assert members("reading-list") == [(5, 1), (6, 2)]


def test_it_fetches_by_pmid(pubmed, settings, capsys):  # noqa: F811
    settings.ENTREZ_URL = pubmed.url
    hold(pubmed, 16054130)
    call_command("import_articles", pmid=[16054130])
    assert capsys.readouterr().out == "PubMed: 1 new, 0 changed and 0 unchanged articles.\n"
    with pytest.raises(CommandError, match=r"^PMID 99999999 is not in PubMed\. .* stored before that: 1\."):
        call_command("import_articles", pmid=[99999999, 16054130])
    assert Article.objects.get().title == "No 16054130"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Nothing to import. Give files, or PMIDs after --pmid."),
        (["/nowhere/a.xml"], "Cannot read /nowhere/a.xml: No such file or directory."),
        (["/"], "Cannot read /: Is a directory."),
        (["--pmid", "-5"], "A PMID is a positive number of at most ten digits, such as 16054130."),
        (["--pmid", "5", "--corpus", "Not A Slug"], "--corpus takes a slug of lower-case letters"),
    ],
)
def test_it_says_what_is_wrong_with_the_call(arguments, said):
    with pytest.raises(CommandError) as caught:
        call_command("import_articles", *arguments)
    assert str(caught.value).startswith(said)
