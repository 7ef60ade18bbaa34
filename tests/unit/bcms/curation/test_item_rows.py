"""Rows of the lists of a curation have ids that are unique on their page."""

import pytest

from annotations.curation.states import ItemKind
from bcms.curation.item_rows import ItemRow


@pytest.mark.parametrize(
    ("one", "other"),
    [("a" * 300 + "b", "a" * 300 + "c"), ("doi:10.1/A", "doi:10.1/a"), ("a b\tgene", "ab\tgene")],
    ids=["long keys", "case", "spaces"],
)
def test_different_keys_have_different_ids(one, other):
    ids = {ItemRow(ItemKind.MENTION, key, "title").html_id for key in (one, other)}
    assert len(ids) == 2 and not any(" " in each for each in ids)
