"""What curators decided about the annotations of a server: for its team, if they agree, and only what is published."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from annotations.articles.models import Article, ArticleSnapshot, ArticleTakedown
from annotations.curation.models import Curation, CuratorProfile, Decision
from annotations.curation.publishing import publish_curation, withdraw_published_abstract
from annotations.digital_abstract_json import build_interaction_json
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Phase
from evaluation.curation.server_feedback import count_published_verdicts
from servers.registry.models import Server
from servers.teams.models import Membership, Team
from tests.integration.article_cast import create_known_genes, make_read_article, read_page_words, span, three_servers
from tests.integration.evaluation_cast import make_challenge, make_corpus
from tests.integration.published_cast import make_interaction

pytestmark = pytest.mark.django_db
DECISIONS = "/api/v1/servers/alpha/decisions/"
HUMAN, MOUSE, CATENIN = "uniprot:P12830", "uniprot:P09803", "uniprot:P35222"
CORRECT = "uniprot:Q9UBN7"


@pytest.fixture
def article(team):
    article = make_read_article()
    create_known_genes()
    three_servers(team, article)
    return article


@pytest.fixture
def agreed(carol):
    return CuratorProfile.objects.create(user=carol, shares_decisions=True)


def send(client, address, **body):
    reply = client.post(f"/api/v1/curations/{address}", body, content_type="application/json")
    assert reply.status_code < 300, reply.content.decode()
    return reply.json()


def decide(client, pk, action, **body):
    revision = Curation.objects.get(pk=pk).revision
    token = f"token-{Decision.objects.count()}-x"
    return send(client, f"{pk}/decisions/", action=action, seen=revision, token=token, **body)


def curate(client, user):
    """The id of a finished curation with each verdict on a gene, and a completed mention."""
    client.force_login(user)
    pk = send(client, "", article="20000001")["id"]
    decide(client, pk, "accept", kind="entity", keys=[HUMAN])
    decide(client, pk, "reject", kind="entity", keys=[MOUSE], reason="wrong organism")
    decide(client, pk, "edit", kind="entity", keys=[CATENIN], identifier=CORRECT)
    mention = f"{span(Article.objects.get(pmid=20000001), 'CTNNB1')}:gene"
    decide(client, pk, "edit", kind="mention", keys=[mention], identifier=CATENIN)
    decide(client, pk, "add", kind="entity", identifier="uniprot:P04637")
    finish(client, pk)
    return pk


def finish(client, pk):
    send(client, f"{pk}/finish/", seen=Curation.objects.get(pk=pk).revision)


def publish(pk):
    return publish_curation(pk, None, timezone.now())


@pytest.fixture
def published(client, article, carol, agreed):
    pk = curate(client, carol)
    publish(pk)
    return pk


def list_verdicts(client, user, address=DECISIONS):
    """{identifier of the annotation, or its words: verdict}."""
    client.force_login(user)
    found = {}
    for row in client.get(address).json()["results"]:
        annotation = row["proposed"]["annotation"]
        found[annotation.get("identifier") or annotation["text"]] = row["verdict"]
    return found


EVERYTHING = {"P12830": "accepted", "P09803": "rejected", "P35222": "corrected", "CTNNB1": "corrected"}


def test_the_team_sees_each_verdict(client, alice, published):
    assert list_verdicts(client, alice) == EVERYTHING
    rows = {row["proposed"]["annotation"].get("identifier"): row for row in client.get(DECISIONS).json()["results"]}
    assert rows["P09803"]["reason"] == "wrong organism"
    assert rows["P35222"]["corrected"]["annotation"]["identifier"] == "Q9UBN7"
    assert {row["article"] for row in rows.values()} == {"20000001"}
    assert rows["P12830"]["corrected"] is None


def test_a_server_gets_only_what_it_proposed(client, alice, published):
    assert list_verdicts(client, alice, "/api/v1/servers/gamma/decisions/") == {"P12830": "accepted"}
    assert client.get(DECISIONS, {"kind": "mention"}).json()["count"] == 1
    assert client.get(DECISIONS, {"limit": 1, "offset": 2}).json()["count"] == 4


def test_the_curator_is_not_named(client, alice, published):
    client.force_login(alice)
    assert "carol" not in client.get(DECISIONS).content.decode()
    assert "carol" not in client.get("/servers/alpha/").content.decode()


def test_the_page_draws_them_for_the_team_only(client, alice, bob_of_another_team, published):
    client.force_login(alice)
    page = client.get("/servers/alpha/")
    assert "accepted 1, corrected 2 and rejected 1 annotations of this server" in read_page_words(page)
    assert "rejected\nEntities: 1</title>" in page.content.decode()
    client.force_login(bob_of_another_team)
    assert "Decisions of curators" not in client.get("/servers/alpha/").content.decode()
    assert client.get(DECISIONS).status_code == 403


@pytest.fixture
def bob_of_another_team(django_user_model):
    bob = django_user_model.objects.create_user("bob", "bob@example.org", "a-long-password")
    Membership.objects.create(team=Team.objects.create(name="Beta", slug="team-beta"), user=bob, role="manager")
    return bob


def assert_nothing_is_seen(client, alice):
    assert list_verdicts(client, alice) == {}
    assert "No curator has shown a decision" in client.get("/servers/alpha/").content.decode()


def test_nothing_is_seen_without_agreement(client, article, alice, carol):
    publish(curate(client, carol))
    assert_nothing_is_seen(client, alice)
    CuratorProfile.objects.create(user=carol, shares_decisions=False)
    assert_nothing_is_seen(client, alice)


def test_agreement_counts_from_now_and_can_be_withdrawn(client, alice, agreed, published):
    assert list_verdicts(client, alice) == EVERYTHING
    agreed.shares_decisions = False
    agreed.save()
    assert_nothing_is_seen(client, alice)


def test_nothing_is_seen_of_a_curation_that_is_finished_but_not_published(client, article, alice, carol, agreed):
    curate(client, carol)
    assert_nothing_is_seen(client, alice)


def test_what_is_decided_after_the_publication_is_not_seen(client, alice, carol, published):
    client.force_login(carol)
    send(client, f"{published}/reopen/")
    decide(client, published, "undo")
    decide(client, published, "undo")
    decide(client, published, "undo")
    decide(client, published, "reject", kind="entity", keys=[HUMAN], reason="a mistake")
    decide(client, published, "accept", kind="entity", keys=[CATENIN])
    assert list_verdicts(client, alice) == EVERYTHING
    client.force_login(carol)
    finish(client, published)
    assert list_verdicts(client, alice) == EVERYTHING
    publish(published)
    assert list_verdicts(client, alice) == {"P12830": "rejected", "P09803": "rejected", "P35222": "accepted"}


def test_nothing_is_seen_of_a_withdrawn_record(client, alice, published):
    withdraw_published_abstract(Article.objects.get(pmid=20000001).pk, timezone.now())
    assert_nothing_is_seen(client, alice)


def test_nothing_is_seen_of_an_article_that_was_taken_down(client, alice, published):
    ArticleTakedown.objects.create(article=Article.objects.get(pmid=20000001))
    assert_nothing_is_seen(client, alice)


def test_nothing_is_seen_of_an_unpublished_test(client, alice, olga, published):
    corpus = make_corpus("tested", pmids=())
    corpus.articles.add(Article.objects.get(pmid=20000001), through_defaults={"position": 1})
    challenge = make_challenge(olga, make_corpus())
    phase = Phase.objects.create(challenge=challenge, sort="test", corpus=corpus)
    assert_nothing_is_seen(client, alice)
    Phase.objects.filter(pk=phase.pk).update(published=datetime(2026, 3, 1, tzinfo=UTC))
    assert list_verdicts(client, alice) == EVERYTHING


@pytest.mark.parametrize("reference", [{"pmid": 20000001}, {"doi": "10.1000/x"}, {"pmcid": "PMC1"}])
def test_nothing_is_seen_of_an_article_of_which_a_test_has_a_snapshot(client, alice, published, reference):
    Article.objects.filter(pmid=20000001).update(doi="10.1000/x", pmcid="PMC1")
    snapshot = Article.objects.create(blind=True, passages=[], text="", content_hash="3" * 64)
    taken = ArticleSnapshot.objects.create(article=snapshot, **reference)
    assert_nothing_is_seen(client, alice)
    ArticleSnapshot.objects.filter(pk=taken.pk).update(released=datetime(2026, 3, 1, tzinfo=UTC))
    assert list_verdicts(client, alice) == EVERYTHING


def test_a_record_of_somebody_else_shows_nothing_of_the_curator(client, alice, olga, carol, agreed, published):
    """Another record replaces the published one; its curator does not share."""
    publish(curate(client, olga))
    assert_nothing_is_seen(client, alice)


def test_completing_an_interaction_corrects_nothing(client, article, alice, carol, agreed):
    producer = Server.objects.get(slug="alpha").queues.get().producer
    pairs = [
        AnnotationData(Kind.PAIR, 0.9, database="uniprot", identifier="P12830", partner=partner)
        for partner in ("P35222", "P09803")
    ]
    store_results_superseding_earlier(article, producer, {Kind.PAIR: pairs}, reply_body=b"{}")
    client.force_login(carol)
    pk = send(client, "", article="20000001")["id"]
    rows = client.get(f"/api/v1/curations/{pk}/candidates/", {"kind": "interaction"}).json()["results"]
    whole = build_interaction_json(make_interaction())
    for row in rows:
        decide(client, pk, "edit", kind="interaction", keys=[row["key"]], interaction=whole)
    finish(client, pk)
    publish(pk)
    client.force_login(alice)
    found = client.get(DECISIONS, {"kind": "interaction"}).json()["results"]
    partners = {row["proposed"]["interaction"]["participants"][0]["identifier"]: row for row in found}
    verdicts = {partner: row["verdict"] for partner, row in partners.items()}
    assert verdicts == {"P12830": "accepted", "P09803": "corrected"}
    assert partners["P09803"]["corrected"]["interaction"]["type"] == "MI:0915"
    assert "corrected 1 and rejected 0" in read_page_words(client.get("/servers/alpha/"))


def test_the_list_and_the_figure_need_the_same_queries_for_any_number(
    client, alice, carol, published, django_assert_num_queries
):
    server = Server.objects.get(slug="alpha")
    client.force_login(alice)
    for _ in range(2):
        with django_assert_num_queries(3):
            count_published_verdicts(server)
        with django_assert_num_queries(7):
            assert client.get(DECISIONS).status_code == 200
        client.force_login(carol)
        send(client, f"{published}/reopen/")
        decide(client, published, "accept", kind="mention", group="ecadherin\tgene")
        finish(client, published)
        publish(published)
        client.force_login(alice)
    assert client.get(DECISIONS).json()["count"] == 6
