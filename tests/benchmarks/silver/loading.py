"""Load the silver standard as live Results of thirteen registered servers, through the operations of the product."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import connection

from annotations.articles.imports.citation_import import import_citations_batch_by_batch
from annotations.articles.models import Article
from annotations.formats.pubmed.reader import Citation
from annotations.identifiers.entry_storage import store_identifier_table_all_or_none
from annotations.identifiers.tables import species as tables_species
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from bcms.demo.data_archives import DemoFiles
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Team
from tests.benchmarks.command_line import print_ratio
from tests.benchmarks.silver.making import LAST_FILE, iter_distinct_abstracts
from tests.benchmarks.silver.producers import VARIANTS
from tests.benchmarks.spent import SpentTime, measure_time

SPECIES = Path(tables_species.__file__).with_name("species.tsv")
# Made-up ids of abstracts that are repeated: beyond all that PubMed has.
REPEATED = 1_000_000_000


def load_silver_standard(archives: DemoFiles, folder: Path, times: int) -> None:
    """Identifiers, servers, articles, annotations and article summaries; prints how long each of them takes."""
    with measure_time() as registry:
        store_identifier_table_all_or_none(archives.hgnc)
        store_identifier_table_all_or_none(SPECIES)
    print(f"names of genes, organisms  {registry}")
    producers = register_servers()
    pmids = set(json.loads((folder / LAST_FILE).read_text()))
    with measure_time() as articles:
        chosen = [own for own in iter_distinct_abstracts(archives) if own.pmid in pmids]
        for number in range(times):
            import_citations_batch_by_batch(iter_copies(chosen, number))
    print(f"articles                   {articles}")
    with measure_time() as reading:
        for variant in VARIANTS:
            for _ in iter_stored_rows(folder / f"{variant.slug}.jsonl"):
                pass
    stored = sum((store_annotations(producers, folder, number) for number in range(times)), SpentTime())
    print(f"annotations                {stored}")
    print_ratio("storing the annotations / reading their files", stored.clock, reading.clock * times)
    with measure_time() as analyzed, connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    with measure_time() as summaries:
        while update_summaries_returning_whether_more_remain():
            pass
    print(f"article summaries          {summaries}")
    print(f"all but names              {articles + stored + analyzed + summaries}")


def register_servers() -> dict[str, Producer]:
    """The producers of the live queues, by the slugs of their servers."""
    team = Team.objects.create(name="Team Silver", slug="team-silver")
    return {
        own.slug: contents.get_or_create_queue_and_producer(make_server(team, own), QueueMode.LIVE).producer
        for own in VARIANTS
    }


def make_server(team: Team, variant: Any) -> Server:
    kinds = [kind.value for kind in variant.kinds]
    address = "http://127.0.0.1:9/"
    return Server.objects.create(
        review="accepted", team=team, name=variant.name, slug=variant.slug, url=address, kinds=kinds
    )


def iter_copies(citations: Iterable[Citation], number: int) -> Iterator[Citation]:
    """The citations for the nth time, from 0 on, under made-up ids from the second time on."""
    for citation in citations:
        yield replace(citation, pmid=citation.pmid + REPEATED * number, doi="", pmcid="") if number else citation


def store_annotations(producers: dict[str, Producer], folder: Path, number: int) -> SpentTime:
    """Store the annotations of the nth copy of the articles by all producers."""
    with measure_time() as spent:
        first, beyond = REPEATED * number, REPEATED * (number + 1)
        keys = dict(Article.objects.filter(pmid__gte=first, pmid__lt=beyond).values_list("pmid", "pk"))
        for variant in VARIANTS:
            rows = iter_stored_rows(folder / f"{variant.slug}.jsonl")
            own = [(keys[pmid + first], by_kind) for pmid, by_kind in rows]
            for kind in variant.kinds:
                by_article = {pk: [parse_row(kind, row) for row in by_kind[kind]] for pk, by_kind in own}
                supersede_results_in_bulk_counting_annotations(producers[variant.slug], kind, by_article)
    return spent


def iter_stored_rows(path: Path) -> Iterator[tuple[int, dict[str, list[Any]]]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            pmid, by_kind = json.loads(line)
            yield pmid, by_kind


def parse_row(kind: Kind, row: Sequence[Any]) -> AnnotationData:
    """A row of the files that making.make_annotations() writes."""
    match kind:
        case Kind.MENTION:
            start, end, text, confidence = row
            return AnnotationData(kind, confidence, start=start, end=end, text=text, type="gene")
        case Kind.NORMALIZATION:
            database, identifier, taxon, confidence = row
            return AnnotationData(kind, confidence, database=database, identifier=identifier, taxon=taxon)
        case Kind.TAXON:
            return AnnotationData(kind, row[1], database="ncbitaxon", identifier=row[0])
        case _:
            return AnnotationData(kind, row[1], relevant=row[0])
