"""Articles sent in straight to a blind corpus, by page and REST: who may, when, what is stored and what is refused."""

import gzip
import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.utils import timezone

from annotations.articles.imports import snapshot_storage
from annotations.articles.imports.citation_import import LIMIT_EXCEEDED
from annotations.articles.models import Article, ArticleSnapshot, Corpus
from annotations.results.models import Annotation
from bcms.article_uploads import upload_processing
from bcms.article_uploads.article_import import LARGEST_UPLOAD
from bcms.article_uploads.models import ArticleUpload, UploadedArticleFile
from bcms.tasks import store_or_refuse_article_upload_unless_busy
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.challenges.deletion.corpus_deletion import delete_unused_corpus
from evaluation.challenges.models import Phase
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.labelling.curators import begin_labelling_claiming_blind_corpus
from servers.audit.models import AuditEvent
from tests.documents import pdf
from tests.integration.annotations.articles.test_entrez_client import record
from tests.integration.bcms.article_uploads.test_article_uploads_api import PUBTATOR
from tests.integration.evaluation_cast import create_listed_challenge
from tests.unit.annotations.formats.articles.test_article_formats import BIOC, HTML, JATS

pytestmark = pytest.mark.django_db
PAGE = "/challenges/example/corpora/unseen/upload/"
REST = "/api/v1/challenges/example/corpora/unseen/articles/"


@pytest.fixture
def unseen(challenge):
    return create_challenge_corpus(challenge, "Unseen", "unseen", "", (), blind=True)


@pytest.fixture
def organizer(client, unseen, olga):
    client.force_login(olga)
    return client


def send_file(client, content, file_name="mine.txt", **fields):
    sent = SimpleUploadedFile(file_name, content if isinstance(content, bytes) else content.encode())
    return client.post(REST, {"file": sent, **fields})


def send_on_page(client, *files, **fields):
    sent = [
        SimpleUploadedFile(name, content if isinstance(content, bytes) else content.encode()) for name, content in files
    ]
    return client.post(PAGE, {"file": sent, **fields})


def read_words(response):
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def make_pubmed_file(*pmids, changed=()):
    """changed: places, from 0, of the records that have another title."""
    records = [
        record(pmid).replace("</ArticleTitle>", " changed</ArticleTitle>" if place in changed else "</ArticleTitle>")
        for place, pmid in enumerate(pmids)
    ]
    return f"<PubmedArticleSet>{''.join(records)}</PubmedArticleSet>"


def list_pmids(corpus):
    return list(corpus.articles.order_by("corpusarticle__position").values_list("snapshot__pmid", flat=True))


def test_it_stores_snapshots_in_the_order_of_the_file(organizer, unseen):
    before = set(Article.objects.values_list("pk", flat=True))
    reply = send_file(organizer, gzip.compress(PUBTATOR.encode()))
    assert reply.status_code == 201, reply.content
    told = reply.json()
    assert {name: told[name] for name in ("format", "new", "unchanged")} == {
        **{"format": "pubtator", "new": 2, "unchanged": 0}
    }
    misplaced, ignored = told["warnings"]
    assert "R657" in misplaced
    assert ignored.startswith("Annotations in the file are not imported: ")
    articles = list(unseen.articles.order_by("corpusarticle__position"))
    assert told["articles"] == [article.opaque for article in articles]
    assert list_pmids(unseen) == [12, 13]
    assert all(article.blind for article in Article.objects.exclude(pk__in=before))
    assert [article.text for article in articles] == ["p53 binds.\nSo α.", "Mdm2"]
    assert list(ArticleSnapshot.objects.values_list("corpus", "released")) == [(unseen.pk, None)] * 2
    assert not Annotation.objects.filter(result__article__in=articles).exists()


def test_what_comes_again_changes_nothing(organizer, unseen):
    send_file(organizer, PUBTATOR)
    again = send_file(organizer, PUBTATOR)
    assert (again.status_code, again.json()["unchanged"], again.json()["new"]) == (200, 2, 0)
    changed = send_file(organizer, PUBTATOR.replace("So α.", "So β.")).json()
    assert changed["warnings"][-1] == (
        "In a blind corpus of this challenge already with another text, which stays: PMID 12. To replace texts, delete "
        "the corpus and upload them again."
    )
    assert list_pmids(unseen) == [12, 13]
    assert "So α." in unseen.articles.get(snapshot__pmid=12).text


def test_two_corpora_of_a_challenge_share_what_is_uploaded(organizer, unseen, challenge):
    (first, _) = send_file(organizer, PUBTATOR).json()["articles"]
    other = create_challenge_corpus(challenge, "Other", "other", "", (), blind=True)
    sent = {"file": SimpleUploadedFile("a.txt", b"12|t|Another text\n")}
    reply = organizer.post(REST.replace("unseen", "other"), sent)
    assert reply.json()["articles"] == [first]
    assert list(other.articles.values_list("opaque", flat=True)) == [first]


def test_challenges_share_nothing(organizer, unseen, carol, client):
    theirs = send_file(organizer, PUBTATOR).json()
    other = create_listed_challenge("Two", "two", "", carol)
    create_challenge_corpus(other, "Theirs", "theirs", "", (), blind=True)
    client.force_login(carol)
    sent = {"file": SimpleUploadedFile("mine.txt", PUBTATOR.encode())}
    own = client.post("/api/v1/challenges/two/corpora/theirs/articles/", sent).json()
    assert (own["new"], own["warnings"]) == (2, theirs["warnings"])
    assert not set(own["articles"]) & set(theirs["articles"])


@pytest.mark.parametrize(
    ("content", "pmids"),
    [
        (make_pubmed_file(5), [5]),
        (JATS, [12]),
        (BIOC, None),
        (HTML, None),
        (pdf(["Loss of CDH1"]), [None]),
        ("Just a title.\n\nAnd a text.\n", [None]),
    ],
    ids=["pubmed", "jats", "bioc", "html", "pdf", "text"],
)
def test_it_takes_every_format(content, pmids, organizer, unseen, challenge):
    before = Article.objects.filter(blind=False).count()
    reply = send_file(organizer, content)
    assert reply.status_code == 201, reply.content
    assert list_pmids(unseen) == (pmids or list_pmids(unseen))
    assert Article.objects.filter(blind=False).count() == before


def test_it_gives_a_pdf_the_name_that_is_sent(organizer, unseen):
    assert send_file(organizer, pdf(["Loss of CDH1"]), "a.pdf", name="my article").status_code == 400
    assert send_file(organizer, pdf(["Loss of CDH1"]), "a.pdf", name="10.1000/x").status_code == 201
    assert unseen.articles.get().snapshot.doi == "10.1000/x"


def test_an_article_that_comes_twice_is_stored_once(organizer, unseen):
    reply = send_file(organizer, make_pubmed_file(12, 13, 12)).json()
    assert (reply["new"], reply["articles"][0]) == (2, reply["articles"][2])
    assert list_pmids(unseen) == [12, 13]


def test_an_article_that_comes_twice_with_different_texts_is_refused(organizer, unseen):
    reply = send_file(organizer, make_pubmed_file(12, 13, 12, changed=[2]))
    assert reply.status_code == 400
    assert (
        "PMID 12 comes twice with different texts: article 1 of mine.txt, and article 3 of mine.txt - remove one"
        in reply.content.decode()
    )
    assert not unseen.articles.exists()
    report = send_on_page(organizer, ("a.txt", "13|t|Two\n\n12|t|One\n"), ("b.txt", "12|t|Other\n"))
    words = read_words(organizer.get(report.url))
    assert "PMID 12 comes twice with different texts: article 2 of a.txt, and article 1 of b.txt" in words
    assert "Nothing was stored" in words
    assert not unseen.articles.exists()


def test_articles_with_different_pmids_are_different_whatever_else_they_share(organizer, unseen):
    records = [record(5), record(6)]
    doi = '<ELocationID EIdType="doi">10.1000/same</ELocationID><Abstract>'
    content = "".join(each.replace("<Abstract>", doi, 1) for each in records)
    assert send_file(organizer, f"<PubmedArticleSet>{content}</PubmedArticleSet>").status_code == 201
    assert list_pmids(unseen) == [5, 6]


def test_bad_files_are_refused_with_the_place_and_nothing_is_stored(organizer, unseen):
    before = Article.objects.count()
    reply = send_file(organizer, "12|t|A\n12\tx\t3\tp53\tGene\t-\n")
    assert reply.status_code == 400
    assert "mine.txt:2:4: R654" in reply.content.decode()
    assert send_file(organizer, b"\xff\xd8\xff\0").status_code == 400
    assert send_file(organizer, gzip.compress(PUBTATOR.encode())[:-9]).status_code == 400
    assert organizer.post(REST).status_code == 400
    assert (
        Article.objects.count(),
        unseen.articles.count(),
        AuditEvent.objects.filter(action__contains="uploaded").count(),
    ) == (before, 0, 0)


def test_a_text_with_too_many_words_is_refused(organizer, unseen, monkeypatch):
    class Limit(Exception):
        pgcode = LIMIT_EXCEEDED

    def refuse(corpus, articles):
        raise OperationalError from Limit()

    monkeypatch.setattr(snapshot_storage, "create_snapshots", refuse)
    reply = send_file(organizer, PUBTATOR)
    assert (reply.status_code, "distinct words" in reply.content.decode()) == (400, True)


def test_it_refuses_files_that_are_too_large_before_it_reads_them(organizer):
    for address, status in ((PAGE, 413), (REST, 413)):
        reply = organizer.generic("POST", address, b"", CONTENT_LENGTH=str(LARGEST_UPLOAD * 2))
        assert reply.status_code == status
    assert send_file(organizer, b" " * (1 << 20) + PUBTATOR.encode()).status_code in (201, 400)


def test_only_organizers_upload(client, unseen, alice, carol, admin_user):
    create_listed_challenge("Two", "two", "", carol)
    for user, page, rest in ((None, 302, 401), (alice, 403, 403), (carol, 403, 403), (admin_user, 302, 201)):
        client.logout()
        if user:
            client.force_login(user)
        assert send_on_page(client, ("a.txt", PUBTATOR)).status_code == page
        assert send_file(client, "14|t|Another\n").status_code == rest
        assert unseen.articles.count() == (3 if user == admin_user else 0)
    for address in (PAGE, REST):
        assert client.post(address.replace("unseen", "four")).status_code == 404


def test_a_corpus_that_is_not_blind_takes_none(organizer, challenge):
    create_challenge_corpus(challenge, "Open", "open", "", (), blind=False)
    reply = organizer.post(REST.replace("unseen", "open"), {"file": SimpleUploadedFile("a.txt", PUBTATOR.encode())})
    assert (reply.status_code, "Open is not blind" in reply.content.decode()) == (409, True)


def test_articles_can_be_added_until_the_phase_begins(organizer, unseen, challenge):
    send_file(organizer, PUBTATOR)
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, "test", unseen, opens=timezone.now() + timedelta(days=1)
    )
    assert send_file(organizer, "14|t|Another\n").status_code == 201
    assert PAGE in organizer.get("/challenges/example/organize/").content.decode()
    for change in ({"opens": timezone.now()}, {"begun": timezone.now(), "opens": phase.opens}):
        Phase.objects.filter(pk=phase.pk).update(**change)
        reply = send_file(organizer, "15|t|Too late\n")
        assert reply.status_code == 409
        assert reply.json()["detail"] == (
            "The articles of Unseen cannot change any more: the test phase has begun. Add another corpus."
        )
    page = organizer.get(PAGE, follow=True)
    assert "The articles of Unseen cannot change any more" in read_words(page)
    assert PAGE not in page.content.decode()
    assert list_pmids(unseen) == [12, 13, 14]


def test_none_are_added_once_there_is_a_gold_standard_or_labelling(organizer, unseen, challenge):
    send_file(organizer, PUBTATOR)
    opens = timezone.now() + timedelta(days=1)
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", unseen, opens=opens)
    store_gold_sealed_or_open(challenge.tasks.get(name="TX"), phase, b"12\t9606\n13\t9606\n", "gold.tsv")
    assert "the test phase has a gold standard" in send_file(organizer, "15|t|Late\n").json()["detail"]
    more = create_challenge_corpus(challenge, "More", "more", "", (), blind=True)
    begin_labelling_claiming_blind_corpus(challenge, more, order="given", again_every=0)
    reply = organizer.post(REST.replace("unseen", "more"), {"file": SimpleUploadedFile("a.txt", b"15|t|Late\n")})
    assert "curators label them" in reply.json()["detail"]


def test_a_blind_corpus_begins_empty_and_leads_to_the_upload(organizer, challenge):
    sent = {"name": "Fresh", "slug": "fresh", "articles": ""}
    page = organizer.post("/challenges/example/add-corpus/", sent)
    assert "Only a blind corpus can be empty at first" in page.content.decode()
    page = organizer.post("/challenges/example/add-corpus/", sent | {"blind": "on"}, follow=True)
    assert page.redirect_chain == [("/challenges/example/corpora/fresh/upload/", 302)]
    words = read_words(page)
    assert "Corpus Fresh added. Now upload its articles." in words
    assert "When the test is published, articles that are not on this site yet become public articles" in words
    for articles, status in (({}, 400), ({"articles": []}, 400)):
        sent = {"name": "N", "slug": "n", **articles}
        reply = organizer.post("/api/v1/challenges/example/corpora/", sent, content_type="application/json")
        assert reply.status_code == status


def test_the_page_stores_several_files_and_shows_a_report_to_organizers(organizer, unseen, client, carol, olga):
    create_listed_challenge("Two", "two", "", carol)
    reply = send_on_page(organizer, ("a.txt", PUBTATOR), ("b.xml", JATS.replace(">12<", ">14<")))
    page = organizer.get(reply.url)
    words = read_words(page)
    assert "All articles in 2 files were stored in Unseen, which only organizers see." in words
    opaque = unseen.articles.order_by("corpusarticle__position").first().opaque
    assert f'href="/articles/{opaque}/"' in page.content.decode()
    assert not UploadedArticleFile.objects.exclude(content=None).exists()
    assert reply.url in organizer.get(PAGE).content.decode()
    assert reply.url not in organizer.get("/articles/upload/").content.decode()
    event = AuditEvent.objects.get(action="corpus.articles_uploaded")
    assert (event.actor, event.after) == (olga, {"added": 3})
    unseen.owner.challenge.organizers.set([carol])
    client.force_login(olga)
    assert client.get(reply.url).status_code == 403
    client.force_login(carol)
    assert client.get(reply.url).status_code == 200


def test_a_worker_reads_large_files_and_checks_anew(organizer, unseen, monkeypatch, olga, carol):
    monkeypatch.setattr(upload_processing, "MOST_BYTES_AT_ONCE", 1)
    page = send_on_page(organizer, ("a.txt", PUBTATOR))
    assert "Processing" in read_words(organizer.get(page.url))
    assert store_or_refuse_article_upload_unless_busy(ArticleUpload.objects.get().pk) == "stored"
    assert unseen.articles.count() == 2
    send_on_page(organizer, ("b.txt", "15|t|Another\n"))
    unseen.owner.challenge.organizers.set([carol])
    assert store_or_refuse_article_upload_unless_busy(ArticleUpload.objects.latest("pk").pk) == "refused"
    report = UploadedArticleFile.objects.get(name="b.txt").report
    assert "do not organize the challenge of Unseen any more" in report["faults"][0]["message"]
    assert (unseen.articles.count(), ArticleUpload.objects.filter(stored=True).count()) == (2, 1)


def test_uploads_and_snapshots_go_with_their_corpus(organizer, unseen, challenge):
    before = Article.objects.exclude(blind=True).count()
    send_on_page(organizer, ("a.txt", PUBTATOR))
    delete_unused_corpus(challenge, unseen)
    assert (Article.objects.count(), ArticleUpload.objects.count()) == (before, 0)


def test_they_go_with_the_challenge(organizer, unseen, challenge):
    send_on_page(organizer, ("a.txt", PUBTATOR))
    creation.create_phase_claiming_blind_corpus(challenge, "test", unseen)
    Phase.objects.filter(challenge=challenge).update(published=None)
    delete_challenge_without_runs(challenge)
    assert not Corpus.objects.filter(slug="unseen").exists()
    assert not Article.objects.filter(blind=True).exists()


def test_the_number_of_queries_does_not_grow_with_the_file(organizer, unseen, django_assert_max_num_queries):
    content = "\n".join(f"{pmid}|t|Title {pmid}\n" for pmid in range(1000, 1300))
    with django_assert_max_num_queries(45):
        assert send_file(organizer, content).json()["new"] == 300
