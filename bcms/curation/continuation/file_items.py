"""What of a file belongs to an article, as items of its curation, and what of the file is left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotations.articles.models import Article
from annotations.curation.decisions import ItemProposal
from annotations.digital_abstract import DigitalAbstract, Interaction, Source, SourcedAnnotation
from annotations.formats.digital_abstracts.file_reader import AbstractFile
from annotations.formats.digital_abstracts.parsed_abstract import Publication
from annotations.identifiers.queries import find_named_entries, find_psi_mi_terms
from bcms.curation.continuation.entry_faults import NamedEntries
from bcms.curation.continuation.file_annotations import iter_annotation_items, list_sourced_annotations
from bcms.curation.continuation.file_interactions import iter_interaction_items
from bcms.curation.continuation.left_out import LeftOutPart, count_parts


@dataclass(frozen=True, slots=True)
class FileItems:
    """items: of the article, each once. others: what the file has of each other article, as count_parts counts."""

    items: Sequence[ItemProposal]
    left_out: Sequence[LeftOutPart]
    others: Mapping[str, Mapping[str, int]]


def collect_file_items(file: AbstractFile, article: Article, basis: Source) -> FileItems:
    """The items of a file that are of the article: 2 queries. basis: what they are taken over from."""
    left_out = [LeftOutPart(each.line, each.part, each.reason) for each in file.left_out]
    others: dict[str, Counter[str]] = {}
    interactions: list[tuple[int, Interaction]] = []
    annotations: list[SourcedAnnotation] = []
    for parsed in file.abstracts:
        if _is_of_article(parsed.publication, article):
            interactions += zip(parsed.lines, parsed.abstract.interactions, strict=True)
            annotations += list_sourced_annotations(parsed.abstract)
        else:
            others.setdefault(parsed.publication.name, Counter()).update(count_parts(parsed.abstract))
    terms, entries = find_psi_mi_terms(), _find_entries(interactions, annotations)
    items = [
        *iter_interaction_items(interactions, article.text, terms, entries, basis, left_out),
        *iter_annotation_items(annotations, article, terms, entries, basis, left_out),
    ]
    unique = {(each.kind, each.key): each for each in reversed(items)}
    return FileItems(list(reversed(unique.values())), left_out, others)


def _is_of_article(publication: Publication, article: Article) -> bool:
    """Whether they share an identifier; a record in JSON without any is of the article it is sent to."""
    ids = publication.ids
    if not publication.name:
        return True
    if ids.pmid and article.pmid:
        return ids.pmid == article.pmid
    same_doi = bool(ids.doi) and ids.doi.casefold() == article.doi.casefold()
    return same_doi or (bool(ids.pmcid) and ids.pmcid == article.pmcid)


def _find_entries(
    interactions: Sequence[tuple[int, Interaction]], annotations: Sequence[SourcedAnnotation]
) -> NamedEntries:
    stated = DigitalAbstract(tuple(interaction for _, interaction in interactions))
    others = (entity for sourced in annotations for entity in sourced.annotation.iter_entity_ids())
    return find_named_entries({(*entity,) for entity in (*stated.list_participant_ids(), *others)})
