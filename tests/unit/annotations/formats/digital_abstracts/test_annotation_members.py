"""Annotations of the open model are JSON objects in files of digital abstracts."""

import json

import pytest
from hypothesis import given

from annotations.formats.annotated_text.declared_members import InvalidMembersError
from annotations.formats.digital_abstracts.annotation_members import build_annotation_members, parse_annotation_members
from tests.drawn_annotations import ANNOTATIONS


@given(annotation=ANNOTATIONS)
def test_it_reads_what_it_writes(annotation):
    assert parse_annotation_members(json.loads(json.dumps(build_annotation_members(annotation)))) == annotation


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"kind": "rumour"}, "not a kind of annotation"),
        ({"kind": "entity"}, "there is no identifier"),
        ({"kind": "mention", "start": 5, "end": 2}, "not a span"),
        ({"kind": "label", "found": "nothing"}, "nothing was found"),
    ],
)
def test_it_refuses_other_objects(members, message):
    with pytest.raises(InvalidMembersError, match=message):
        parse_annotation_members(members)
