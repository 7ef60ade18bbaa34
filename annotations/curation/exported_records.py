"""Digital abstracts with the names of everything in them, as pages and files show them."""

from collections.abc import Callable, Iterator, Sequence

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.curation.projection import ORGANISM_DATABASE
from annotations.digital_abstract import DigitalAbstract
from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract, ParticipantNames
from annotations.identifiers.psi_mi_terms import PsiMiTerms
from annotations.identifiers.queries import find_named_entries, find_psi_mi_terms
from annotations.schema import EntityId, Kind


def build_exported_abstract(article: Article, abstract: DigitalAbstract, url: str) -> ExportedAbstract:
    """A record with its article and the names of its entries, organisms and terms: 3 queries. url: of the article."""
    return build_exported_abstracts([(article, abstract)], lambda _: url)[0]


def build_exported_abstracts(
    records: Sequence[tuple[Article, DigitalAbstract]], build_url: Callable[[Article], str]
) -> list[ExportedAbstract]:
    """Records with their articles, and the names of everything in them: 3 queries for all."""
    found = find_named_entries({key for _, abstract in records for key in _iter_named_ids(abstract)})
    organisms = {int(key[1]): entry.name for key, entry in found.items() if key[0] == ORGANISM_DATABASE and entry.name}
    entries = {
        EntityId(*key): ParticipantNames(entry.symbol, entry.name, tuple(entry.synonyms))
        for key, entry in found.items()
        if key[0] != ORGANISM_DATABASE
    }
    terms = find_psi_mi_terms()
    return [
        ExportedAbstract(
            _build_bare_article(article),
            abstract,
            build_url(article),
            _name_terms(abstract, terms),
            organisms,
            entries,
        )
        for article, abstract in records
    ]


def _iter_named_ids(abstract: DigitalAbstract) -> Iterator[tuple[str, str]]:
    """The participants, organisms and other entities of a record."""
    yield from abstract.list_participant_ids()
    for sourced in abstract.annotations:
        yield from sourced.annotation.iter_entity_ids()
    taxa = {participant.taxon for each in abstract.interactions for participant in each.participants}
    for taxon in {*taxa, *abstract.organisms}:
        if taxon:
            yield ORGANISM_DATABASE, str(taxon)


def _name_terms(abstract: DigitalAbstract, terms: PsiMiTerms) -> dict[str, str]:
    """The names of the PSI-MI terms in the record by their identifiers."""
    named: set[str] = set()
    for interaction in abstract.interactions:
        named.update((interaction.interaction_type, *interaction.methods))
        for participant in interaction.participants:
            named.update((participant.biological_role, participant.experimental_role))
    stated = [sourced.annotation for sourced in abstract.annotations]
    named.update(each.identifier for each in stated if each.kind is Kind.METHOD)
    return {term: terms.get_name(term) for term in named if term}


def _build_bare_article(article: Article) -> AnnotatedArticle:
    return AnnotatedArticle(
        format_pmid_or_opaque(article),
        ArticleIds(article.pmid, article.pmcid, article.doi),
        [TextPassage(passage["type"], passage["text"]) for passage in article.passages],
        article.text_version,
        article.journal,
        article.year,
        [str(name) for name in article.metadata.get("authors", ())],
    )
