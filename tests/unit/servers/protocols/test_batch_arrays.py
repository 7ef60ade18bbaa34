"""The elements of an array of answers, byte for byte as they were received."""

import json

import pytest

from servers.calls.errors import CallError
from servers.protocols.batches.json_arrays import encode_json_array, parse_json_array


@pytest.mark.parametrize(
    "elements",
    [
        [],
        [b'{"id": "1]", "annotations": {"mention": [[1, 2]]}}'],
        [b'{"id":"\xc3\xa9, ]["}', b"[]", b"7", b'"\\u0041,"', b"null", b"-1.50e3"],
        [b"9" * 5000, b'{"a": {"b": "\\""}}'],
    ],
)
def test_it_cuts_an_array_into_its_elements(elements):
    for body in (encode_json_array(elements), b"\xef\xbb\xbf \n[ " + b"\t,\r\n ".join(elements) + b" ]\n"):
        assert [raw for _, raw in parse_json_array(body)] == elements


def test_it_gives_the_value_of_each_element():
    assert [value for value, _ in parse_json_array(b'[{"id": 1}, [2]]')] == [{"id": 1}, [2]]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"id": "1"}', "no-array"),
        (b"", "not-json"),
        (b'[{"id": "1"}', "cut-off"),
        (b"[1] 2", "not-json"),
        (json.dumps([[0] * 250_000]).encode(), "too-many-values"),
        (b"[" * 50 + b"]" * 50, "too-deep"),
        (b'["\xff"]', "wrong-encoding"),
    ],
)
def test_it_refuses_anything_else_with_a_diagnosis(body, code):
    with pytest.raises(CallError) as refused:
        parse_json_array(body)
    assert refused.value.diagnosis.code == code
