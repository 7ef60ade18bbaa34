"""Results as lines of JSON: annotations of every kind, and the lines of archives that are older than open kinds."""

import json
from datetime import UTC, datetime

from hypothesis import given

from annotations.schema import AnnotationData, Kind
from evaluation.archives.result_lines import build_result_record_document, parse_result_records
from evaluation.scoring.result_records import ResultRecord
from tests.drawn_annotations import ANNOTATIONS

RECEIVED = datetime(2026, 3, 2, 9, tzinfo=UTC)


@given(ANNOTATIONS)
def test_it_reads_every_annotation_that_it_writes(annotation):
    record = ResultRecord("PMID1", RECEIVED, None, "", [annotation])
    line = json.dumps(build_result_record_document(record), allow_nan=False)
    assert parse_result_records(iter([json.loads(line)]), annotation.kind) == [record]


def test_lines_of_the_seven_kinds_have_no_new_members():
    pair = AnnotationData(Kind.PAIR, 0.5, database="uniprot", identifier="P12830", partner="P35222")
    document = build_result_record_document(ResultRecord("PMID1", RECEIVED, 1.5, "", [pair]))
    assert document["findings"] == [
        {"confidence": 0.5, "database": "uniprot", "identifier": "P12830", "partner": "P35222"}
    ]
