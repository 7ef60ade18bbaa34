"""Which decisions of a curator are those of the outcome."""

import pytest

from annotations.curation.contents import build_annotation_content, build_interaction_content
from annotations.curation.projects.agreement import list_agreeing_items
from annotations.curation.projects.comparison import CuratedItem
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Detection, Interaction, Participant
from annotations.schema import AnnotationData, EntityId, Kind, Span, make_label, make_mention

CDH1, CTNNB1 = EntityId("uniprot", "P12830"), EntityId("uniprot", "P35222")
ACCEPTED, REJECTED = ItemState.ACCEPTED, ItemState.REJECTED


def entity(state=ACCEPTED, identifier="P12830", key=""):
    content = build_annotation_content(AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=identifier))
    return CuratedItem(ItemKind.ENTITY, state, content, (1,), key=key or f"uniprot:{identifier}")


def mention(state=ACCEPTED, link=CDH1, end=4):
    annotation = make_mention([Span(0, end)], "abcd"[:end], "Gene", [link] if link else [], confidence=0.5)
    return CuratedItem(ItemKind.MENTION, state, build_annotation_content(annotation), (1,), key=f"0-{end}:gene")


def interaction(state=ACCEPTED, partner=CTNNB1, method="MI:0018", *, negative=False):
    value = Interaction((Participant(CDH1), Participant(partner)), "", (Detection(method),), negative=negative)
    return CuratedItem(ItemKind.INTERACTION, state, build_interaction_content(value), (1,), key="binds:a|b")


def label(state=ACCEPTED, value="research"):
    content = build_annotation_content(make_label("kind", value))
    return CuratedItem(ItemKind.LABEL, state, content, (1,), key=f"kind={value}")


@pytest.mark.parametrize(
    ("outcome", "item", "agrees"),
    [
        ([entity()], entity(), True),
        ([], entity(), False),
        ([], entity(REJECTED), True),
        ([entity()], entity(REJECTED), False),
        # A correction: of what the outcome has corrected, accepted, corrected and accepted, or left out.
        ([entity(identifier="P35222")], entity(identifier="P35222", key="uniprot:P12830"), True),
        ([entity()], entity(identifier="P35222", key="uniprot:P12830"), False),
        ([entity(), entity(identifier="P35222")], entity(identifier="P35222", key="uniprot:P12830"), False),
        ([], entity(identifier="P35222", key="uniprot:P12830"), False),
        ([mention()], mention(), True),
        ([mention(link=CTNNB1)], mention(), False),
        ([mention(link=CTNNB1)], mention(REJECTED), False),
        ([mention(end=3)], mention(), False),
        ([mention(end=3)], mention(REJECTED), True),
        ([interaction(method="MI:0019")], interaction(), True),
        ([interaction(partner=CDH1)], interaction(), False),
        ([interaction(negative=True)], interaction(), False),
        ([interaction(negative=True)], interaction(REJECTED), True),
        ([label()], label(), True),
        ([label(value="review")], label(), False),
        ([label(value="review")], label(REJECTED), True),
    ],
)
def test_it_compares_a_decision_with_the_outcome(outcome, item, agrees):
    assert list_agreeing_items(outcome, [item]) == ([item] if agrees else [])


def test_it_keeps_the_order_of_the_decisions():
    items = [label(), entity(REJECTED), mention()]
    assert list_agreeing_items([mention(), label()], items) == items
