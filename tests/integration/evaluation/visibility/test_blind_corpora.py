"""Who sees the articles of a blind corpus: its organizers and staff. The articles that it was made of stay public."""

import re

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from annotations.articles.corpora import BlindArticleError, append_absent_articles_creating_corpus
from annotations.articles.models import Article, ArticleSnapshot, Corpus
from evaluation.challenges.deletion.corpus_deletion import delete_unused_corpus
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.errors import ChallengeError
from evaluation.visibility import list_visible_articles, list_visible_corpora
from tests.integration.evaluation_cast import PMIDS, create_listed_challenge, end, make_corpus

RPC = (
    "<methodCall><methodName>{}</methodName><params><param><value><int>101</int></value></param></params></methodCall>"
)
ADDRESSES = (
    *("/", "/articles/", "/articles/?q=article", "/articles/?q=101", "/challenges/", "/challenges/example/"),
    *("/articles/101/", "/articles/101/live/", "/articles/101/results/", "/corpora/four/compare/?kind=taxon"),
    *("/challenges/example/phases/training/articles/", "/challenges/example/phases/training/articles/tsv/"),
    *("/challenges/example/training/TX/", "/articles/101/export/ndjson/", "/documents/PUBMED/101/"),
    *("/api/v1/articles/", "/api/v1/articles/?q=article", "/api/v1/articles/101/", "/api/v1/articles/101/annotations/"),
    *("/api/v1/corpora/", "/api/v1/corpora/four/", "/api/v1/export/ndjson/", "/api/v1/articles/101/consensus/"),
)


@pytest.fixture
def blind(article, olga):
    """The article is in Olga's test set, too."""
    challenge = create_listed_challenge("One", "one", "", olga)
    corpus = create_challenge_corpus(challenge, "Secret", "secret", "", [article.pk], blind=True)
    creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)
    return corpus


def count_hidden_rows(user):
    """How many blind articles and corpora the user sees."""
    return (
        list_visible_articles(user).filter(blind=True).count(),
        list_visible_corpora(user).filter(blind=True).count(),
    )


def test_it_shows_a_blind_corpus_to_its_organizers_and_staff_only(blind, article, alice, olga, admin_user):
    assert [count_hidden_rows(user) for user in (alice, olga, admin_user)] == [(0, 0), (1, 1), (1, 1)]
    assert list_visible_articles(alice).get() == article


def test_it_shows_a_blind_corpus_to_its_organizers_before_it_has_a_phase(article, olga, carol):
    challenge = create_listed_challenge("One", "one", "", olga)
    create_challenge_corpus(challenge, "Secret", "secret", "", [article.pk], blind=True)
    assert [count_hidden_rows(user) for user in (olga, carol)] == [(1, 1), (0, 0)]


def test_an_article_can_be_in_tests_of_several_challenges(blind, article, carol):
    other = create_listed_challenge("Two", "two", "", carol)
    create_challenge_corpus(other, "Open", "open", "", [article.pk], blind=False)
    create_challenge_corpus(other, "Mine", "mine", "", [article.pk], blind=True)
    assert count_hidden_rows(carol) == (1, 1)
    assert len(set(ArticleSnapshot.objects.filter(pmid=article.pmid).values_list("article__opaque", flat=True))) == 2


def test_two_test_sets_of_a_challenge_share_a_snapshot(blind, article):
    again = create_challenge_corpus(blind.owner.challenge, "Again", "again", "", [article.pk], blind=True)
    snapshot = blind.articles.get()
    assert again.articles.get() == snapshot
    more = create_challenge_corpus(blind.owner.challenge, "More", "more", "", [snapshot.pk], blind=True)
    assert more.articles.get() == snapshot


def test_a_snapshot_is_in_blind_corpora_of_its_challenge_only(blind, carol):
    snapshot, other = blind.articles.get(), create_listed_challenge("Two", "two", "", carol)
    for challenge, is_blind in ((other, True), (other, False), (blind.owner.challenge, False)):
        with pytest.raises(ChallengeError, match="part of a blind test set"):
            create_challenge_corpus(challenge, "Theirs", "theirs", "", [snapshot.pk], blind=is_blind)
    with pytest.raises(BlindArticleError):
        append_absent_articles_creating_corpus("reading", [snapshot.pk])
    assert not Corpus.objects.filter(slug__in=["theirs", "reading"]).exists()


def test_the_database_refuses_a_blind_article_with_a_name(blind):
    for names in ({"pmid": 7}, {"doi": "10.1000/7"}, {"journal": "J"}, {"year": 2000}, {"metadata": {"a": 1}}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Article.objects.filter(blind=True).update(**names)


def test_it_shows_the_test_with_the_article_once_its_phase_is_published(blind, article, alice):
    phase = blind.phase_set.get()
    end(phase)
    assert publish_phase_or_request_if_sealed(phase)
    assert count_hidden_rows(alice) == (0, 0)
    assert list(blind.articles.all()) == [article]


def read_answers(user):
    """{address: what it answers}, without what differs from one request to the next."""
    client = Client()
    if user:
        client.force_login(user)
    answers = {address: read_answer(client.get(address)) for address in ADDRESSES}
    for method in ("Annotations.getAnnotations", "Consensus.getConsensus"):
        answers[method] = read_answer(client.post("/xmlrpc/", RPC.format(method), content_type="text/xml"))
    return answers


def read_answer(response):
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return response.status_code, re.sub(
        r'(csrfmiddlewaretoken" value|nonce)="\w+"|csrf[^"]*"\w{64}"', "", body.decode()
    )


@pytest.mark.long
def test_a_blind_corpus_of_public_articles_changes_nothing_for_anybody_else(
    client, challenge, team, alice, olga, carol
):
    """An organizer names the training articles of another one as a blind test set."""
    people = (None, alice, olga)
    before = [read_answers(user) for user in people]
    assert {address for address, (status, _) in before[0].items() if status != 200} <= {"/articles/?q=101"}
    create_listed_challenge("Two", "two", "", carol)
    hidden_challenges = re.compile(r"two|Two")
    client.force_login(carol)
    sent = {"name": "Hidden", "slug": "hidden", "blind": True, "articles": [str(pmid) for pmid in PMIDS]}
    reply = client.post("/api/v1/challenges/two/corpora/", sent, content_type="application/json")
    assert reply.json() == {"slug": "hidden", "articles": 4}
    for user, answers in zip(people, before, strict=True):
        for address, answer in read_answers(user).items():
            if not hidden_challenges.search(answer[1]):
                assert answer == answers[address], (user, address)


def test_the_answers_that_name_the_new_challenge_are_of_challenges_alone(challenge, carol):
    """So that the test above compares enough."""
    create_listed_challenge("Two", "two", "", carol)
    assert {form for form, (_, body) in read_answers(None).items() if re.search("/two/|Two", body)} <= {
        "/",
        "/challenges/",
    }


def test_the_form_answers_alike_whatever_is_in_the_tests_of_others(client, blind, article, carol):
    create_listed_challenge("Two", "two", "", carol)
    client.force_login(carol)
    page = client.post("/challenges/two/add-corpus/", {"name": "N", "slug": "n", "blind": "on", "articles": "10000001"})
    assert page.status_code == 302
    snapshot = blind.articles.get()
    for name in (snapshot.opaque, "B" + "0" * 16, "4711"):
        page = client.post("/challenges/two/add-corpus/", {"name": "M", "slug": "m", "blind": "on", "articles": name})
        assert f"These articles are not on this site: {name}. Remove them" in page.content.decode()


def test_the_mapping_and_its_corpus_name_the_articles_to_organizers(client, blind, article, olga, carol, admin_user):
    snapshot = blind.articles.get()
    for user, status in ((None, 302), (carol, 403), (olga, 200), (admin_user, 200)):
        client.logout()
        if user:
            client.force_login(user)
        reply = client.get("/challenges/one/phases/test/mapping/")
        assert reply.status_code == status
        assert ("10000001" in reply.content.decode()) is (status == 200)
    assert reply.content.decode().splitlines()[1] == f"{snapshot.opaque}\t10000001\t\t\t"
    assert client.get("/api/v1/corpora/secret/").json()["articles"] == ["10000001"]
    assert client.get(f"/api/v1/articles/{snapshot.opaque}/").json()["pmid"] is None


def test_nobody_finds_a_snapshot_by_its_text(client, blind, article, carol):
    client.force_login(carol)
    for address in ("/api/v1/articles/?q=CDH1", "/api/v1/articles/"):
        assert client.get(address).json()["count"] == 1
    assert make_corpus("more", (301,)).articles.count() == 1
    snapshot = blind.articles.get()
    for address in (f"/articles/{snapshot.opaque}/", f"/api/v1/articles/{snapshot.opaque}/"):
        assert client.get(address).status_code == 404


def test_snapshots_go_with_their_last_corpus(blind, article):
    challenge, snapshot = blind.owner.challenge, blind.articles.get()
    more = create_challenge_corpus(challenge, "More", "more", "", [article.pk], blind=True)
    delete_unused_corpus(challenge, more)
    assert Article.objects.filter(pk=snapshot.pk).exists()
    challenge.phases.all().delete()
    delete_unused_corpus(challenge, blind)
    assert (Article.objects.get(), ArticleSnapshot.objects.exists()) == (article, False)
