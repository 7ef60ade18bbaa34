"""The panel of the chosen mention: its possible meanings, the servers that mark it, and the sentences that name it."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from annotations.identifiers.name_links import NameLink
from annotations.identifiers.queries import EntryDescription
from annotations.results.heat_map import MentionParts, split_text_at_span_edges_and_breaks
from annotations.schema import AnnotationData, Kind
from bcms.article_page.collated_article import CollatedArticle
from bcms.article_page.collation.collated_annotations import REPORTING_KINDS, MentionSentence
from bcms.article_page.mention_links import EntryKey, MentionLinks
from bcms.article_page.open_annotations.entity_types import format_type_names
from bcms.article_page.server_status import AnnotationSource
from bcms.article_page.template_data import (
    MentionMeaning,
    MentionPanel,
    NearbyMention,
    SentenceExcerpt,
    group_meanings_by_gene,
)
from bcms.article_page.text.marked_text import (
    Highlight,
    MarkedMentions,
    format_parts,
    render_pieces_without_links,
    split_into_pieces,
)

MOST_NEIGHBOURS = 10
MOST_COMPANIONS = 12
MOST_SENTENCES = 50
# The kinds of name that link a mention to an entry, the best first.
NAME_KINDS = ("symbol", "name", "synonym")
# Why an entry is a meaning of a mention if some server says so.
GIVEN_LINK = "link"
NO_DESCRIPTION = EntryDescription()


def build_mention_panel(
    reading: CollatedArticle, description_by_entry: Mapping[EntryKey, EntryDescription]
) -> MentionPanel | None:
    """The panel of the chosen mention; None if none is chosen, or nothing is marked there."""
    chosen = reading.chosen_mention
    if chosen is None:
        return None
    links = reading.mention_links
    chosen_names = links.find_equivalent_names(chosen)
    beside = reading.choice.beside if reading.choice.beside and links.has_mention(reading.choice.beside) else None
    beside_names = links.find_equivalent_names(beside) if beside else frozenset()
    naming = [each for each in reading.collated.sentences if not chosen_names.isdisjoint(each.name_keys)]
    listed = [each for each in naming if not beside_names or not beside_names.isdisjoint(each.name_keys)]
    given_types, sources = _find_type_and_sources(reading, chosen)
    reporting = _list_reporting_producers(reading)
    meanings = _list_mention_meanings(reading, chosen, reporting, description_by_entry)
    companions = _list_companion_mentions(links, naming, chosen_names, beside_names)
    return MentionPanel(
        text=links.get_mention_text(chosen),
        sources=sources,
        total=reading.count_servers(Kind.MENTION),
        given_types=given_types,
        votes=[
            reading.build_vote_line(producer, annotation, _format_answer(reading, producer, annotation))
            for producer, annotation in reading.collated.mentions_by_parts[chosen]
        ],
        own_sentence=_build_own_sentence(reading, chosen),
        meanings=meanings,
        neighbours=[
            NearbyMention(links.get_mention_text(near), format_parts(near))
            for near in _list_overlapping_mentions(links.mentions, chosen)
        ],
        companions=companions,
        companion_meanings=_list_companion_meanings(reading, companions, meanings, reporting),
        beside=links.get_mention_text(beside) if beside else "",
        excerpts=[_build_sentence_excerpt(links, each, chosen_names, beside_names) for each in listed[:MOST_SENTENCES]],
        sentences=len(listed),
    )


def _find_type_and_sources(reading: CollatedArticle, chosen: MentionParts) -> tuple[list[str], list[AnnotationSource]]:
    """The types that servers give the mention, as they are spelled, and the servers that mark it."""
    mentions = reading.collated.mentions_by_parts[chosen]
    producers = dict.fromkeys(producer for producer, _ in mentions)
    results = reading.results_by_kind[Kind.MENTION]
    given_types = reading.collated.list_given_types([annotation for _, annotation in mentions])
    return given_types, [results[producer].source for producer in producers]


def _format_answer(reading: CollatedArticle, producer: int, annotation: AnnotationData) -> str:
    """What the server says of the mention: its type and identifiers, and those it reported where they were replaced."""
    identifiers = [f"{each.database} {each.identifier}" for each in reading.entry_names.list_references(annotation)]
    reported = reading.format_reported_identifiers(producer, annotation)
    types = format_type_names([annotation.type] if annotation.type else [])
    return ", ".join(filter(None, (types, *identifiers, reported)))


def _build_own_sentence(reading: CollatedArticle, chosen: MentionParts) -> SentenceExcerpt | None:
    """The sentence that the mention begins in, with this mention highlighted and no other of its name."""
    sentences = reading.collated.sentences
    place = bisect_left(sentences, chosen[0][0] + 1, key=lambda each: each.sentence[0]) - 1
    if place < 0 or chosen not in sentences[place].mentions:
        return None
    names = frozenset({reading.mention_links.get_name_key(chosen)})
    alone = replace(sentences[place], mentions=[chosen])
    return _build_sentence_excerpt(reading.mention_links, alone, names, frozenset())


def _list_overlapping_mentions(mentions: Sequence[MentionParts], chosen: MentionParts) -> list[MentionParts]:
    """Other mentions that share a character with the chosen one."""
    before = bisect_left(mentions, ((chosen[-1][1], 0),))
    return [each for each in mentions[:before] if each != chosen and _overlap(each, chosen)][:MOST_NEIGHBOURS]


def _overlap(one: MentionParts, other: MentionParts) -> bool:
    return any(start < other_end and other_start < end for start, end in one for other_start, other_end in other)


# Meanings


def _list_mention_meanings(
    reading: CollatedArticle,
    mention: MentionParts,
    producers: Mapping[EntryKey, Collection[int]],
    descriptions: Mapping[EntryKey, EntryDescription],
) -> list[MentionMeaning]:
    """The entries that the mention may refer to, those that servers link to it first, then those with a name like it.

    Both are ordered by the number of servers that report them, then by name. producers: those that report each entry
    for the article as a whole.
    """
    linking: dict[EntryKey, set[int]] = defaultdict(set)
    for producer, annotation in reading.collated.mentions_by_parts[mention]:
        for entity_id in annotation.identifiers:
            linking[entity_id].add(producer)
    text = reading.mention_links.get_mention_text(mention)
    links = sorted(
        reading.mention_links.links.list_links(text),
        key=lambda link: (
            -len(producers.get((link.entry.database, link.entry.identifier), ())),
            link.spelling != text,
            NAME_KINDS.index(link.because),
        ),
    )
    given = [
        NameLink(entry, GIVEN_LINK, text)
        for entry in reading.mention_links.given_links.get(mention, ())
        if (entry.database, entry.identifier) in linking
    ]
    given.sort(key=lambda link: -len(linking[link.entry.database, link.entry.identifier]))
    named = [link for link in links if (link.entry.database, link.entry.identifier) not in linking]
    return [_build_mention_meaning(reading, link, producers, linking, descriptions) for link in (*given, *named)]


def _list_reporting_producers(reading: CollatedArticle) -> dict[EntryKey, set[int]]:
    """The servers that report each entry for the article as a whole."""
    producers: dict[EntryKey, set[int]] = defaultdict(set)
    for kind in REPORTING_KINDS:
        for producer, a in reading.collated.iter_annotations(kind):
            producers[a.database, a.identifier].add(producer)
    return producers


def _list_companion_meanings(
    reading: CollatedArticle,
    companions: Sequence[NearbyMention],
    meanings: Sequence[MentionMeaning],
    producers: Mapping[EntryKey, Collection[int]],
) -> list[MentionMeaning]:
    """What each companion of a mention with these meanings most likely refers to, each gene once."""
    genes = {meaning.gene for meaning in meanings}
    listed = []
    for companion in companions:
        own = _list_mention_meanings(reading, parse_parts(companion.mention), producers, {})
        likeliest = group_meanings_by_gene(own)[0].meanings[0] if own else None
        if likeliest and likeliest.gene not in genes:
            genes.add(likeliest.gene)
            listed.append(likeliest)
    return listed


def _build_mention_meaning(
    reading: CollatedArticle,
    link: NameLink,
    producers: Mapping[EntryKey, Collection[int]],
    linking: Mapping[EntryKey, Collection[int]],
    descriptions: Mapping[EntryKey, EntryDescription],
) -> MentionMeaning:
    entry, key = link.entry, (link.entry.database, link.entry.identifier)
    description = descriptions.get(key, NO_DESCRIPTION)
    given = key in linking
    return MentionMeaning(
        key=key,
        gene=entry.gene,
        reference=reading.entry_names.build_reference(*key),
        because=link.because,
        spelling=link.spelling,
        producers=frozenset(linking[key] if given else producers.get(key, ())),
        total=reading.count_servers(*((Kind.MENTION,) if given else REPORTING_KINDS)),
        synonyms=entry.synonyms,
        location=description.location,
        function=description.function,
        mentions=reading.collated.count_linked_mentions(key) if given else 0,
    )


# Sentences


def _list_companion_mentions(
    links: MentionLinks,
    sentences: Sequence[MentionSentence],
    chosen_names: frozenset[str],
    beside_names: frozenset[str],
) -> list[NearbyMention]:
    """The mentions in the same sentences, the most frequent first; names of one entry count as one.

    Mentions that share a character with the chosen one do not count.
    """
    first_by_name: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for sentence in sentences:
        chosen = [each for each in sentence.mentions if links.get_name_key(each) in chosen_names]
        apart = (each for each in sentence.mentions if not any(_overlap(each, near) for near in chosen))
        names = {links.get_name_key(each) for each in apart}
        for name in names:
            first_by_name.setdefault(
                name, links.format_first_mention(links.find_equivalent_names(links.first_mentions[name]))
            )
        counts.update({first_by_name[name] for name in names})
    beside = links.format_first_mention(beside_names)
    ordered = sorted(counts, key=lambda first: (first != beside, -counts[first], parse_parts(first)))
    return [
        NearbyMention(links.get_mention_text(parse_parts(first)), first, counts[first], first == beside)
        for first in ordered[:MOST_COMPANIONS]
    ]


def parse_parts(text: str) -> MentionParts:
    """The mention that format_parts wrote."""
    edges = [part.split("-") for part in text.split(".")]
    return tuple([(int(start), int(end)) for start, end in edges])


def _build_sentence_excerpt(
    links: MentionLinks, sentence: MentionSentence, chosen_names: frozenset[str], beside_names: frozenset[str]
) -> SentenceExcerpt:
    """The sentence as HTML, with the mentions of these names highlighted."""
    begin, end = sentence.sentence
    text = links.text[begin:end]
    # A part of a mention may stand behind the end of the sentence.
    within = [
        tuple([(start - begin, min(stop, end) - begin) for start, stop in mention if start < end])
        for mention in sentence.mentions
    ]
    pieces = split_into_pieces(
        text,
        split_text_at_span_edges_and_breaks(text, {1: [part for mention in within for part in mention]}),
        1,
        Highlight(chosen_names | beside_names),
        MarkedMentions(within),
    )
    first = next(mention for mention in sentence.mentions if links.get_name_key(mention) in chosen_names)
    return SentenceExcerpt(sentence.sentence, render_pieces_without_links(pieces), format_parts(first))
