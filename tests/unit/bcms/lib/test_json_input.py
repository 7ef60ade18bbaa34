"""JSON from outside: what is accepted, and the sentence for everything else."""

import tracemalloc

import pytest

from bcms.lib.json_input import MOST_NESTING, JsonInputError, parse_bounded_json


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'\xef\xbb\xbf{"a": [1, 2.5, null, true, "\xc3\xa9"]}', {"a": [1, 2.5, None, True, "é"]}),
        (rb'"\ud83d\ude00"', "😀"),
        (rb'"\\u0000"', r"\u0000"),
        (b"[" * MOST_NESTING + b"]" * MOST_NESTING, None),
        (b"[" + b"[]," * 500 + b"0]", None),
    ],
)
def test_it_reads_json(body, value):
    parsed = parse_bounded_json(body)
    assert value is None or parsed == value


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "This is not JSON: Expecting value in line 1, column 1."),
        (b'{"a": 1,}', "This is not JSON: "),
        (b'"\xff"', "The JSON is not in UTF-8: byte 2 is wrong."),
        (b"[NaN]", "NaN is not a number in JSON; send null or omit the value."),
        (b"-Infinity", "-Infinity is not a number in JSON"),
        (b"9" * 5000, "The JSON has a number with too many digits."),
        (b"[" * 100_000, "The JSON is nested more than 64 levels deep."),
        (b'{"a":' * 100_000, "The JSON is nested more than 64 levels deep."),
        (b"[" * 65 + b"]" * 65, "The JSON is nested more than 64 levels deep."),
        (rb'{"a": [1, {"b": "x\u0000"}]}', "The string at a[1].b contains the character U+0000; remove it."),
        (rb'["\ud800"]', "The string at [0] contains the character U+D800; remove it."),
        (rb'"\udfff"', "The string at the value contains the character U+DFFF; remove it."),
        (rb'{"a\u0000": 1}', "The string at the name ? contains the character U+0000; remove it."),
        (b'"a\0"', "This is not JSON: Invalid control character at in line 1, column 3."),
    ],
)
def test_it_says_why_it_refuses(body, message):
    with pytest.raises(JsonInputError) as caught:
        parse_bounded_json(body)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("body", [b"[" + b"{}," * 100_000 + b"0]", rb'["\ud83d\ude00"' + b",[0]" * 100_000 + b"]"])
def test_checking_a_value_takes_little_memory_besides_it(body):
    tracemalloc.start()
    try:
        value = parse_bounded_json(body)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(value) > 100_000 and peak < 1.5 * kept
