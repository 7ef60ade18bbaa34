"""The types of entities that relations name by identifier alone, from the mentions with the same identifier.

A bare identifier such as D003409 or 9606 says its database only together with the type of its entity.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import overload

from annotations.formats.annotated_text.mentions import TextArgument, TextMention, TextRelation
from annotations.identifiers.given_identifiers import split_given_identifiers

TypesByIdentifier = dict[tuple[str, str], str]


class TypedRelations(Sequence[TextRelation]):
    """The relations of a file, with a type for each entity that a mention of the same document has the identifier of.

    They are made on first access: most commands read files for something else.
    """

    def __init__(self, iter_relations: Callable[[], Iterable[TextRelation]], mentions: Iterable[TextMention]) -> None:
        self.iter_relations, self.mentions = iter_relations, mentions

    @cached_property
    def relations(self) -> list[TextRelation]:
        return _add_types_of_mentions(list(self.iter_relations()), self.mentions)

    def __len__(self) -> int:
        return len(self.relations)

    @overload
    def __getitem__(self, index: int) -> TextRelation: ...

    @overload
    def __getitem__(self, index: slice) -> list[TextRelation]: ...

    def __getitem__(self, index: int | slice) -> TextRelation | list[TextRelation]:
        return self.relations[index]

    def __iter__(self) -> Iterator[TextRelation]:
        return iter(self.relations)


def _add_types_of_mentions(relations: list[TextRelation], mentions: Iterable[TextMention]) -> list[TextRelation]:
    documents = {relation.document for relation in relations if any(map(_lacks_type, relation.arguments))}
    if not documents:
        return relations
    types: TypesByIdentifier = {}
    for mention in mentions:
        if mention.given and mention.document in documents:
            parts = split_given_identifiers(mention.given, mention.type)
            # Relations may have the identifiers of NCBI Gene:7157 and MESH:D001943 without their prefixes.
            links = mention.list_links()
            bare, curies = [entity.identifier for entity in links], [entity.curie for entity in links]
            for identifier in (mention.given, *parts, *bare, *curies):
                types.setdefault((mention.document, identifier.strip()), mention.type)
    return [_add_types(relation, types) for relation in relations]


def _lacks_type(argument: TextArgument) -> bool:
    return bool(argument.given or argument.exact) and not argument.type and not argument.spans


def _add_types(relation: TextRelation, types: TypesByIdentifier) -> TextRelation:
    names = [_find_type(relation.document, each, types) if _lacks_type(each) else "" for each in relation.arguments]
    if not any(names):
        return relation
    pairs = zip(relation.arguments, names, strict=True)
    return replace(
        relation, arguments=tuple(replace(argument, type=name) if name else argument for argument, name in pairs)
    )


def _find_type(document: str, argument: TextArgument, types: TypesByIdentifier) -> str:
    """The type of the identifier, or of the first one that the argument has."""
    given = argument.given.strip()
    names = [given, *split_given_identifiers(given)] if given else [entity.curie for entity in argument.exact]
    for identifier in names:
        if found := types.get((document, identifier)):
            return found
    return ""
