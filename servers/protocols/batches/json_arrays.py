"""Several articles in one JSON message: an array of what is sent for each, answered by an array of their answers.

The answers may be in any order; each names its article. Each is then read as if it had come alone, so that a fault in
one does not touch the others.
"""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bcms.lib.text import clip_text_replacing_unprintable
from servers.calls.batches import batch_diagnosis
from servers.calls.errors import CallError
from servers.protocols.annotation_requests import AnnotationRequest
from servers.protocols.answer_fields import parse_integer_or_unreadable
from servers.protocols.batches.interface import AnswerPart, BatchAnswer
from servers.protocols.json_messages import parse_bounded_json_message
from servers.protocols.parsed_answers import ParsedAnswer

BETWEEN_ELEMENTS = " \t\n\r,"
LONGEST_NAME = 60


class ArrayElement(NamedTuple):
    """An element of an array, and its bytes as received."""

    value: object
    raw: bytes


def encode_json_array(encoded_elements: Sequence[bytes]) -> bytes:
    """A JSON array of elements that are JSON already."""
    return b"[" + b", ".join(encoded_elements) + b"]"


def parse_json_array(body: bytes) -> list[ArrayElement]:
    """The elements of a JSON array. Raises CallError for anything else."""
    if not isinstance(parse_bounded_json_message(body), list):
        raise batch_diagnosis.diagnose_answer_without_array()
    text = body.decode("utf-8-sig")
    decoder = json.JSONDecoder(parse_int=parse_integer_or_unreadable)
    elements, position = [], _skip_separators(text, text.index("[") + 1)
    while text[position] != "]":
        value, end = decoder.raw_decode(text, position)
        elements.append(ArrayElement(value, text[position:end].encode()))
        position = _skip_separators(text, end)
    return elements


def _skip_separators(text: str, position: int) -> int:
    while text[position] in BETWEEN_ELEMENTS:
        position += 1
    return position


def read_array_answers(
    body: bytes,
    questions: Sequence[AnnotationRequest],
    get_article_name: Callable[[object], str | None],
    parse_answer: Callable[[bytes, AnnotationRequest], ParsedAnswer],
) -> BatchAnswer:
    """The answer for each article in an array of answers, which may be in any order.

    get_article_name gives the id or PMID that an element names, None without any; parse_answer reads an element. An
    article that is missing or doubled has a CallError in place of its answer; one that was not sent is noted among the
    parts that are not stored. Raises CallError if the body is no array, or has no answer for any of the articles.
    """
    numbers = {name: number for number, question in enumerate(questions) for name in _list_names(question)}
    found: list[list[bytes]] = [[] for _ in questions]
    strangers: list[tuple[str, str]] = []
    for index, (value, raw) in enumerate(parse_json_array(body)):
        name = get_article_name(value)
        if name in numbers:
            found[numbers[name]].append(raw)
        else:
            strangers.append((f"[{index}]", clip_text_replacing_unprintable(name or "", LONGEST_NAME)))
    if not any(found):
        raise batch_diagnosis.diagnose_no_article_of_batch(len(questions), [name for _, name in strangers])
    answers = [
        _read_single_answer(question, raw, strangers, parse_answer)
        for question, raw in zip(questions, found, strict=True)
    ]
    _note_strangers(answers, strangers)
    return answers


def _list_names(question: AnnotationRequest) -> list[str]:
    return [question.identifier, *([str(question.pmid)] if question.pmid is not None else [])]


def _read_single_answer(
    question: AnnotationRequest,
    raw_answers: Sequence[bytes],
    strangers: Sequence[tuple[str, str]],
    parse_answer: Callable[[bytes, AnnotationRequest], ParsedAnswer],
) -> AnswerPart | CallError:
    """The answer for an article, which has to be the only one."""
    if not raw_answers:
        return batch_diagnosis.diagnose_missing_article(question.identifier, [name for _, name in strangers])
    if len(raw_answers) > 1:
        return batch_diagnosis.diagnose_repeated_article(question.identifier, len(raw_answers))
    try:
        return AnswerPart(parse_answer(raw_answers[0], question), raw_answers[0])
    except CallError as error:
        return error


def _note_strangers(answers: BatchAnswer, strangers: Sequence[tuple[str, str]]) -> None:
    """Add answers for articles that were not sent to the parts that are not stored, of the first readable answer."""
    first = next((answer for answer in answers if isinstance(answer, AnswerPart)), None)
    if first is None:
        return
    for where, name in strangers:
        reason = f"It is about article {name}, which was not sent." if name else "It does not name its article."
        first.parsed.omitted.add(f"{where} of the whole answer", reason)
