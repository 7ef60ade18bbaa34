"""Articles that an organizer uploads straight to a blind corpus: until publication nothing that others can ask for
depends on them, and only the record of the snapshot names them.

Every address of the site is asked for, and every table is read as text.
"""

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from annotations.articles.models import Article
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.visibility import list_visible_articles
from tests.integration import every_address
from tests.integration.evaluation.gold.test_gold_secrecy import rows_as_text
from tests.integration.evaluation.visibility.test_blind_corpora import RPC, read_answers
from tests.integration.evaluation_cast import create_listed_challenge, end, make_server

pytestmark = pytest.mark.django_db

PMID = 39999999
# What names the article, and words that no other text has.
NAMES = (str(PMID), "10.9999/unseen.1", "Journalofsecrets", "Hiddenauthor")
WORDS = ("Xyloplax", "quuxification")
RECORD = f"""<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">{PMID}</PMID>
<Article><Journal><JournalIssue><PubDate><Year>2001</Year></PubDate></JournalIssue><Title>Journalofsecrets</Title>
</Journal><ArticleTitle>Xyloplax</ArticleTitle><ELocationID EIdType="doi">10.9999/unseen.1</ELocationID>
<Abstract><AbstractText>On quuxification.</AbstractText></Abstract><AuthorList><Author><LastName>Hiddenauthor</LastName>
</Author></AuthorList></Article></MedlineCitation><PubmedData><ArticleIdList>
<ArticleId IdType="doi">10.9999/unseen.1</ArticleId></ArticleIdList></PubmedData></PubmedArticle></PubmedArticleSet>"""


def add_blind_corpus(client, slug="blind"):
    reply = client.post(
        "/api/v1/challenges/example/corpora/",
        {"name": "Secret", "slug": slug, "blind": True},
        content_type="application/json",
    )
    assert reply.status_code == 201, reply.content


def send_file(client, content=RECORD, slug="blind"):
    address = f"/api/v1/challenges/example/corpora/{slug}/articles/"
    return client.post(address, {"file": SimpleUploadedFile("secret.txt", content.encode())})


@pytest.fixture
def organizer(challenge, olga):
    client = Client()
    client.force_login(olga)
    add_blind_corpus(client)
    return client


def begin_test(challenge, **when):
    corpus = challenge.own_corpora.get(corpus__slug="blind").corpus
    return creation.create_phase_claiming_blind_corpus(challenge, "test", corpus, **when)


def begin_test_later(challenge):
    return begin_test(challenge, opens=timezone.now() + timedelta(days=1))


def find_told(body, secrets):
    return [secret for secret in secrets if secret.lower() in body.lower()]


def read_untold_addresses(user, run, secrets, monkeypatch):
    """The addresses that tell one of the secrets to the user."""
    monkeypatch.setitem(every_address.SLUGS, "articles", str(PMID))
    client = Client()
    if user:
        client.force_login(user)
    found = list(every_address.iter_all_responses(client, run))
    assert sum(status == 200 for _, status, _ in found) >= 20
    return {form for form, _, body in found if find_told(body.decode("utf-8", "replace"), secrets)}


@pytest.mark.long
@pytest.mark.parametrize("name", ["nobody", "alice", "carol"])
def test_no_address_tells_anything_of_them(name, organizer, challenge, team, alice, carol, monkeypatch):
    """alice is on a team, carol organizes another challenge."""
    people = {"nobody": None, "alice": alice, "carol": carol}
    create_listed_challenge("Other", "other", "", carol)
    assert send_file(organizer).status_code == 201
    phase = begin_test_later(challenge)
    run = enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), challenge.phases.get(sort="training"))
    assert read_untold_addresses(people[name], run[0], (*NAMES, *WORDS), monkeypatch) == set()
    # Once the test has begun teams read the text, and nothing names it.
    Phase.objects.filter(pk=phase.pk).update(opens=timezone.now() - timedelta(days=1), begun=timezone.now())
    assert read_untold_addresses(people[name], run[0], NAMES, monkeypatch) == set()


@pytest.mark.long
def test_the_walk_reaches_what_would_tell(organizer, challenge, team, olga, monkeypatch):
    assert send_file(organizer).status_code == 201
    begin_test_later(challenge)
    run = enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), challenge.phases.get(sort="training"))
    told = read_untold_addresses(olga, run[0], (*NAMES, *WORDS), monkeypatch)
    assert told >= {"/articles/<str:ident>/", "/challenges/<slug:slug>/phases/<slug:phase>/mapping/"}


@pytest.mark.long
def test_an_upload_changes_no_answer_for_anybody_else(organizer, challenge, alice, carol, stopped_clock):
    people = (None, alice, carol)
    before = [read_answers(user) for user in people]
    assert send_file(organizer).status_code == 201
    assert send_file(organizer, f"{PMID - 1}|t|Xyloplax\n").status_code == 201
    assert [read_answers(user) for user in people] == before
    assert [list_visible_articles(user).filter(blind=True).count() for user in (alice, carol)] == [0, 0]
    assert not Article.objects.filter(blind=False, pmid__gte=PMID - 1).exists()


def test_an_upload_under_the_pmid_of_a_public_article_changes_no_answer(organizer, challenge, alice, stopped_clock):
    """And the answer to the organizer is the same as for a PMID that nobody knows."""
    before = [read_answers(user) for user in (None, alice)]
    known = send_file(organizer, "101|t|Xyloplax\n101|a|Another text of a public article.\n").json()
    unknown = send_file(organizer, f"{PMID}|t|Xyloplax\n{PMID}|a|Another text.\n").json()
    assert [read_answers(user) for user in (None, alice)] == before
    assert known | {"articles": 0} == unknown | {"articles": 0}
    snapshot = Article.objects.get(opaque=known["articles"][0])
    assert (snapshot.text, snapshot.snapshot.pmid) == ("Xyloplax\nAnother text of a public article.", 101)
    assert Article.objects.get(pmid=101).text == "Article 101"


def test_a_search_for_its_words_or_names_finds_nothing(organizer, client, carol):
    assert send_file(organizer).status_code == 201
    client.force_login(carol)
    for query in (*NAMES, *WORDS):
        assert client.get("/api/v1/articles/", {"q": query}).json()["count"] == 0
        assert find_told(client.get("/articles/", {"q": "cadherin"}).content.decode(), WORDS) == []
    for form in ("ndjson", "tsv"):
        reply = client.get(f"/api/v1/export/{form}/")
        assert find_told(b"".join(reply.streaming_content).decode(), (*NAMES, *WORDS)) == []
    opaque = Article.objects.get(blind=True).opaque
    for address in (f"/articles/{opaque}/", f"/api/v1/articles/{opaque}/", f"/api/v1/articles/{PMID}/"):
        assert client.get(address).status_code == 404
    call = RPC.format("Annotations.getAnnotations").replace("101", str(PMID))
    assert "Xyloplax" not in client.post("/xmlrpc/", call, content_type="text/xml").content.decode()


def test_what_names_it_is_in_the_record_of_the_snapshot_alone(organizer):
    reply = send_file(organizer)
    assert find_told(json.dumps(reply.json()), (*NAMES, *WORDS)) == []
    tables = list(rows_as_text())
    assert {table for table, row in tables if find_told(row, NAMES)} == {"annotations_articlesnapshot"}
    assert {table for table, row in tables if find_told(row, WORDS)} == {"annotations_article"}


def test_its_audit_event_names_no_article_and_is_for_organizers(organizer, client, carol, olga):
    send_file(organizer)
    trail = organizer.get("/api/v1/challenges/example/audit/").json()["results"]
    event = next(each for each in trail if each["action"] == "corpus.articles_uploaded")
    assert (event["subject"], event["after"], event["actor"]) == ("blind", {"added": 1}, olga.username)
    client.force_login(carol)
    assert client.get("/api/v1/challenges/example/audit/").status_code == 403


def test_the_mapping_names_it_to_organizers(organizer, challenge):
    (opaque,) = send_file(organizer).json()["articles"]
    (own,) = send_file(organizer, '{"text": "Some words.", "source_id": "x", "denotations": []}').json()["articles"]
    begin_test_later(challenge)
    lines = organizer.get("/challenges/example/phases/test/mapping/").content.decode().splitlines()
    assert lines[1] == f"{opaque}\t{PMID}\t10.9999/unseen.1\t\t"
    assert lines[2].startswith(f"{own}\t\t\t\t")


def test_once_published_it_is_a_public_article(organizer, challenge, client):
    (opaque,) = send_file(organizer).json()["articles"]
    phase = begin_test(challenge)
    assert client.get(f"/articles/{PMID}/").status_code == 404
    end(phase)
    assert publish_phase_or_request_if_sealed(phase)
    article = Article.objects.get(pmid=PMID)
    assert (article.opaque, article.doi, article.journal, article.year) == (opaque, NAMES[1], NAMES[2], 2001)
    page = client.get(f"/articles/{PMID}/").content.decode()
    assert find_told(page, WORDS) == list(WORDS)
    assert client.get("/api/v1/articles/", {"q": "quuxification"}).json()["count"] == 1
    assert send_file(organizer, "4711|t|Too late\n").status_code == 409
