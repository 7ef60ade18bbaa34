"""Articles sent in by REST: who may, what is answered, and what is refused with which words."""

import gzip

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.articles.models import Article
from annotations.results.models import Annotation
from bcms.article_uploads.article_import import LARGEST_UPLOAD
from evaluation.challenges.models import Challenge
from tests.documents import pdf
from tests.integration.annotations.articles.test_entrez_client import record
from tests.integration.bcms.article_annotations.test_articles_api import blind, challenge  # noqa: F401

PUBTATOR = "12|t|p53 binds.\n12|a|So α.\n12\t0\t3\tp53\tGene\t7157\n12\t4\t6\tXX\tGene\t-\n\n13|t|Mdm2\n"


@pytest.fixture
def organizer(client, olga):
    Challenge.objects.create(state="listed", name="Own", slug="own").organizers.add(olga)
    client.force_login(olga)
    return client


def post(client, content, name="mine.txt", **fields):
    sent = SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode())
    return client.post("/api/v1/articles/", {"file": sent, **fields})


def test_it_takes_all_articles_of_a_file_once(organizer):
    reply = post(organizer, gzip.compress(PUBTATOR.encode()))
    assert reply.status_code == 201, reply.content
    told = reply.json()
    assert {name: told[name] for name in ("format", "new", "changed", "unchanged", "articles")} == {
        **{"format": "pubtator", "new": 2, "changed": 0, "unchanged": 0},
        "articles": ["12", "13"],
    }
    misplaced, ignored = told["warnings"]
    assert "R657" in misplaced
    assert ignored.startswith("Annotations in the file are not imported: ")
    again = post(organizer, PUBTATOR)
    assert (again.status_code, again.json()["unchanged"]) == (200, 2)
    assert not Annotation.objects.exists()


def test_it_gives_a_pdf_the_name_that_is_sent(organizer):
    content = pdf(["Loss of CDH1"])
    sent = {"file": SimpleUploadedFile("a.pdf", content), "name": "my article"}
    assert organizer.post("/api/v1/articles/", sent).status_code == 400
    assert not Article.objects.exists()
    sent = {"file": SimpleUploadedFile("a.pdf", content), "name": "10.1000/x"}
    reply = organizer.post("/api/v1/articles/", sent)
    assert reply.json()["format"] == "pdf"
    assert Article.objects.get().doi == "10.1000/x"


def test_it_takes_pubmed_xml(organizer):
    reply = post(organizer, f"<PubmedArticleSet>{record(5)}</PubmedArticleSet>")
    assert (reply.status_code, reply.json()["articles"]) == (201, ["5"])


@pytest.mark.parametrize(
    "content",
    [
        "5|t|Defaced\n",
        "5|t|Defaced\n5|a|With\n\n6|t|New\n",
        f"<PubmedArticleSet>{record(5).replace('</ArticleTitle>', ' defaced</ArticleTitle>')}</PubmedArticleSet>",
        '{"text": "Full text", "sourcedb": "PubMed", "sourceid": "5", "denotations": []}',
    ],
)
def test_organizers_change_no_stored_article(organizer, olga, content):
    post(organizer, f"<PubmedArticleSet>{record(5)}</PubmedArticleSet>")
    before = Article.objects.values().get()
    reply = post(organizer, content).json()
    assert (reply["changed"], reply["unchanged"], reply["articles"][0]) == (0, 1, "5")
    assert reply["warnings"] == [
        "On this site already, and not changed, as only administrators change articles: PMID 5."
    ]
    assert Article.objects.filter(pmid=5).values().get() == before
    type(olga).objects.filter(pk=olga.pk).update(is_staff=True)
    assert post(organizer, content).json()["changed"] == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("12|t|A\n12\tx\t3\tp53\tGene\t-\n", "mine.txt:2:4: R654"),
        (f"<PubmedArticleSet>{'x' * 9}{record(5)}", "R404"),
        (b"\xff\xd8\xff\0", "R450 this is neither text nor in a supported format"),
        ("<html><script>alert(1)</script></html>", "R447 the article has no text"),
    ],
)
def test_it_stores_nothing_of_a_file_with_a_fault(organizer, content, said):
    reply = post(organizer, content)
    assert reply.status_code == 400
    assert said in reply.json()["errors"][0]["message"]
    assert not Article.objects.exists()


def test_it_says_that_a_file_is_too_large(organizer):
    reply = post(organizer, b"x" * (LARGEST_UPLOAD + (1 << 17)))
    assert reply.status_code == 413
    assert reply.json()["detail"].startswith("The files are larger than 20 MiB in total. Compress them with gzip")


def test_only_organizers_and_staff_may(client, alice, admin_client):
    assert post(client, PUBTATOR).status_code == 401
    client.force_login(alice)
    reply = post(client, PUBTATOR)
    assert (reply.status_code, "Only organizers" in reply.json()["detail"]) == (403, True)
    assert post(admin_client, PUBTATOR).status_code == 201


@pytest.mark.parametrize("content", ["10000001|t|Other\n", f"<PubmedArticleSet>{record(10000001)}</PubmedArticleSet>"])
def test_it_stores_what_a_blind_test_has_as_an_article_of_its_own(client, alice, blind, content):  # noqa: F811
    Challenge.objects.create(state="listed", name="Own", slug="own").organizers.add(alice)
    client.force_login(alice)
    before = Article.objects.values().get()
    assert post(client, content).status_code == 201
    assert Article.objects.filter(blind=True).values().get() == before
    assert Article.objects.get(pmid=10000001).text != before["text"]
