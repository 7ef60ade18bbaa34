"""Store the silver standard as live Results of thirteen registered servers, through the operations of the product."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from django.db import connection

from annotations.articles.corpora import append_stored_pmids_creating_corpus
from annotations.articles.imports.citation_import import import_citations_batch_by_batch
from annotations.articles.models import Article
from annotations.formats.pubmed.reader import Citation
from annotations.identifiers.entry_storage import store_identifier_table_all_or_none
from annotations.identifiers.tables import species as tables_species
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
from annotations.results.models import Producer
from bcms.demo.data_archives import DemoFiles
from bcms.silver.annotation_files import iter_distinct_abstracts, iter_file_rows, parse_row, read_pmids
from bcms.silver.variants import VARIANTS, Variant
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.review.states import ReviewState
from servers.teams.models import Team

SPECIES = Path(tables_species.__file__).with_name("species.tsv")
CORPUS = "silver"
# Made-up ids of abstracts that are repeated: beyond all that PubMed has.
REPEATED = 1_000_000_000


def store_identifier_tables(archives: DemoFiles) -> None:
    """The names of human genes and of organisms."""
    store_identifier_table_all_or_none(archives.hgnc)
    store_identifier_table_all_or_none(SPECIES)


def register_servers() -> dict[str, Producer]:
    """The producers of the live queues, by the slugs of their servers."""
    team = Team.objects.create(name="Team Silver", slug="team-silver")
    return {
        variant.slug: contents.get_or_create_queue_and_producer(_create_server(team, variant), QueueMode.LIVE).producer
        for variant in VARIANTS
    }


def _create_server(team: Team, variant: Variant) -> Server:
    return Server.objects.create(
        review=ReviewState.ACCEPTED,
        team=team,
        name=variant.name,
        slug=variant.slug,
        url="http://127.0.0.1:9/",
        kinds=[kind.value for kind in variant.kinds],
    )


def store_articles(archives: DemoFiles, folder: Path, times: int = 1) -> None:
    """The abstracts that the files in the folder annotate, several times under made-up ids, and their corpus."""
    pmids = read_pmids(folder)
    chosen = [each for each in iter_distinct_abstracts(archives) if each.pmid in pmids]
    for number in range(times):
        import_citations_batch_by_batch(_iter_copies(chosen, number))
    append_stored_pmids_creating_corpus(CORPUS, sorted(pmids))


def _iter_copies(citations: Iterable[Citation], number: int) -> Iterator[Citation]:
    """The citations for the nth time, from 0 on, under made-up ids from the second time on."""
    for citation in citations:
        yield replace(citation, pmid=citation.pmid + REPEATED * number, doi="", pmcid="") if number else citation


def store_annotations(producers: Mapping[str, Producer], folder: Path, number: int = 0) -> None:
    """Store the annotations of the nth copy of the articles by all producers."""
    first = REPEATED * number
    keys = dict(Article.objects.filter(pmid__gte=first, pmid__lt=first + REPEATED).values_list("pmid", "pk"))
    for variant in VARIANTS:
        articles = [(keys[pmid + first], by_kind) for pmid, by_kind in iter_file_rows(folder, variant.slug)]
        for kind in variant.kinds:
            by_article = {pk: [parse_row(kind, row) for row in by_kind[kind]] for pk, by_kind in articles}
            supersede_results_in_bulk_counting_annotations(producers[variant.slug], kind, by_article)


def analyze_tables() -> None:
    """Tell PostgreSQL how the tables are filled, as it does itself some time after much was stored."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def update_all_summaries() -> None:
    """Refresh the summaries of all articles."""
    while update_summaries_returning_whether_more_remain():
        pass
