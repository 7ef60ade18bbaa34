"""How pages and reports write a relation on one line."""

import pytest

from annotations.relation_text import choose_relation_joint, format_relation_ends
from annotations.schema import AnnotationData, Kind, RelationArgument, make_relation


@pytest.mark.parametrize(
    ("end_count", "directed", "joint"), [(2, True, " → "), (2, False, " with "), (3, True, ", "), (3, False, ", ")]
)
def test_it_shows_the_direction_of_a_relation_of_two(end_count, directed, joint):
    assert choose_relation_joint(end_count, directed=directed) == joint


def test_it_writes_roles_and_qualifiers():
    arguments = [RelationArgument("chemical", text="naloxone"), RelationArgument("disease", text="hypertension")]
    relation = make_relation("CID", arguments, directed=True, qualifiers={"novelty": "Novel", "negated": "true"})
    written = "chemical naloxone → disease high blood pressure (negated, novelty: Novel)"
    assert format_relation_ends(relation, ["naloxone", "high blood pressure"]) == written


def test_it_writes_interaction_pairs():
    pair = AnnotationData(Kind.PAIR, database="uniprot", identifier="P04637", partner="Q00987")
    assert format_relation_ends(pair, ["TP53", "MDM2"]) == "TP53 with MDM2"
