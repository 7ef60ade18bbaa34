"""Reviewers accept and decline servers, teams keep theirs private, and everybody concerned is notified."""

import pytest
from django.contrib.auth.models import Permission

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from servers.audit.models import AuditAction, AuditEvent
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.notifications.models import Delivery, Notice, Webhook
from servers.registry.models import Server, Trial
from servers.review.models import ReviewDecision
from servers.review.states import ReviewState
from tests.integration.server_cast import give_past

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer(carol):
    """Not staff, but with the permission to review servers."""
    carol.user_permissions.add(Permission.objects.get(codename="review_server"))
    return carol


@pytest.fixture
def as_reviewer(client, reviewer):
    client.force_login(reviewer)
    return client


@pytest.fixture
def waiting(server):
    """A server with a past that nobody has reviewed."""
    Server.objects.filter(pk=server.pk).update(review=ReviewState.UNREVIEWED)
    server.refresh_from_db()
    give_past(server)
    return server


@pytest.fixture
def accepted(team, waiting):
    """An accepted server that has annotated an article of the waiting one, partly in the same way."""
    other = Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["mention"]
    )
    article = waiting.queues.get().producer.results.first().article
    mentions = [AnnotationData(Kind.MENTION, start=start, end=4) for start in (0, 1, 2)]
    producer = get_or_create_queue_and_producer(other, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, {Kind.MENTION: mentions})
    return other


def send(client, address, **fields):
    return client.post(f"/api/v1/{address}", fields, content_type="application/json")


def get_review(server):
    return Server.objects.get(pk=server.pk).review


def test_the_list_shows_what_waits_with_counts(as_reviewer, waiting, accepted):
    text = as_reviewer.get("/servers/review/").content.decode()
    assert "GeneDict" in text and "Unreviewed (1)" in text and "Accepted (1)" in text and ">Other<" not in text
    assert ">Other<" in as_reviewer.get("/servers/review/?state=accepted").content.decode()
    assert as_reviewer.get("/servers/review/?state=odd").status_code == 404
    assert [row["slug"] for row in as_reviewer.get("/api/v1/server-reviews/").json()["results"]] == ["genedict"]
    assert "Review servers" in as_reviewer.get("/servers/").content.decode()


def test_the_page_shows_conformance_failures_volume_agreement_and_answers(as_reviewer, waiting, accepted, reviewer):
    Trial.objects.create(
        team=waiting.team,
        by=reviewer,
        server=waiting,
        fields={},
        finished="2026-03-02T09:00Z",
        report={"passed": False, "failure": {"message": "It answered HTTP 500."}},
    )
    text = as_reviewer.get("/servers/genedict/review/").content.decode()
    assert 'href="#decision">Go to the decision</a>' in text and 'id="decision"' in text
    for part in ("R104", "1 article", "50", "It answered HTTP 500.", "Other", "0.500", "CDH1", "20000001"):
        assert part in text, part
    review = as_reviewer.get("/api/v1/servers/genedict/review/").json()
    assert review["review"] == "unreviewed" and review["failure_rate"] == 0.5
    assert [rule["code"] for rule in review["broken_rules"]] == ["R104"]
    volume = next(row for row in review["volumes"] if row["kind"] == "mention")
    assert (volume["articles"], volume["per_article"], volume["usual"]) == (1, 1.0, 3.0)
    [agreement] = review["agreements"]
    assert (agreement["server"], agreement["articles"], agreement["f1"]) == ("other", 1, 0.5)
    assert agreement["intervals"] == {} and "interval-text" not in text


def test_agreement_has_intervals_over_the_articles(as_reviewer, waiting, accepted):
    text = "CDH1 binds."
    more = Article.objects.create(pmid=7, passages=[{"type": "title", "text": text}], text=text, content_hash="7" * 64)
    mine = waiting.queues.get().producer
    first, theirs = mine.results.first().article, accepted.queues.get().producer
    mention = AnnotationData(Kind.MENTION, start=0, end=4)
    for owner, relevant in ((mine, True), (theirs, False)):
        store_results_superseding_earlier(
            more,
            owner,
            {Kind.MENTION: [mention], Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, relevant=relevant)]},
        )
        store_results_superseding_earlier(
            first, owner, {Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, relevant=True)]}
        )
    agreements = as_reviewer.get("/api/v1/servers/genedict/review/").json()["agreements"]
    found = {each["kind"]: each for each in agreements}
    # Of the mentions, one of three in one article and the only one of the other; samples are of both or of one twice.
    assert found["mention"]["joint"] == 0.5
    assert found["mention"]["intervals"] == {"joint": [round(1 / 3, 9), 1.0], "f1": [0.5, 1.0]}
    assert found["classification"]["joint"] == 0.5
    assert found["classification"]["intervals"] == {"joint": [0.0, 1.0], "f1": [0.0, 1.0]}
    assert "0.333 to 1.000</span>" in as_reviewer.get("/servers/genedict/review/").content.decode()


def test_the_page_shows_open_annotations_by_text_or_identifier(as_reviewer, waiting):
    producer = waiting.queues.get().producer
    article = producer.results.first().article
    gene, disease = EntityId("ncbigene", "999"), EntityId("mesh", "D001943")
    arguments = [RelationArgument(identifiers=(gene, disease)), RelationArgument(spans=(Span(0, 4),), text="CDH1")]
    said = {
        Kind.MENTION: [make_mention([Span(0, 4)], "E-cadherin", "Gene", [gene])],
        Kind.ENTITY: [make_entity(disease, "Disease", text="breast cancer")],
        Kind.RELATION: [make_relation("Association", arguments)],
        Kind.LABEL: [make_label("topic", "oncology")],
    }
    store_results_superseding_earlier(article, producer, said)
    text = as_reviewer.get("/servers/genedict/review/").content.decode()
    for example in ("E-cadherin", "D001943", "Association: 999/D001943 with CDH1", "oncology", "Entities", "Labels"):
        assert example in text, example


def test_identifiers_of_one_gene_agree(as_reviewer, waiting, team):
    Entry.objects.create(database="uniprot", identifier="P12830", exists=True, genes=["999"])
    other = Server.objects.create(
        review="accepted", team=team, name="Other", slug="other", url="http://127.0.0.1:9/", kinds=["normalization"]
    )
    producer = waiting.queues.get().producer
    article = producer.results.first().article
    for owner, database, identifier in (
        (producer, "ncbigene", "999"),
        (get_or_create_queue_and_producer(other, QueueMode.LIVE).producer, "uniprot", "P12830"),
    ):
        gene = AnnotationData(Kind.NORMALIZATION, database=database, identifier=identifier)
        store_results_superseding_earlier(article, owner, {Kind.NORMALIZATION: [gene]})
    [agreement] = as_reviewer.get("/api/v1/servers/genedict/review/").json()["agreements"]
    assert (agreement["kind"], agreement["f1"]) == ("normalization", 1.0)


def test_the_page_takes_a_fixed_number_of_queries(as_reviewer, waiting, accepted, team, django_assert_num_queries):
    def count_queries():
        with django_assert_num_queries(22) as captured:
            assert as_reviewer.get("/servers/genedict/review/").status_code == 200
        return len(captured)

    before = count_queries()
    for number in range(3):
        more = Server.objects.create(
            review="accepted", team=team, name="More", slug=f"more-{number}", url="http://x", kinds=["mention"]
        )
        producer = get_or_create_queue_and_producer(more, QueueMode.LIVE).producer
        for result in waiting.queues.get().producer.results.all():
            store_results_superseding_earlier(result.article, producer, {Kind.MENTION: []})
    assert count_queries() == before


def test_it_accepts_and_notifies_the_team(as_reviewer, waiting, reviewer):
    Webhook.objects.create(server=waiting, url="http://127.0.0.1:9/", topics=["review"])
    reply = as_reviewer.post("/servers/genedict/review/", {"decision": "accepted", "note": "Well done."}, follow=True)
    assert "GeneDict is accepted. Its team is notified." in reply.content.decode()
    assert get_review(waiting) == ReviewState.ACCEPTED and waiting.queues.get().producer.public
    decision = ReviewDecision.objects.get()
    assert (decision.before, decision.after, decision.note, decision.by) == (
        *("unreviewed", "accepted", "Well done."),
        reviewer,
    )
    assert Notice.objects.get().happening == "server-reviewed"
    event = AuditEvent.objects.get(action=AuditAction.SERVER_REVIEWED)
    assert (event.actor_id, event.after, event.reason) == (reviewer.pk, {"review": "accepted"}, "Well done.")
    assert '"reason": "accepted. Well done."' in Delivery.objects.get().body


def test_it_needs_a_note_to_decline(as_reviewer, waiting):
    reply = as_reviewer.post("/servers/genedict/review/", {"decision": "declined"})
    assert reply.status_code == 422 and "Tell the team why" in reply.content.decode()
    assert send(as_reviewer, "servers/genedict/review/", decision="declined").status_code == 400
    assert get_review(waiting) == ReviewState.UNREVIEWED
    reply = send(as_reviewer, "servers/genedict/review/", decision="declined", note="Too many genes.")
    assert reply.status_code == 200 and reply.json()["decisions"][0]["note"] == "Too many genes."
    assert send(as_reviewer, "servers/genedict/review/", decision="declined", note="Again.").status_code == 409
    assert send(as_reviewer, "servers/genedict/review/", decision="private").status_code == 400
    assert (
        as_reviewer.post("/api/v1/servers/genedict/review/", "[1]", content_type="application/json").status_code == 400
    )


def test_others_review_nothing(client, alice, waiting):
    client.force_login(alice)
    assert client.get("/servers/review/").status_code == client.get("/api/v1/server-reviews/").status_code == 403
    assert client.post("/servers/genedict/review/", {"decision": "accepted"}).status_code == 403
    assert send(client, "servers/genedict/review/", decision="accepted").status_code == 403
    assert get_review(waiting) == ReviewState.UNREVIEWED
    assert client.get("/api/v1/servers/genedict/review/").status_code == 200


def test_the_team_sees_the_state_with_its_meaning_and_the_note(client, alice, waiting, as_reviewer):
    send(as_reviewer, "servers/genedict/review/", decision="declined", note="Too many genes.")
    client.force_login(alice)
    text = client.get("/servers/genedict/").content.decode()
    assert "declined" in text and "Too many genes." in text and "ask for another review" in text


def test_the_team_keeps_it_private_and_asks_for_a_review_again(client, alice, server):
    get_or_create_queue_and_producer(server, QueueMode.LIVE)
    client.force_login(alice)
    client.post("/servers/genedict/visibility/", {"review": "private"})
    assert get_review(server) == ReviewState.PRIVATE and not server.queues.get().producer.public
    assert "Ask for a review" in client.get("/servers/genedict/").content.decode()
    assert send(client, "servers/genedict/visibility/", review="private").status_code == 409
    assert send(client, "servers/genedict/visibility/", review="accepted").status_code == 400
    assert send(client, "servers/genedict/visibility/", review="unreviewed").json()["review"] == "unreviewed"


def test_a_reviewer_cannot_accept_a_private_server(as_reviewer, waiting):
    Server.objects.filter(pk=waiting.pk).update(review=ReviewState.PRIVATE)
    assert send(as_reviewer, "servers/genedict/review/", decision="accepted").status_code == 409


def test_a_new_server_cannot_take_the_address_of_the_list(client, alice, team):
    client.force_login(alice)
    fields = {"team": "team-alpha", "name": "Review", "url": "http://127.0.0.1:9/", "kinds": ["taxon"]}
    assert send(client, "servers/", **fields).json()["slug"] == "review-2"
