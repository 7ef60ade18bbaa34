"""A YAML file of a user becomes values that know their lines; what YAML can do beyond JSON is refused."""

import json

import pytest

from bcms.challenge_definitions.yaml_reader import MOST_YAML_BYTES, YamlError, read_yaml

TEXT = b"""# A challenge
name: no
closes: 2027-06-30T22:00:00Z
version: 1.10
whole: 08
tasks:
  - name: ACT
    further: [mcc, f1]
    note: |
      Two lines
      of text
  - {name: GN, title: null, several: true}
"""


def test_it_knows_the_scalars_of_json_only():
    assert read_yaml(TEXT).content == {
        "name": "no",
        "closes": "2027-06-30T22:00:00Z",
        "version": 1.1,
        "whole": "08",
        "tasks": [
            {"name": "ACT", "further": ["mcc", "f1"], "note": "Two lines\nof text\n"},
            {"name": "GN", "title": None, "several": True},
        ],
    }


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("", 2),
        ("name", 2),
        ("tasks", 6),
        ("tasks.0", 7),
        ("tasks.0.further.1", 8),
        ("tasks.1.title", 12),
        ("tasks.0.kind", 7),
        ("phases.2.sort", 2),
    ],
)
def test_it_finds_the_line_of_a_value_or_of_what_it_would_be_in(path, line):
    assert read_yaml(TEXT).find_line(path) == line


def test_json_is_yaml():
    assert read_yaml(b'{"name": "A",\n"numbers": [1, -2.5, null, false]}').content == {
        "name": "A",
        "numbers": [1, -2.5, None, False],
    }


@pytest.mark.parametrize(
    ("escaped", "text"),
    [
        (r"\ud83d\ude00\uD83E\uDDEC", "😀🧬"),
        (r"\\ud83d\\ude00", r"\ud83d\ude00"),
        (r"\\\ud83d\ude00", "\\😀"),
    ],
)
def test_json_escapes_characters_by_their_halves(escaped, text):
    assert read_yaml(f'{{"name": "{escaped}"}}'.encode()).content == json.loads(f'{{"name": "{escaped}"}}')
    assert read_yaml(f'\ufeff\n{{"name": "{escaped}"}}'.encode()).content == {"name": text}


@pytest.mark.parametrize(
    ("content", "message", "line"),
    [
        (b"a: &x 1\nb: 2", "Anchors", 1),
        (b"a: 1\nb: *x", "Anchors", 2),
        (b"a: !!python/object:os.system {}", "Tags", 1),
        (b"a: 1\nb: !!str 2", "Tags", 2),
        (b"a: 1\n---\nb: 2", "two documents", 2),
        (b"a: 1\na: 2", "twice", 2),
        (b"? [1, 2]\n: 3", "Write text before the colon", 1),
        (b"a:\n  - b\n c: 1", "not YAML", 3),
        (b"[" * 100, "nested", 1),
        (b"[" * 200_000, "nested", 1),
        (b"a: \xff", "a character that YAML does not allow", 1),
        ("a: é\nb: 1\nc: x\x0bx\n".encode(), "a character that YAML does not allow", 3),
        (b'{"a":\n"\\ud83d"}', "not YAML", 2),
        (b"a: \x00", "", 1),
        (b"a" * (MOST_YAML_BYTES + 1), "larger than 256 KiB", 1),
    ],
)
def test_it_refuses_the_rest_at_its_line(content, message, line):
    with pytest.raises(YamlError) as refused:
        read_yaml(content)
    assert message in str(refused.value)
    assert refused.value.line == line


@pytest.mark.parametrize("content", [b"", b"# nothing", b"null"])
def test_an_empty_file_has_no_content(content):
    assert read_yaml(content).content is None
