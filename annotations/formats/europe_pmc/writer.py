"""Writes the JSON of Europe PMC's Annotations API: a list with one object for each article, one on each line.

A mention is quoted with the text around it, and has a tag for each identifier with a URI. A passage, and a relation for
each piece of its evidence, is a sentence with a tag for each of its entities. Everything else has no form there.
Source: https://europepmc.org/AnnotationsApi (annotationsByArticleIds), and the schemas of
https://github.com/EuropePMC/EuropePMC-Annotation-Validator for names of sections and URIs of tags.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from urllib.parse import quote

from annotations.entity_types import find_known_entity_type
from annotations.formats.articles.annotated_article import AnnotatedArticle, ExportedProducer
from annotations.formats.web_annotation.annotations import DEFAULT_PAGE_URL
from annotations.identifiers.curies import format_curie_for_readers
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.schema import AnnotationData, EntityId, Kind, Span

EuropePmcJson = dict[str, object]
# Of articles that have neither a PMID nor a PMCID, which Europe PMC has no source for.
SITE_SOURCE = "BCMS"
# Characters before and after a mention, as Europe PMC quotes them.
CONTEXT_LENGTH = 20
# Passages that are parts of no named section; the schemas call that Article.
UNNAMED_SECTIONS = frozenset({"text", "paragraph", "heading", ""})
UNNAMED_SECTION = "Article"
EUROPE_PMC_TYPES = {
    "Gene": "Gene_Proteins",
    "Protein": "Gene_Proteins",
    "Disease": "Diseases",
    "Chemical": "Chemicals",
    "Species": "Organisms",
}


def write_europe_pmc(articles: Iterable[AnnotatedArticle], page_url: str = DEFAULT_PAGE_URL) -> Iterator[str]:
    """A JSON list of articles; ids of annotations are fragments of the page's URL. An empty list for no article."""
    separator = "[\n"
    for article in articles:
        yield separator + json.dumps(_EuropePmcArticle(article, page_url).build_json(), ensure_ascii=False)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def find_left_out_of_europe_pmc(_: AnnotatedArticle) -> Callable[[AnnotationData], bool]:
    """Whether an annotation of an article is left out, or an identifier of it, or the roles of a relation."""
    return lambda annotation: not _is_written_whole(annotation)


def _is_written_whole(annotation: AnnotationData) -> bool:
    has_form = _is_mention_in_one_part(annotation) or annotation.kind is Kind.PASSAGE
    return has_form and all(build_entry_url_or_empty(*entity) for entity in annotation.iter_entity_ids())


def _is_mention_in_one_part(annotation: AnnotationData) -> bool:
    return annotation.kind is Kind.MENTION and not annotation.spans


def _is_sentence(annotation: AnnotationData) -> bool:
    return annotation.kind is Kind.PASSAGE or (annotation.relation is not None and bool(annotation.evidence))


class _EuropePmcArticle:
    """Builds the object of one article, whose annotations are numbered from 1."""

    def __init__(self, article: AnnotatedArticle, page_url: str) -> None:
        self.article, self.text = article, article.text
        self.id_start = f"{page_url}#{quote(article.id)}"
        self.numbers = count(1)
        self.starts = [start for start, _ in article.iter_passage_offsets()]

    def build_json(self) -> EuropePmcJson:
        ids = self.article.ids
        source = "MED" if ids.pmid else "PMC" if ids.pmcid else SITE_SOURCE
        return {
            "source": source,
            "extId": str(ids.pmid) if ids.pmid else ids.pmcid or self.article.id,
            **({"pmcid": ids.pmcid} if ids.pmcid else {}),
            "annotations": [
                built
                for producer, annotation in self.article.iter_annotations(*Kind)
                for built in self.build_annotations(producer, annotation)
            ],
        }

    def build_annotations(self, producer: ExportedProducer, annotation: AnnotationData) -> Iterator[EuropePmcJson]:
        """One for a mention or a passage, one for each piece of evidence of a relation, none for other kinds."""
        if _is_mention_in_one_part(annotation):
            [span] = annotation.parts
            exact = self.text[span.start : span.end]
            yield self.build_annotation(producer, annotation, self.quote_span(span), exact)
        elif annotation.kind is Kind.PASSAGE:
            start = self.text.find(annotation.text) if annotation.text else -1
            section = {"section": self.name_section(start)} if start >= 0 else {}
            yield self.build_annotation(producer, annotation, {"exact": annotation.text, **section})
        elif _is_sentence(annotation):
            for start, end in annotation.evidence:
                members = {"exact": self.text[start:end], "section": self.name_section(start)}
                yield self.build_annotation(producer, annotation, members)

    def build_annotation(
        self, producer: ExportedProducer, annotation: AnnotationData, quotation: Mapping[str, object], name: str = ""
    ) -> EuropePmcJson:
        """name: what the tags are called, if not by their identifiers."""
        type_name = _name_europe_pmc_type(annotation)
        return {
            "id": f"{self.id_start}-{next(self.numbers)}",
            **quotation,
            **({"type": type_name} if type_name else {}),
            "tags": list(_iter_entity_tags(annotation.iter_entity_ids(), name)),
            "provider": producer.name,
        }

    def quote_span(self, span: Span) -> EuropePmcJson:
        """The span with what is before and after it in its passages."""
        start, end = span
        first, last = self._find_passage(start), self._find_passage(max(start, end - 1))
        last_end = self.starts[last] + len(self.article.passages[last].text)
        return {
            "prefix": self.text[max(self.starts[first], start - CONTEXT_LENGTH) : start],
            "exact": self.text[start:end],
            "postfix": self.text[end : min(last_end, end + CONTEXT_LENGTH)],
            "section": self.name_section(start),
        }

    def name_section(self, position: int) -> str:
        """The name of the section of a position: Title, Abstract, its heading, or Article."""
        name = self.article.passages[self._find_passage(position)].type
        return UNNAMED_SECTION if name in UNNAMED_SECTIONS else name[:1].upper() + name[1:]

    def _find_passage(self, position: int) -> int:
        return bisect_right(self.starts, position) - 1


def _name_europe_pmc_type(annotation: AnnotationData) -> str:
    """Europe PMC's name of a type that it has, otherwise the type as its producer gave it."""
    known = find_known_entity_type(annotation.type)
    return EUROPE_PMC_TYPES.get(known.name, annotation.type) if known else annotation.type


def _iter_entity_tags(entities: Iterable[EntityId], name: str) -> Iterator[EuropePmcJson]:
    """A tag for each identifier that has a URI."""
    for entity in dict.fromkeys(entities):
        if uri := build_entry_url_or_empty(*entity):
            yield {"name": name or format_curie_for_readers(entity), "uri": uri}
