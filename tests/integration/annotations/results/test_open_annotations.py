"""Annotations of every kind in the database: nothing is lost, and open kinds cost the others no space."""

from itertools import groupby

import pytest
from django.db import IntegrityError, connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS
from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
from annotations.results.models import Annotation, Producer, Result
from annotations.results.queries import list_current_results_on_current_text, load_annotations_by_result_id
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
from tests.drawn_annotations import ANNOTATIONS

pytestmark = pytest.mark.django_db
BRCA1, CANCER = EntityId("ncbigene", "672"), EntityId("mesh", "D001943")
LINKED = make_mention([Span(0, 5)], "BRCA1", "Gene", [BRCA1])
ROWS = 20_000


@pytest.fixture
def producer(db):
    return Producer.objects.create(sort=Producer.Type.SERVER, name="a server", public=True)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.lists(ANNOTATIONS, min_size=1, max_size=8))
def test_it_stores_and_loads_every_annotation(article, producer, drawn):
    ordered = sorted(drawn, key=lambda each: each.kind)
    by_kind = {kind: list(of_kind) for kind, of_kind in groupby(ordered, key=lambda each: each.kind)}
    store_results_superseding_earlier(article, producer, by_kind)
    results = [each for each in list_current_results_on_current_text(article, [producer.pk]) if each.kind in by_kind]
    loaded = load_annotations_by_result_id(results)
    assert {result.kind: loaded[result.id] for result in results} == by_kind


@pytest.mark.parametrize("spans", [[0, 5], [0, 2, 4], [1, 2, 3, 5], [0, 2, 3, 4], []])
def test_it_stores_no_parts_that_do_not_make_up_the_mention(article, producer, spans):
    store_results_superseding_earlier(article, producer, {Kind.MENTION: [LINKED]})
    with pytest.raises(IntegrityError, match="parts_within_mention"), transaction.atomic():
        Annotation.objects.update(spans=spans)
    Annotation.objects.update(spans=[0, 2, 3, 5])


@pytest.mark.parametrize(
    ("annotation", "noted"),
    [
        (make_mention([Span(0, 5)], "BRCA1"), True),
        (LINKED, False),
        (make_entity(CANCER, "Disease"), False),
        (make_relation("Association", [RelationArgument(identifiers=(each,)) for each in (BRCA1, CANCER)]), False),
        (make_relation("Bind", [RelationArgument(spans=(Span(0, start),)) for start in (5, 6)]), True),
        (make_label("topic", "cancer"), True),
        (AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="9606"), False),
    ],
)
def test_results_without_identifiers_wait_for_no_look_up(article, producer, annotation, noted):
    store_results_superseding_earlier(article, producer, {annotation.kind: [annotation]})
    supersede_results_in_bulk_counting_annotations(producer, annotation.kind, {article.pk: [annotation]})
    assert list(Result.objects.values_list("noted", flat=True)) == [noted, noted]


def test_rows_of_the_seven_kinds_take_no_more_space_than_without_the_columns_of_open_kinds(article, producer):
    mentions = [
        AnnotationData(Kind.MENTION, 0.5 + n / 100_000, start=n, end=n + 7, text=f"gene {n}", type="gene")
        for n in range(ROWS // 2)
    ]
    genes = [
        AnnotationData(Kind.NORMALIZATION, 0.5, n + 1, database="uniprot", identifier=f"P{n:05}", taxon=9606)
        for n in range(ROWS // 2)
    ]
    store_results_superseding_earlier(article, producer, {Kind.MENTION: mentions, Kind.NORMALIZATION: genes})
    flat = ", ".join(f'"{name}"' for name in ANNOTATION_ROW_FIELDS if name not in ("spans", "curies", "detail"))
    sizes = []
    with connection.cursor() as cursor:
        for columns in (f"id, result_id, {flat}", f"id, result_id, {flat}, spans, curies, detail"):
            cursor.execute(f"CREATE TEMP TABLE copy ON COMMIT DROP AS SELECT {columns} FROM annotations_annotation")
            cursor.execute("SELECT count(*), pg_table_size('copy') FROM copy")
            sizes.append(cursor.fetchone())
            cursor.execute("DROP TABLE copy")
    (rows, before), (_, after) = sizes
    assert rows == ROWS
    assert after <= 1.01 * before
