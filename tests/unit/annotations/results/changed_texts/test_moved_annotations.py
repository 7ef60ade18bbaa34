"""Annotations of every shape move to a later text with all their positions, or not at all."""

import pytest

from annotations.articles.text_alignment import TextAlignment
from annotations.results.changed_texts.moved_annotations import move_annotations
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

EARLIER = "BRAF and MEK 1/2\nWe saw BRAF bind p53 in cells. This is new. It is known that cells grow."
LATER = "BRAF and MEK 1/2\nWe saw that BRAF does bind P53 in cells. It is known that cells grow."
BRAF, P53 = EntityId("ncbigene", "673"), EntityId("ncbigene", "7157")


def span(words: str, text: str = EARLIER) -> Span:
    return Span(text.index(words), text.index(words) + len(words))


def move(annotation: AnnotationData) -> AnnotationData | None:
    found = move_annotations([annotation], TextAlignment(EARLIER, LATER))
    assert len(found.moved) + len(found.not_movable) == 1
    assert list(found.not_movable) in ([], [annotation])
    return found.moved[0] if found.moved else None


def test_a_mention_gets_the_position_and_the_text_of_the_later_text():
    mention = make_mention([span("p53")], "p53", "Gene", [P53], confidence=0.5, rank=2)
    expected = make_mention([span("P53", LATER)], "P53", "Gene", [P53], confidence=0.5, rank=2)
    assert move(mention) == expected


def test_a_mention_in_parts_keeps_them():
    parts, moved = [span("saw"), span("p53")], [span("saw", LATER), span("P53", LATER)]
    assert move(make_mention(parts, "saw p53")) == make_mention(moved, "saw P53")


def test_a_relation_moves_with_its_arguments_and_evidence():
    def build(text: str, p53: str) -> AnnotationData:
        mentioned = RelationArgument("target", spans=(span(p53, text),), text=p53)
        return make_relation("binding", [RelationArgument("agent", (BRAF,)), mentioned], evidence=[span("cells", text)])

    assert move(build(EARLIER, "p53")) == build(LATER, "P53")


@pytest.mark.parametrize(
    "annotation",
    [
        make_mention([span("new")], "new"),
        make_mention([span("cells"), span("new")], "cells new"),
        make_relation("is", [RelationArgument("", (BRAF,)), RelationArgument("", (P53,), (span("new"),), "", "new")]),
        make_relation("is", [RelationArgument("", (BRAF,)), RelationArgument("", (P53,))], evidence=[span("new")]),
        AnnotationData(Kind.PASSAGE, database="uniprot", identifier="P1", partner="P2", text="This is new."),
    ],
)
def test_nothing_moves_whose_words_are_gone(annotation):
    assert move(annotation) is None


@pytest.mark.parametrize(
    "annotation",
    [
        make_entity(BRAF, "Gene", rank=1),
        make_label("topic", "cells"),
        AnnotationData(Kind.CLASSIFICATION, 0.5, relevant=True),
        AnnotationData(Kind.PAIR, database="uniprot", identifier="P1", partner="P2"),
        AnnotationData(Kind.PASSAGE, database="uniprot", identifier="P1", partner="P2", text="It is known\nthat cells"),
    ],
)
def test_what_has_no_position_stays_as_it_is(annotation):
    assert move(annotation) == annotation


def test_parts_that_have_one_place_left_do_not_become_one():
    alignment = TextAlignment("a fifi gene", "a fi gene")
    mention = make_mention([Span(2, 4), Span(4, 6)], "fi fi")
    assert move_annotations([mention], alignment).not_movable == [mention]
