"""Writes PubTator: `ID|t|title`, `ID|a|all other text`, then a line with tabs for each mention, pair and relation.

Positions count code points over title, one separator and the rest, as in the canonical text. Line breaks in the text,
and tabs and line breaks in mentions, become spaces. What several producers say is written once. Identifiers are written
as PubTator does: those of NCBI Gene, NCBI Taxonomy and dbSNP bare where the type of the mention says what they are, all
others as CURIEs (`MESH:D001943`). A relation has two arguments with identifiers, and its novelty.
Source: https://www.ncbi.nlm.nih.gov/research/pubtator/
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.given_identifiers import parse_identifier_field
from annotations.schema import AnnotationData, EntityId, Kind, RelationArgument

# All that other programs take for the end of a line.
LINE_BREAK = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]")
FIELD_BREAK = re.compile(f"[\t{LINE_BREAK.pattern[1:]}")
PUBTATOR_DEFAULT_TYPE = "Mention"
BARE_DATABASES = frozenset({"ncbigene", "ncbitaxon", "dbsnp", ""})
NOVELTY = "novelty"
NO_IDENTIFIER = "-"


def write_pubtator_mentions_and_pairs(articles: Iterable[AnnotatedArticle]) -> Iterator[str]:
    """A block of lines for each article, separated by blank lines."""
    for article in articles:
        title, *rest = (passage.text for passage in article.passages)
        texts = (
            f"{article.id}|{letter}|{_clean_pubtator_line(text)}"
            for letter, text in (("t", title), ("a", " ".join(rest)))
        )
        lines = dict.fromkeys(
            (
                *_iter_pubtator_mention_lines(article),
                *_iter_pubtator_pair_lines(article),
                *_iter_pubtator_relation_lines(article),
            )
        )
        yield "\n".join((*texts, *lines, "", ""))


def find_left_out_of_pubtator(article: AnnotatedArticle) -> Callable[[AnnotationData], bool]:
    """Whether PubTator leaves an annotation of this article out, or says only a part of it.

    Left out: discontinuous mentions, negated relations and those without two arguments with identifiers, genes,
    organisms and entities to which no written mention is linked, and all other kinds. Said in part: relations with
    roles, evidence, a direction or qualifiers other than novelty.
    """
    linked = {
        entity
        for _, mention in article.iter_annotations(Kind.MENTION)
        if not mention.spans
        for entity in mention.identifiers
    }

    def is_left_out(annotation: AnnotationData) -> bool:
        if annotation.kind is Kind.MENTION:
            return bool(annotation.spans)
        if annotation.kind is Kind.RELATION:
            return not _can_write_relation(annotation) or _has_more_than_novelty(annotation)
        if annotation.kind in (Kind.NORMALIZATION, Kind.TAXON, Kind.ENTITY):
            return (annotation.database, annotation.identifier) not in linked
        return annotation.kind is not Kind.PAIR

    return is_left_out


def _iter_pubtator_mention_lines(article: AnnotatedArticle) -> Iterator[str]:
    for _, annotation in article.iter_annotations(Kind.MENTION):
        if not annotation.spans:
            mention_type = _clean_type(annotation.type)
            text = _clean_pubtator_field(annotation.text)
            identifiers = _format_identifiers(annotation.identifiers, mention_type)
            yield f"{article.id}\t{annotation.start}\t{annotation.end}\t{text}\t{mention_type}\t{identifiers}"


def _iter_pubtator_pair_lines(article: AnnotatedArticle) -> Iterator[str]:
    for _, annotation in article.iter_annotations(Kind.PAIR):
        yield f"{article.id}\tPPI\t{annotation.identifier}\t{annotation.partner}"


def _iter_pubtator_relation_lines(article: AnnotatedArticle) -> Iterator[str]:
    # Readers know the database of a bare identifier by the type of the mention with the same identifiers.
    mentions = [annotation for _, annotation in article.iter_annotations(Kind.MENTION) if not annotation.spans]
    types: dict[tuple[EntityId, ...], str] = {}
    for mention in mentions:
        for identifiers in (mention.identifiers, *((each,) for each in mention.identifiers)):
            types.setdefault(identifiers, _clean_type(mention.type))
    for _, annotation in article.iter_annotations(Kind.RELATION):
        if annotation.relation and _can_write_relation(annotation):
            names = [
                _format_identifiers(argument.identifiers, types.get(argument.identifiers, ""))
                for argument in annotation.arguments
            ]
            relation_type = _clean_pubtator_field(annotation.type).strip() or Kind.RELATION.value
            novelty = [value for name, value in annotation.relation.qualifiers if name == NOVELTY and value.strip()]
            yield "\t".join([article.id, relation_type, *names, *map(_clean_pubtator_field, novelty)])


def _can_write_relation(annotation: AnnotationData) -> bool:
    # Without a place for the negation, the line would say the opposite.
    is_negated = annotation.relation is not None and annotation.relation.is_negated()
    return not is_negated and len(annotation.arguments) == 2 and all(map(_has_identifiers, annotation.arguments))


def _has_more_than_novelty(annotation: AnnotationData) -> bool:
    relation = annotation.relation
    return relation is not None and (
        relation.directed
        or bool(relation.evidence)
        or any(argument.role for argument in relation.arguments)
        or any(name != NOVELTY for name, _ in relation.qualifiers)
    )


def _has_identifiers(argument: RelationArgument) -> bool:
    return bool(argument.identifiers)


def _format_identifiers(identifiers: Sequence[EntityId], mention_type: str) -> str:
    """`7157,4193`, `MESH:D001943` or, without identifiers, `-`; line breaks and tabs in them become spaces."""
    texts = (_format_identifier(entity, mention_type) for entity in identifiers)
    return _clean_pubtator_field(",".join(texts)).strip() or NO_IDENTIFIER


def _format_identifier(entity: EntityId, mention_type: str) -> str:
    database, identifier = entity
    is_bare = database in BARE_DATABASES and parse_identifier_field(identifier, mention_type) == (entity,)
    return identifier if is_bare or not database else format_curie_for_readers(entity)


def _clean_type(entity_type: str) -> str:
    return _clean_pubtator_field(entity_type).strip() or PUBTATOR_DEFAULT_TYPE


def _clean_pubtator_line(text: str) -> str:
    """The text with a space for each line break, so its length does not change."""
    return LINE_BREAK.sub(" ", text)


def _clean_pubtator_field(text: str) -> str:
    return FIELD_BREAK.sub(" ", text)
