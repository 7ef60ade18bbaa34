"""Mentions as a curator sees them: those of one text and type are one row, on which is decided at once."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Count, Exists, F, Max, Min, OuterRef, QuerySet

from annotations.curation.models import Candidate, Curation, DecidedItem
from annotations.curation.states import ItemKind, ItemState
from bcms.curation.item_rows import ItemPage, ItemRow, cut_page, list_items, list_taken_over, name_basis
from bcms.curation.mentions.other_organisms import (
    TEXT_COLUMN,
    TYPE_COLUMN,
    MentionGroup,
    find_groups_of_other_organisms,
)
from bcms.lib.text import strip_case_spaces_and_dashes


@dataclass(frozen=True, slots=True)
class KnownMentions:
    """The mentions of one text and type; the fields are those of ItemRow."""

    text: str
    count: int
    producers: int = 0
    confidence: float | None = None
    sources: Sequence[str] = ()


# Its key, the numbers of its decided mentions by state, and what is known of it.
GroupedMentions = tuple[MentionGroup, Mapping[str, int], KnownMentions]


def load_mention_page(curation: Curation, chosen_taxa: Sequence[int], page: int) -> ItemPage:
    """A page of the mentions, those of one text and type as one row: 2 queries, 5 if organisms are chosen.

    They have the order of the candidates; those of organisms that were not chosen come last.
    """
    candidates, decided = _list_mentions(curation)
    others = find_groups_of_other_organisms(candidates, decided, chosen_taxa)
    known = sorted(_group_mentions(candidates, decided), key=lambda group: group[0] in others)
    wanted = cut_page(known, page)
    return ItemPage(_build_mention_rows(curation, wanted, others), len(known))


def load_group_rows(curation: Curation, chosen_taxa: Sequence[int], key: str) -> Sequence[ItemRow]:
    """The row of one group, as load_mention_page has it, without reading other candidates; empty if there is none."""
    text, _, entity_type = key.partition("\t")
    proposed, same = list_mentions_of_group(curation, text, entity_type)
    others = find_groups_of_other_organisms(proposed, same, chosen_taxa)
    return _build_mention_rows(curation, _group_mentions(proposed, same), others)


def _list_mentions(curation: Curation) -> tuple[QuerySet[Candidate], QuerySet[DecidedItem]]:
    """What is proposed and what is decided, both in their order.

    A mention that the curator gave another type is among those decided only, as it is of another group now.
    """
    candidates, decided = list_items(curation, ItemKind.MENTION)
    same = decided.order_by().filter(key=OuterRef("key"))
    moved = same.annotate(given_type=TYPE_COLUMN).exclude(given_type=OuterRef("proposed_type"))
    return candidates.annotate(proposed_type=TYPE_COLUMN).exclude(Exists(moved)), decided


def list_mentions_of_group(
    curation: Curation, folded_text: str, entity_type: str
) -> tuple[QuerySet[Candidate], QuerySet[DecidedItem]]:
    """What is proposed and what is decided of one group, as _list_mentions has it: 2 queries.

    What is decided may be thousands of mentions, of which the texts are compared here.
    """
    candidates, decided = list_items(curation, ItemKind.MENTION)
    proposed = candidates.filter(group=folded_text, content__row__5=entity_type)
    decided_keys = decided.order_by().filter(key__in=proposed.order_by().values("key"))
    moved = list(decided_keys.exclude(content__row__5=entity_type).values_list("key", flat=True))
    of_type = decided.filter(content__row__5=entity_type).annotate(mention_text=TEXT_COLUMN)
    texts = of_type.order_by().values_list("mention_text", flat=True).distinct()
    same = [text for text in texts if strip_case_spaces_and_dashes(text) == folded_text]
    return (proposed.exclude(key__in=moved) if moved else proposed), of_type.filter(mention_text__in=same)


def _group_mentions(candidates: QuerySet[Candidate], decided: QuerySet[DecidedItem]) -> list[GroupedMentions]:
    """The groups of these mentions in the order of their list: 2 queries."""
    states, mentions = _count_decided_mentions(decided)
    groups = candidates.values("group", entity_type=TYPE_COLUMN).annotate(
        words=Min(TEXT_COLUMN),
        number=Count("pk"),
        best=Max("confidence"),
        first=Min("position"),
        voters=Max(F("producers__len")),
    )
    proposed = {
        (each["group"], each["entity_type"]): KnownMentions(
            each["words"], each["number"], each["voters"] or 0, each["best"]
        )
        for each in groups.order_by("first")
    }
    added = {key: known for key, known in mentions.items() if key not in proposed}
    return [(key, states.get(key, {}), known) for key, known in (*added.items(), *proposed.items())]


def _build_mention_rows(
    curation: Curation, groups: Iterable[GroupedMentions], of_other_organisms: Collection[MentionGroup]
) -> list[ItemRow]:
    taken_over = _list_taken_over_groups(curation) if curation.basis_id else set()
    rows = [replace(_build_mention_row(*group), other_organism=group[0] in of_other_organisms) for group in groups]
    return name_basis(rows, curation, taken_over)


def _list_taken_over_groups(curation: Curation) -> set[str]:
    rows = list_taken_over(curation, ItemKind.MENTION).values_list(TEXT_COLUMN, TYPE_COLUMN)
    return {format_group_key(strip_case_spaces_and_dashes(text), entity_type) for text, entity_type in rows}


def _count_decided_mentions(
    decided: QuerySet[DecidedItem],
) -> tuple[dict[MentionGroup, dict[str, int]], dict[MentionGroup, KnownMentions]]:
    """The number of decided mentions by group and state, and what is known of each group, those decided first before
    others: 1 query.
    """
    states: dict[MentionGroup, dict[str, int]] = {}
    mentions: dict[MentionGroup, KnownMentions] = {}
    columns = (TEXT_COLUMN, TYPE_COLUMN, "state", "content__sources")
    rows = decided.values_list(*columns).annotate(number=Count("pk"), first=Min("pk"))
    for text, entity_type, state, given, number, _ in rows.order_by("first"):
        key = (strip_case_spaces_and_dashes(text), entity_type)
        numbers = states.setdefault(key, {})
        numbers[state] = numbers.get(state, 0) + number
        known = mentions.get(key, KnownMentions(text, 0))
        sources = dict.fromkeys((*known.sources, *(source["name"] for source in given or ())))
        mentions[key] = replace(known, count=known.count + number, sources=tuple(sources))
    return states, mentions


def _build_mention_row(key: MentionGroup, states: Mapping[str, int], mentions: KnownMentions) -> ItemRow:
    return ItemRow(
        ItemKind.MENTION,
        format_group_key(*key),
        mentions.text,
        type=key[1],
        count=mentions.count,
        producers=mentions.producers,
        confidence=mentions.confidence,
        state=_summarize_states(states, mentions.count),
        added=not mentions.producers,
        sources=mentions.sources,
    )


def format_group_key(group: str, entity_type: str) -> str:
    """What names all mentions of one text and type in forms."""
    return f"{group}\t{entity_type}"


def _summarize_states(numbers: Mapping[str, int], total: int) -> str:
    """The state of all mentions of a group; "" while any is not decided, or they were decided differently."""
    return next((state for state in ItemState if numbers.get(state, 0) >= total), "")
