"""Which mentions name something of an organism that the curator did not choose."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import QuerySet
from django.db.models.fields.json import KT

from annotations.curation.models import Candidate, DecidedItem
from annotations.curation.projection import ORGANISM_DATABASE
from annotations.identifiers.queries import find_named_entries
from annotations.results.annotation_rows import parse_stored_curie
from annotations.schema import EntityId
from bcms.curation.item_rows import DATABASE_COLUMN, IDENTIFIER_COLUMN, is_of_other_organism
from bcms.lib.text import strip_case_spaces_and_dashes

# The text of a mention without case, spaces and dashes, and its type.
MentionGroup = tuple[str, str]
# The columns of an annotation's row that name a mention (annotations/results/annotation_rows.py).
TEXT_COLUMN, TYPE_COLUMN = KT("content__row__4"), KT("content__row__5")
# What the mentions of a group can be linked to: one entity, or the stored CURIEs of several.
LINK_COLUMNS = (TYPE_COLUMN, DATABASE_COLUMN, IDENTIFIER_COLUMN, "content__row__12")


def find_groups_of_other_organisms(
    candidates: QuerySet[Candidate], decided: QuerySet[DecidedItem], chosen_taxa: Collection[int]
) -> set[MentionGroup]:
    """The groups of mentions that are linked, but to nothing of the chosen organisms: 3 queries, none without these.

    Mentions that are linked to nothing, or to what has no known organism, are in none. What was decided of a mention
    counts in place of its candidate.
    """
    if not chosen_taxa:
        return set()
    links: dict[MentionGroup, set[EntityId]] = defaultdict(set)
    undecided = candidates.exclude(key__in=decided.order_by().values("key"))
    for items, text_column in ((undecided, "group"), (decided, TEXT_COLUMN)):
        rows = items.order_by().values_list(text_column, *LINK_COLUMNS).distinct()
        for text, entity_type, database, identifier, curies in rows:
            # Of the text of a group, nothing is left to strip.
            found = links[strip_case_spaces_and_dashes(text), entity_type]
            found.update(map(parse_stored_curie, curies or ()))
            if database:
                found.add(EntityId(database, identifier))
    taxa = _find_taxa({entity for entities in links.values() for entity in entities})
    return {
        group
        for group, entities in links.items()
        if is_of_other_organism({taxa[each] for each in entities if each in taxa}, chosen_taxa)
    }


def _find_taxa(entities: Iterable[EntityId]) -> dict[EntityId, int]:
    """The NCBI Taxonomy ids of organisms, and of entities whose organism is known: 1 query."""
    listed = list(entities)
    entries = find_named_entries(each for each in listed if each.database != ORGANISM_DATABASE)
    organisms = [each for each in listed if each.database == ORGANISM_DATABASE and each.identifier.isdecimal()]
    taxa = {each: int(each.identifier) for each in organisms}
    return taxa | {each: taxon for each in listed if (entry := entries.get(each)) and (taxon := entry.taxon)}
