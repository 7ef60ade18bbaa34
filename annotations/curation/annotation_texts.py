"""Annotations of records as short texts for readers, and the words of the article that they are about."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from annotations.articles.text_parts import is_text_of_parts
from annotations.digital_abstract import DigitalAbstract
from annotations.identifiers.curies import format_curie_for_readers
from annotations.schema import AnnotationData, EntityId, Shape, Span


def describe_annotation(
    annotation: AnnotationData, name_entity: Callable[[EntityId], str], *, with_position: bool = False
) -> str:
    """An annotation in a few words. name_entity: what an entity is called; with_position: say where a mention is."""
    match annotation.shape:
        case Shape.ENTITY:
            return name_entity(EntityId(annotation.database, annotation.identifier))
        case Shape.MENTION:
            parts = ", ".join(f"{start}-{end}" for start, end in annotation.parts)
            links = "".join(f", {format_curie_for_readers(each)}" for each in annotation.identifiers)
            position = f" at {parts}" if with_position else ""
            return f"“{annotation.text}”{position}, {annotation.type or 'no type'}{links}"
        case Shape.LABEL:
            return f"{annotation.type}: {annotation.text}"
        case _:
            ends = [
                each.text or ", ".join(name_entity(entity) for entity in each.identifiers)
                for each in annotation.arguments
            ]
            return f"{annotation.relation_type}: {(' → ' if annotation.is_directed else ' – ').join(ends)}"


def format_named_curie(name: str, entity: EntityId) -> str:
    """ "CDH1 (UniProt:P12830)", or the CURIE alone without a name."""
    curie = format_curie_for_readers(entity)
    return f"{name} ({curie})" if name else curie


class PlacedWords(NamedTuple):
    """Words of a record, and where the article has them."""

    words: str
    spans: tuple[Span, ...]


def find_misplaced_words(abstract: DigitalAbstract, article_text: str) -> str:
    """The first words of a record that the article does not have at their place, as if its text was replaced; "" for
    none. Pure."""
    placed = _iter_placed_words(abstract)
    return next((each.words for each in placed if not is_text_of_parts(each.words, each.spans, article_text)), "")


def _iter_placed_words(abstract: DigitalAbstract) -> Iterator[PlacedWords]:
    """Passages of interactions, mentions, and mentions as members of relations."""
    for interaction in abstract.interactions:
        for passage in interaction.iter_evidence():
            yield PlacedWords(passage.text, (Span(*passage.span),))
    for sourced in abstract.annotations:
        annotation = sourced.annotation
        if annotation.shape is Shape.MENTION and annotation.text:
            yield PlacedWords(annotation.text, tuple(annotation.parts))
        for argument in annotation.arguments:
            if argument.spans and argument.text:
                yield PlacedWords(argument.text, argument.spans)
