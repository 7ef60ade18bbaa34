"""The examples of the manual's page about the open model: the server is registered, answers with them, and all of it is
stored."""

import html
import json
import re

import pytest

from annotations.articles.models import Article
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, read_annotation_row
from annotations.results.models import Result
from annotations.schema import EntityId, Kind, Span
from bcms.manual.open_model_examples import ANSWERED_ANNOTATIONS, EXAMPLE_ABSTRACT, EXAMPLE_TITLE, REGISTERED_SERVER
from servers.calls import loop
from servers.calls.models import Attempt
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.review.states import ReviewState
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shown(client):
    """The examples by their ids."""
    page = client.get("/manual/open-model/").content.decode()
    examples = re.findall(r'<pre tabindex="0" id="([\w-]+)">(.*?)</pre>', page, re.DOTALL)
    return {name: json.loads(html.unescape(text)) for name, text in examples}


@pytest.fixture
def annotation_server():
    with TaskServer(lambda asked: (200, {}, {"annotations": ANSWERED_ANNOTATIONS})) as there:
        yield there


@pytest.fixture
def queue(as_alice, team, annotation_server):
    """The live queue of the server of the manual, registered by REST, with the article of the manual."""
    passages = [{"type": "title", "text": EXAMPLE_TITLE}, {"type": "abstract", "text": EXAMPLE_ABSTRACT}]
    text = f"{EXAMPLE_TITLE}\n{EXAMPLE_ABSTRACT}"
    article = Article.objects.create(pmid=60000001, passages=passages, text=text, content_hash="0" * 64)
    fields = {**REGISTERED_SERVER, "team": team.slug, "url": annotation_server.url}
    reply = as_alice.post("/api/v1/servers/", fields, content_type="application/json")
    assert reply.status_code == 201, reply.content
    queue = contents.get_or_create_queue_and_producer(Server.objects.get(), QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    return queue


def test_each_shape_is_shown(shown):
    assert shown.pop("registered-server") == REGISTERED_SERVER
    assert list(shown) == ["mention-example", "entity-example", "relation-example", "label-example"]
    assert {kind: found for example in shown.values() for kind, found in example.items()} == ANSWERED_ANNOTATIONS


def test_a_server_that_posts_them_breaks_no_rule(queue, annotation_server):
    Server.objects.update(review=ReviewState.ACCEPTED)
    lifecycle.bring_server_online_and_resume_resting_queues(Server.objects.get())
    queue.calls.update(due="2001-01-01T00:00:00Z")
    loop.run_slices_if_slot_and_lease_free(queue.server_id)
    assert annotation_server.asked[0].json["types"] == REGISTERED_SERVER["entity_types"]
    attempt = Attempt.objects.get()
    assert (attempt.outcome, attempt.broken_rules) == (Outcome.ANSWERED, [])
    stored = {
        Kind(result.kind): [
            read_annotation_row(Kind(result.kind), *row)
            for row in result.annotations.order_by("pk").values_list(*ANNOTATION_ROW_FIELDS)
        ]
        for result in Result.objects.filter(superseded=None)
    }
    gene, disease = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")
    assert [(each.parts, each.identifiers) for each in stored[Kind.MENTION]] == [
        ((Span(0, 5),), (gene,)),
        ((Span(10, 23),), (disease,)),
        ((Span(24, 28), Span(34, 35)), (EntityId("ncbigene", "675"),)),
    ]
    [relation] = stored[Kind.RELATION]
    assert [(each.role, each.identifiers) for each in relation.arguments] == [
        ("gene", (gene,)),
        ("disease", (disease,)),
    ]
    assert relation.evidence == (Span(24, 70),)
    assert [each.curie for entity in stored[Kind.ENTITY] for each in entity.iter_entity_ids()] == ["mesh:D001943"]
    assert [each.label for each in stored[Kind.LABEL]] == [("topic", "genetics")]
