"""The panel of the chosen mention: its possible meanings, the servers that mark it, and the sentences that name it."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from annotations.articles.sentences import split_sentences
from annotations.identifiers.name_links import NameLink
from annotations.identifiers.queries import EntryDescription
from annotations.results.heat_map import MarkedRange, split_text_at_span_edges_and_breaks
from annotations.schema import Kind
from bcms.article_page.collated_article import CollatedArticle
from bcms.article_page.marked_text import Highlight, format_span, render_pieces_without_links, split_into_pieces
from bcms.article_page.mention_links import EntryKey, MentionLinks
from bcms.article_page.server_status import AnnotationSource
from bcms.article_page.template_data import MentionMeaning, MentionPanel, NearbyMention, SentenceExcerpt

MOST_NEIGHBOURS = 10
MOST_COMPANIONS = 12
MOST_SENTENCES = 50
# The kinds of name that link a mention to an entry, the best first.
NAME_KINDS = ("symbol", "name", "synonym")
NO_DESCRIPTION = EntryDescription()


@dataclass(frozen=True, slots=True)
class MentionSentence:
    """A sentence and the mentions that begin in it, in the order of the text."""

    sentence: MarkedRange
    mentions: Sequence[MarkedRange]

    def find_named_spans(self, mention_links: MentionLinks, name_keys: frozenset[str]) -> list[MarkedRange]:
        """The mentions in the sentence with one of these names."""
        return [span for span in self.mentions if mention_links.get_name_key(span) in name_keys]


def build_mention_panel(
    reading: CollatedArticle, description_by_entry: Mapping[EntryKey, EntryDescription]
) -> MentionPanel | None:
    """The panel of the chosen mention; None if none is chosen, or nothing is marked there."""
    span = reading.chosen_span
    if span is None:
        return None
    links = reading.mention_links
    chosen_names = links.find_equivalent_names(span)
    beside = reading.choice.beside if reading.choice.beside and links.has_span(reading.choice.beside) else None
    beside_names = links.find_equivalent_names(beside) if beside else frozenset()
    naming = [each for each in _list_mention_sentences(reading) if each.find_named_spans(links, chosen_names)]
    listed = [each for each in naming if not beside_names or each.find_named_spans(links, beside_names)]
    mention_type, sources = _find_type_and_sources(reading, span)
    return MentionPanel(
        text=links.get_span_text(span),
        sources=sources,
        total=reading.count_servers(Kind.MENTION),
        types=mention_type,
        meanings=_list_mention_meanings(reading, span, description_by_entry),
        neighbours=[
            NearbyMention(links.get_span_text(near), format_span(near))
            for near in _list_overlapping_mentions(links.spans, span)
        ],
        companions=_list_companion_mentions(links, naming, chosen_names, beside_names),
        beside=links.get_span_text(beside) if beside else "",
        excerpts=[_build_sentence_excerpt(links, each, chosen_names, beside_names) for each in listed[:MOST_SENTENCES]],
        sentences=len(listed),
    )


def _find_type_and_sources(reading: CollatedArticle, span: MarkedRange) -> tuple[str, list[AnnotationSource]]:
    """The first type that a server gives the mention, "" for none, and the servers that mark it."""
    mentions = [(producer, a) for producer, a in reading.iter_annotations(Kind.MENTION) if (a.start, a.end) == span]
    producers = dict.fromkeys(producer for producer, _ in mentions)
    results = reading.results_by_kind[Kind.MENTION]
    return next((a.type for _, a in mentions if a.type), ""), [results[producer].source for producer in producers]


def _list_overlapping_mentions(spans: Sequence[MarkedRange], chosen: MarkedRange) -> list[MarkedRange]:
    """Other mentions that share a character with the chosen one."""
    start, end = chosen
    before = bisect_left(spans, (end, 0))
    return [span for span in spans[:before] if span != chosen and start < span[1]][:MOST_NEIGHBOURS]


# Meanings


def _list_mention_meanings(
    reading: CollatedArticle, span: MarkedRange, descriptions: Mapping[EntryKey, EntryDescription]
) -> list[MentionMeaning]:
    """The entries that the mention may refer to, ordered by the number of servers that report them, then by name."""
    producers: dict[EntryKey, set[int]] = defaultdict(set)
    for producer, a in reading.iter_annotations(Kind.NORMALIZATION):
        producers[a.database, a.identifier].add(producer)
    text = reading.mention_links.get_span_text(span)
    links = sorted(
        reading.mention_links.links.list_links(text),
        key=lambda link: (
            -len(producers.get((link.entry.database, link.entry.identifier), ())),
            link.spelling != text,
            NAME_KINDS.index(link.because),
        ),
    )
    return [_build_mention_meaning(reading, link, producers, descriptions) for link in links]


def _build_mention_meaning(
    reading: CollatedArticle,
    link: NameLink,
    producers: Mapping[EntryKey, Collection[int]],
    descriptions: Mapping[EntryKey, EntryDescription],
) -> MentionMeaning:
    entry, key = link.entry, (link.entry.database, link.entry.identifier)
    description = descriptions.get(key, NO_DESCRIPTION)
    return MentionMeaning(
        key=key,
        gene=entry.gene,
        reference=reading.entry_names.build_reference(*key),
        because=link.because,
        spelling=link.spelling,
        producers=frozenset(producers.get(key, ())),
        total=reading.count_servers(Kind.NORMALIZATION),
        synonyms=entry.synonyms,
        location=description.location,
        function=description.function,
    )


# Sentences


def _list_mention_sentences(reading: CollatedArticle) -> list[MentionSentence]:
    """Every sentence of the article with its mentions."""
    passages = [str(passage["text"]) for passage in reading.article.passages]
    starts = accumulate((len(text) + 1 for text in passages), initial=0)
    spans = reading.mention_links.spans
    sentences = []
    for offset, text in zip(starts, passages, strict=False):
        for start, end in split_sentences(text):
            sentence = (offset + start, offset + end)
            mentions = spans[bisect_left(spans, (sentence[0], 0)) : bisect_left(spans, (sentence[1], 0))]
            sentences.append(MentionSentence(sentence, mentions))
    return sentences


def _list_companion_mentions(
    links: MentionLinks,
    sentences: Sequence[MentionSentence],
    chosen_names: frozenset[str],
    beside_names: frozenset[str],
) -> list[NearbyMention]:
    """The mentions in the same sentences, the most frequent first; names of one entry count as one.

    Mentions that share a character with the chosen one do not count.
    """
    first_span_by_name: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for sentence in sentences:
        chosen = sentence.find_named_spans(links, chosen_names)
        apart = (
            span for span in sentence.mentions if not any(near[0] < span[1] and span[0] < near[1] for near in chosen)
        )
        names = {links.get_name_key(span) for span in apart}
        for name in names:
            first_span_by_name.setdefault(
                name, links.format_first_span(links.find_equivalent_names(links.first_spans[name]))
            )
        counts.update({first_span_by_name[name] for name in names})
    beside = links.format_first_span(beside_names)
    ordered = sorted(counts, key=lambda first: (first != beside, -counts[first], int(first.partition("-")[0])))
    return [
        NearbyMention(links.get_span_text(parse_span(first)), first, counts[first], first == beside)
        for first in ordered[:MOST_COMPANIONS]
    ]


def parse_span(text: str) -> MarkedRange:
    """The span that format_span wrote."""
    start, _, end = text.partition("-")
    return int(start), int(end)


def _build_sentence_excerpt(
    links: MentionLinks, sentence: MentionSentence, chosen_names: frozenset[str], beside_names: frozenset[str]
) -> SentenceExcerpt:
    """The sentence as HTML, with the mentions of these names highlighted."""
    begin, end = sentence.sentence
    text = links.text[begin:end]
    within = [(start - begin, min(stop, end) - begin) for start, stop in sentence.mentions]
    pieces = split_into_pieces(
        text, split_text_at_span_edges_and_breaks(text, {0: within}), 1, Highlight(chosen_names | beside_names)
    )
    first_span = sentence.find_named_spans(links, chosen_names)[0]
    return SentenceExcerpt(sentence.sentence, render_pieces_without_links(pieces), format_span(first_span))
