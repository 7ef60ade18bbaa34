"""Mentions with links, entities, relations and labels: from the answer of a live server to what is stored."""

import pytest

from annotations.articles.models import Article
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, read_annotation_row
from annotations.results.models import Result
from annotations.schema import EntityId, Kind, RelationArgument, Span
from servers.calls import loop
from servers.calls.models import Attempt
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode
from servers.registry import lifecycle
from servers.registry.models import Server
from servers.review.states import ReviewState
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)

TITLE, ABSTRACT = "BRCA1 and breast cancer", "BRCA1 and 2 are associated with breast cancer."
TEXT = f"{TITLE}\n{ABSTRACT}"
BODY = len(TITLE) + 1
GENE, DISEASE = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")
ANNOTATIONS = {
    "mention": [
        {"id": "T1", "start": 0, "end": 5, "text": "BRCA1", "type": "Gene", "identifiers": ["ncbigene:672"]},
        {"id": "T2", "start": 10, "end": 23, "text": "breast cancer", "type": "Disease", "identifiers": "MESH:D001943"},
        {"id": "T3", "spans": [[BODY, BODY + 4], [BODY + 10, BODY + 11]], "text": "BRCA2", "type": "Gene"},
        {"id": "T4", "start": 0, "end": 5, "text": "BRCA1", "type": "Protein"},
        {"id": "T5", "start": 900, "end": 905, "text": "BRCA1", "type": "Gene"},
    ],
    "entity": [{"curie": "MESH:D001943", "type": "Disease"}],
    "relation": [
        {"type": "associated", "arguments": ["T1", "T2"], "evidence": [[BODY, len(TEXT)]]},
        {"type": "associated", "arguments": ["T5", "T2"]},
    ],
    "label": [{"name": "topic", "value": "oncology", "confidence": 0.75}],
}
KINDS = ["mention", "entity", "relation", "label"]


@pytest.fixture
def article():
    passages = [{"type": "title", "text": TITLE}, {"type": "abstract", "text": ABSTRACT}]
    return Article.objects.create(pmid=60000001, passages=passages, text=TEXT, content_hash="0" * 64)


@pytest.fixture
def answered(server, article):
    """What the server was sent, after it has answered a call of its LIVE queue five times alike."""
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    with TaskServer(lambda asked: (200, {}, {"annotations": ANNOTATIONS})) as there:
        Server.objects.filter(pk=server.pk).update(
            url=there.url, kinds=KINDS, protocol="rest", entity_types=["Gene", "Disease"], review=ReviewState.ACCEPTED
        )
        server.refresh_from_db()
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        for _ in range(5):
            queue.calls.update(due="2001-01-01T00:00:00Z")
            loop.run_slices_if_slot_and_lease_free(server.pk)
    return there.asked


def load_stored_annotations():
    """The annotations of each kind that are stored."""
    return {
        Kind(result.kind): [
            read_annotation_row(Kind(result.kind), *row)
            for row in result.annotations.order_by("pk").values_list(*ANNOTATION_ROW_FIELDS)
        ]
        for result in Result.objects.filter(superseded=None)
    }


def test_it_stores_the_valid_rest_of_an_open_answer(answered):
    assert (answered[0].json["kinds"], answered[0].json["types"]) == (KINDS, ["Gene", "Disease"])
    attempt = Attempt.objects.earliest("pk")
    assert attempt.outcome == Outcome.INVALID
    assert [(rule["code"], rule["where"]) for rule in attempt.broken_rules] == [
        ("R104", "annotations.mention[4].start"),
        ("R126", "annotations.relation[1].arguments[0]"),
    ]
    stored = load_stored_annotations()
    mentions = stored[Kind.MENTION]
    assert {(mention.parts, mention.text, mention.type, mention.identifiers) for mention in mentions} == {
        ((Span(0, 5),), "BRCA1", "Gene", (GENE,)),
        ((Span(10, 23),), "breast cancer", "Disease", (DISEASE,)),
        ((Span(BODY, BODY + 4), Span(BODY + 10, BODY + 11)), "BRCA 2", "Gene", ()),
        ((Span(0, 5),), "BRCA1", "Protein", ()),
    }
    (relation,) = stored[Kind.RELATION]
    assert relation.arguments == (
        RelationArgument("", (GENE,), (Span(0, 5),), "Gene", "BRCA1"),
        RelationArgument("", (DISEASE,), (Span(10, 23),), "Disease", "breast cancer"),
    )
    assert relation.evidence == (Span(BODY, len(TEXT)),)
    assert [list(entity.iter_entity_ids()) for entity in stored[Kind.ENTITY]] == [[DISEASE]]
    assert [label.label for label in stored[Kind.LABEL]] == [("topic", "oncology")]


PUBANNOTATION_ANSWER = {
    "denotations": [
        {"id": "T1", "span": {"begin": 0, "end": 5}, "obj": "Gene"},
        {"id": "T2", "span": {"begin": 10, "end": 23}, "obj": "MESH:D001943"},
        {"id": "T3", "span": {"begin": BODY, "end": BODY + 4}, "obj": "_FRAGMENT"},
        {"id": "T4", "span": {"begin": BODY + 10, "end": BODY + 11}, "obj": "Gene"},
        {"id": "T5", "span": {"begin": 900, "end": 905}, "obj": "Gene"},
    ],
    "attributes": [
        {"subj": "T1", "pred": "identifier", "obj": "ncbigene:672"},
        {"subj": "T4", "pred": "mood", "obj": "sad"},
    ],
    "relations": [
        {"id": "R1", "subj": "T4", "pred": "_lexicallyChainedTo", "obj": "T3"},
        {"id": "R2", "subj": "T1", "pred": "associated", "obj": "T2"},
        {"id": "R3", "subj": "T1", "pred": "associated", "obj": "T9"},
    ],
}


def test_it_stores_the_valid_rest_of_an_answer_in_pubannotation(server, article):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    contents.enqueue_articles_without_open_or_test_call(queue, [article.pk])
    with TaskServer(lambda asked: (200, {}, PUBANNOTATION_ANSWER)) as there:
        fields = {"url": there.url, "protocol": "pubannotation", "method": "POST", "entity_types": ["Gene", "Disease"]}
        Server.objects.filter(pk=server.pk).update(**fields, kinds=["mention", "entity", "relation", "normalization"])
        server.refresh_from_db()
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        for _ in range(5):
            queue.calls.update(due="2001-01-01T00:00:00Z")
            loop.run_slices_if_slot_and_lease_free(server.pk)
    assert there.asked[0].json == {"sourcedb": "PubMed", "sourceid": "60000001", "text": TEXT}
    attempt = Attempt.objects.earliest("pk")
    assert [(rule["code"], rule["where"]) for rule in attempt.broken_rules] == [
        ("R126", "relations[2].obj"),
        ("R104", "denotations[4].span.begin"),
    ]
    assert [part["where"] for part in attempt.omitted["parts"]] == ["attributes[1]"]
    stored = load_stored_annotations()
    assert {(mention.parts, mention.text, mention.type, mention.identifiers) for mention in stored[Kind.MENTION]} == {
        ((Span(0, 5),), "BRCA1", "Gene", (GENE,)),
        ((Span(10, 23),), "breast cancer", "Disease", (DISEASE,)),
        ((Span(BODY, BODY + 4), Span(BODY + 10, BODY + 11)), "BRCA 2", "Gene", ()),
    }
    (relation,) = stored[Kind.RELATION]
    assert [argument.identifiers for argument in relation.arguments] == [(GENE,), (DISEASE,)]
    assert [list(entity.iter_entity_ids()) for entity in stored[Kind.ENTITY]] == [[GENE], [DISEASE]]
    assert [each.identifier for each in stored[Kind.NORMALIZATION]] == ["672"]


def test_it_shows_the_article_and_its_annotations(answered, client):
    assert client.get("/articles/60000001/").status_code == 200
    found = client.get("/api/v1/articles/60000001/annotations/")
    assert found.status_code == 200
    assert client.get("/servers/genedict/").status_code == 200
