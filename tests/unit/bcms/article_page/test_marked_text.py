"""The parts of mentions as the marked text reads them."""

from hypothesis import given

from bcms.article_page.text.marked_text import get_plain_parts
from tests.drawn_annotations import ANNOTATIONS


@given(ANNOTATIONS)
def test_it_reads_the_same_parts_as_everybody(annotation):
    assert get_plain_parts(annotation) == annotation.parts
