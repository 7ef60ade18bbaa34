"""brat: a zip archive with a text and its standoff annotations for each article, and a configuration with all types.

`T` lines are mentions; one whose text has a line break is written as fragments, as brat demands. Types keep letters,
digits, `-` and `_`. Notes (`#`) tell who says it and all the rest, as JSON; what is said of the article as a whole is a
note of the `Article`, its first line of text. Positions count code points. Source: https://brat.nlplab.org/standoff.html
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from annotations.formats.archives import Archive
from annotations.formats.collected import AnnotatedArticle, NamedProducer, Statement, said_in
from annotations.kinds import Finding, Kind

ARTICLE = "Article"
UNTYPED = "Mention"
NOT_IN_A_TYPE = re.compile(r"[^A-Za-z0-9_-]+")
LINE = re.compile(r"[^\n]+")


def write_brat(articles: Iterable[AnnotatedArticle]) -> Iterator[bytes]:
    """The archive in pieces; in memory stay the names of its files and of the types."""
    archive, types = Archive(), dict.fromkeys((ARTICLE,))
    for article in articles:
        types |= dict.fromkeys(brat_type(found) for _, found in article.of_kind(Kind.MENTION))
        archive.add(article.id, "txt", article.text)
        archive.add(article.id, "ann", "".join(f"{line}\n" for line in standoff_of(article)))
        yield archive.taken()
    archive.add("annotation", "conf", configuration(types))
    yield archive.finished()


def configuration(types: Iterable[str]) -> str:
    sections = {"entities": types, "relations": (), "events": (), "attributes": ()}
    return "".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())


def standoff_of(article: AnnotatedArticle) -> Iterator[str]:
    """The lines of an .ann file, without their ends."""
    notes = count(1)
    # A text that is stored has a character that is not blank, so it has a first line.
    first = LINE.search(article.text)
    begin, end = first.span() if first else (0, 0)
    yield f"T1\t{ARTICLE} {begin} {end}\t{article.text[begin:end]}"
    for number, (producer, found) in enumerate(article.of_kind(Kind.MENTION), 2):
        if lines := lines_of(found, article.text):
            yield mention_line(f"T{number}", found, article.text, lines)
            yield note(next(notes), f"T{number}", producer, found)
    for statement in article.statements:
        yield from notes_of(statement, notes)


def lines_of(found: Finding, text: str) -> list[tuple[int, int]]:
    """Where the parts of a mention start and end that stand in one line each; none of one that is line breaks alone."""
    return [match.span() for match in LINE.finditer(text, found.start or 0, found.end or 0)]


def mention_line(name: str, found: Finding, text: str, lines: Sequence[tuple[int, int]]) -> str:
    places = ";".join(f"{start} {end}" for start, end in lines)
    return f"{name}\t{brat_type(found)} {places}\t{' '.join(text[start:end] for start, end in lines)}"


def notes_of(statement: Statement, numbers: Iterator[int]) -> Iterator[str]:
    """What a statement says of the article as a whole; that nothing was found, too."""
    if not statement.findings:
        yield f"#{next(numbers)}\tAnnotatorNotes T1\t{told(statement.producer, statement.kind)}"
    elif statement.kind is not Kind.MENTION:
        for found in statement.findings:
            yield note(next(numbers), "T1", statement.producer, found)


def note(number: int, subject: str, producer: NamedProducer, found: Finding) -> str:
    return f"#{number}\tAnnotatorNotes {subject}\t{told(producer, found.kind, found)}"


def told(producer: NamedProducer, kind: Kind, found: Finding | None = None) -> str:
    """One line of JSON: its line breaks and tabs are escaped."""
    by = producer.told() | {"kind": kind.value}
    return json.dumps(by | (dict(said_in(found)) if found else {"found": "nothing"}), ensure_ascii=False)


def brat_type(found: Finding) -> str:
    """The type of a mention in the letters that brat allows."""
    return NOT_IN_A_TYPE.sub("_", found.type).strip("_") or UNTYPED
