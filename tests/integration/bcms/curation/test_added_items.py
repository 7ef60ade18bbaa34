"""What a curator adds is a new item, and never takes the place of what was corrected or taken over."""

import pytest

from annotations.curation.contents import build_annotation_content, read_annotation_content, read_content_sources
from annotations.curation.decisions import ItemProposal
from annotations.curation.models import DecidedItem
from annotations.curation.states import ItemKind
from annotations.digital_abstract import Origin, Source
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument, Span, make_mention, make_relation
from tests.integration.article_cast import create_known_genes, make_read_article
from tests.integration.curation_cast import begin, decide, list_states, propose_gene

pytestmark = pytest.mark.django_db
FILE = Source("IntAct", Origin.SYSTEM)


@pytest.fixture
def curation(alice):
    create_known_genes()
    return begin(alice, make_read_article())


def send(client, curation, kind="entity", action="add", **fields):
    curation.refresh_from_db()
    values = {"seen": curation.revision, "token": f"token-{curation.revision:04}", "kind": kind, "action": action}
    reply = client.post(f"/curation/{curation.pk}/decide/", values | fields, headers={"X-Fragment": "1"})
    assert reply.status_code == 200, reply.content
    return reply


def list_accepted(curation):
    rows = DecidedItem.objects.filter(curation=curation, superseded_by__isnull=True, state="accepted").order_by("pk")
    return [read_annotation_content(row.content) for row in rows]


def test_an_added_entity_does_not_replace_the_one_that_was_corrected_from_it(as_alice, curation):
    decide(curation, "accept", propose_gene("P12830", producers=[7]))
    send(as_alice, curation, action="edit", key="uniprot:P12830", identifier="uniprot:P09803")
    for _ in range(2):
        send(as_alice, curation, identifier="uniprot:P12830")
    assert [each.identifier for each in list_accepted(curation)] == ["P09803", "P12830"]
    assert list_states(curation)["uniprot:P12830"] == "accepted"


def test_an_added_mention_does_not_replace_the_one_that_was_given_another_type(as_alice, curation):
    text = curation.article.text[:4]
    mention = make_mention([Span(0, 4)], text, "gene")
    decide(curation, "accept", ItemProposal(ItemKind.MENTION, "0-4:gene", build_annotation_content(mention)))
    send(as_alice, curation, "mention", "edit", key="0-4:gene", type="disease")
    send(as_alice, curation, "mention", type="gene", start="0", end="4", text=text)
    assert [each.type for each in list_accepted(curation)] == ["disease", "gene"]


def test_what_is_added_again_keeps_whose_it_is_and_what_was_known_of_it(as_alice, curation):
    gene = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="Q99999", taxon=10090)
    known = ItemProposal(ItemKind.ENTITY, "uniprot:Q99999", build_annotation_content(gene, [FILE]), [7])
    text = curation.article.text[:4]
    linked = make_mention([Span(0, 4)], text, "gene", [EntityId("uniprot", "P12830")])
    mention = ItemProposal(ItemKind.MENTION, "0-4:gene", build_annotation_content(linked, [FILE]), [7])
    decide(curation, "accept", known, mention)
    send(as_alice, curation, identifier="uniprot:Q99999")
    send(as_alice, curation, "mention", type="gene", start="0", end="4", text=text)
    assert list_accepted(curation) == [gene, linked]
    for item in DecidedItem.objects.filter(superseded_by__isnull=True):
        assert (item.producers, read_content_sources(item.content)) == ([7], (FILE,))
    send(as_alice, curation, "mention", type="gene", start="0", end="4", text=text, identifier="uniprot:P35222")
    assert list_accepted(curation)[-1].identifiers == (EntityId("uniprot", "P35222"),)


def test_a_relation_that_is_added_again_is_the_accepted_one(as_alice, curation):
    genes = [EntityId("uniprot", each) for each in ("P12830", "P35222")]
    relation = make_relation("binds", [RelationArgument(identifiers=(each,)) for each in genes], confidence=0.7)
    key = "binds:uniprot:P12830|uniprot:P35222"
    decide(curation, "accept", ItemProposal(ItemKind.RELATION, key, build_annotation_content(relation, [FILE]), [7]))
    send(as_alice, curation, "relation", type="binds", member=["uniprot:P12830", "uniprot:P35222"], role=["", ""])
    (item,) = DecidedItem.objects.filter(superseded_by__isnull=True)
    assert (item.key, item.producers, read_content_sources(item.content)) == (key, [7], (FILE,))
