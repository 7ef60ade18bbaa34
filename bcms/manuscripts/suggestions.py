"""What reviewers of a manuscript suggest for its record: organisms, entities and methods, for the author to add."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Q

from annotations.curation.decisions import ItemProposal
from annotations.curation.errors import CurationError
from annotations.curation.manuscripts.errors import ManuscriptError
from annotations.curation.manuscripts.models import ManuscriptComment
from annotations.curation.manuscripts.states import LinkRole
from annotations.curation.models import Curation
from annotations.curation.states import ItemKind, ItemState
from annotations.digital_abstract import Origin, Source
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.identifiers.queries import find_named_entries
from annotations.schema import EntityId
from bcms.curation.added_items import build_added_items
from bcms.curation.given_entities import build_entity_annotation, find_item_kind, read_given_entity
from bcms.curation.item_rows import DATABASE_COLUMN, IDENTIFIER_COLUMN

# Everybody reads it with the published record, and reviewers have signed for the author and the journal only.
REVIEWER = Source("a reviewer", Origin.REVIEWER)


@dataclass(frozen=True, slots=True)
class ShownSuggestion:
    """title: the symbol or name of the entry, empty if it is unknown. url: of its page in its database, or empty."""

    kind: ItemKind
    title: str
    curie: str
    url: str
    is_in_record: bool


@dataclass(frozen=True, slots=True)
class ShownComment:
    comment: ManuscriptComment
    suggestion: ShownSuggestion | None


def read_suggested_entity(text: str) -> EntityId | None:
    """The organism, entity or method of an identifier, None for no text; ManuscriptError if it cannot be used."""
    if not text.strip():
        return None
    try:
        return read_given_entity(text, field="identifier")
    except CurationError as error:
        raise ManuscriptError(str(error), error.field) from error


def list_shown_comments(comments: Iterable[ManuscriptComment], curation: Curation) -> list[ShownComment]:
    """The comments with what they suggest for the record of the curation: 2 queries if any suggests something."""
    listed = list(comments)
    suggested = {comment.pk: entity for comment in listed if (entity := _get_suggested_entity(comment))}
    named = find_named_entries(suggested.values()) if suggested else {}
    accepted = _find_accepted_entities(curation, suggested.values())

    def build_suggestion(entity: EntityId) -> ShownSuggestion:
        entry = named.get(entity)
        title = (entry.symbol or entry.name) if entry else ""
        url = build_entry_url_or_empty(*entity)
        curie = format_curie_for_readers(entity)
        return ShownSuggestion(find_item_kind(entity), title, curie, url, entity in accepted)

    entities = [suggested.get(comment.pk) for comment in listed]
    return [
        ShownComment(comment, build_suggestion(entity) if entity else None)
        for comment, entity in zip(listed, entities, strict=True)
    ]


def build_suggested_items(curation: Curation, comment_id: str) -> list[ItemProposal]:
    """What a comment on the manuscript of the curation suggests, with a reviewer as its source.

    CurationError if there is no such suggestion.
    """
    comments = ManuscriptComment.objects.filter(
        Q(manuscript__curation=curation.pk) | Q(manuscript__curation=curation.basis_id), role=LinkRole.REVIEWER
    )
    number = int(comment_id) if comment_id.isascii() and comment_id.isdecimal() and len(comment_id) < 19 else 0
    comment = comments.filter(pk=number).first()
    entity = _get_suggested_entity(comment) if comment else None
    if comment is None or entity is None:
        raise CurationError("This suggestion is no longer there. Reload the page.", "comment")
    kind = find_item_kind(entity)
    return build_added_items(curation, kind, [build_entity_annotation(kind, entity)], [REVIEWER])


def _get_suggested_entity(comment: ManuscriptComment) -> EntityId | None:
    return EntityId(comment.database, comment.identifier) if comment.database else None


def _find_accepted_entities(curation: Curation, entities: Iterable[EntityId]) -> set[EntityId]:
    """Those of the entities that the record has: 1 query if there are any."""
    wanted = set(entities)
    if not wanted:
        return set()
    kinds = {find_item_kind(entity) for entity in wanted}
    accepted = curation.items.filter(kind__in=kinds, state=ItemState.ACCEPTED, superseded_by__isnull=True)
    named = accepted.annotate(database=DATABASE_COLUMN, identifier=IDENTIFIER_COLUMN)
    # By what the items are now, as they may have been corrected.
    same = named.filter(identifier__in=[entity.identifier for entity in wanted])
    return wanted & {EntityId(*each) for each in same.values_list("database", "identifier")}
