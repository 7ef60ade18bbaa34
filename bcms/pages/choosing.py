"""What the page shows of a chosen mention: what it may mean, who marks it, and every sentence that tells of it."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from annotations.collation import Link, Span, segments
from annotations.kinds import Kind
from annotations.querysets import Description
from annotations.sentences import sentences
from bcms.pages.awaited import Source
from bcms.pages.marking import Marked, html_of_sentence, pieces_of, span_key
from bcms.pages.parts import Chosen, Meaning, Neighbour, Told
from bcms.pages.reading import Reading
from bcms.pages.words import Words

MOST_NEIGHBOURS = 10
MOST_COMPANIONS = 12
MOST_SENTENCES = 50
MOST_SYNONYMS = 8
BECAUSE = ("symbol", "name", "synonym")
UNKNOWN = Description()


@dataclass(frozen=True, slots=True)
class Heard:
    """A sentence and the mentions that begin in it, in the order of the text."""

    sentence: Span
    mentions: Sequence[Span]

    def names(self, words: Words, some: frozenset[str]) -> list[Span]:
        return [span for span in self.mentions if words.key_of(span) in some]


def choose(reading: Reading, descriptions: Mapping[tuple[str, str], Description]) -> Chosen | None:
    """What is shown of the chosen mention; None when none is chosen, or none that is marked."""
    span = reading.chosen_span
    if span is None:
        return None
    words = reading.words
    own = words.meaning_the_same(span)
    beside = reading.choice.beside if reading.choice.beside and words.has(reading.choice.beside) else None
    other = words.meaning_the_same(beside) if beside else frozenset()
    naming = [each for each in sentences_of(reading) if each.names(words, own)]
    told = [each for each in naming if not other or each.names(words, other)]
    types, sources = marking(reading, span)
    return Chosen(
        text=words.text_of(span),
        sources=sources,
        total=reading.total(Kind.MENTION),
        types=types,
        meanings=meanings(reading, span, descriptions),
        neighbours=[Neighbour(words.text_of(near), span_key(near)) for near in neighbours(words.spans, span)],
        companions=companions(words, naming, own, other),
        beside=words.text_of(beside) if beside else "",
        told=[tell(words, each, own, other) for each in told[:MOST_SENTENCES]],
        sentences=len(told),
    )


def marking(reading: Reading, span: Span) -> tuple[str, list[Source]]:
    """What type the mention is said to be, and who marks it."""
    found = [(producer, f) for producer, f in reading.findings(Kind.MENTION) if (f.start, f.end) == span]
    producers = dict.fromkeys(producer for producer, _ in found)
    said = reading.by_kind[Kind.MENTION]
    return next((f.type for _, f in found if f.type), ""), [said[producer].source for producer in producers]


def neighbours(spans: Sequence[Span], chosen: Span) -> list[Span]:
    """Other mentions that share a character with the chosen one."""
    start, end = chosen
    before = bisect_left(spans, (end, 0))
    return [span for span in spans[:before] if span != chosen and start < span[1]][:MOST_NEIGHBOURS]


# What it means


def meanings(reading: Reading, span: Span, descriptions: Mapping[tuple[str, str], Description]) -> list[Meaning]:
    """The entries that the mention may mean, the likeliest first: what most servers report, then the better name."""
    said = {
        (producer, finding.database, finding.identifier) for producer, finding in reading.findings(Kind.NORMALIZATION)
    }
    counts = Counter((database, identifier) for _, database, identifier in said)
    text = reading.words.text_of(span)
    links = sorted(
        reading.words.links.of(text),
        key=lambda link: (
            -counts[link.entry.database, link.entry.identifier],
            link.spelling != text,
            BECAUSE.index(link.because),
        ),
    )
    return [meaning(reading, link, counts, descriptions) for link in links]


def meaning(
    reading: Reading,
    link: Link,
    counts: Mapping[tuple[str, str], int],
    descriptions: Mapping[tuple[str, str], Description],
) -> Meaning:
    entry, key = link.entry, (link.entry.database, link.entry.identifier)
    description = descriptions.get(key, UNKNOWN)
    return Meaning(
        key=key,
        reference=reading.naming.reference(*key),
        because=link.because,
        spelling=link.spelling,
        count=counts[key],
        total=reading.total(Kind.NORMALIZATION),
        synonyms=entry.synonyms[:MOST_SYNONYMS],
        more_synonyms=max(0, len(entry.synonyms) - MOST_SYNONYMS),
        location=description.location,
        function=description.function,
    )


# What is told of it


def sentences_of(reading: Reading) -> list[Heard]:
    """Every sentence of the article with its mentions."""
    passages = [str(passage["text"]) for passage in reading.article.passages]
    starts = accumulate((len(text) + 1 for text in passages), initial=0)
    spans = reading.words.spans
    found = []
    for offset, text in zip(starts, passages, strict=False):
        for start, end in sentences(text):
            sentence = (offset + start, offset + end)
            mentions = spans[bisect_left(spans, (sentence[0], 0)) : bisect_left(spans, (sentence[1], 0))]
            found.append(Heard(sentence, mentions))
    return found


def companions(words: Words, naming: Sequence[Heard], own: frozenset[str], other: frozenset[str]) -> list[Neighbour]:
    """What is named in the same sentences, the most frequent first; names of one entry count as one.

    What shares a character with the chosen one is not beside it.
    """
    same: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for each in naming:
        chosen = each.names(words, own)
        apart = (span for span in each.mentions if not any(near[0] < span[1] and span[0] < near[1] for near in chosen))
        keys = {words.key_of(span) for span in apart}
        for key in keys:
            same.setdefault(key, words.first_of(words.meaning_the_same(words.first[key])))
        counts.update({same[key] for key in keys})
    beside = words.first_of(other)
    shown = sorted(counts, key=lambda first: (first != beside, -counts[first], int(first.partition("-")[0])))
    return [
        Neighbour(words.text_of(span_of(first)), first, counts[first], first == beside)
        for first in shown[:MOST_COMPANIONS]
    ]


def span_of(key: str) -> Span:
    start, _, end = key.partition("-")
    return int(start), int(end)


def tell(words: Words, each: Heard, own: frozenset[str], other: frozenset[str]) -> Told:
    """The sentence in pieces, with what is chosen marked as such."""
    begin, end = each.sentence
    text = words.text[begin:end]
    within = [(start - begin, min(stop, end) - begin) for start, stop in each.mentions]
    pieces = pieces_of(text, segments(text, {0: within}), 1, Marked(own | other))
    return Told(each.sentence, html_of_sentence(pieces), span_key(each.names(words, own)[0]))
