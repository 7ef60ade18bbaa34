"""Load the silver standard as live Results of thirteen registered servers, through the operations of the product."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.db import connection

from annotations.articles.imports.citation_import import import_citations
from annotations.articles.models import Article
from annotations.formats.pubmed.reader import Citation
from annotations.identifiers.entry_storage import load_identifier_table
from annotations.identifiers.tables import species as tables_species
from annotations.results.article_summaries import refresh_article_summaries
from annotations.results.bulk_storage import store_results_in_bulk
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from bcms.demo.data_archives import DemoFiles
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Team
from tests.benchmarks.silver.making import LAST, abstracts
from tests.benchmarks.silver.producers import VARIANTS
from tests.benchmarks.spent import Spent, spending

SPECIES = Path(tables_species.__file__).with_name("species.tsv")
# Made-up ids of abstracts that are repeated: beyond all that PubMed has.
REPEATED = 1_000_000_000


def load(archives: DemoFiles, folder: Path, times: int) -> None:
    """Registry, servers, articles, what is said of them and standings; prints how long each of them takes."""
    with spending() as registry:
        load_identifier_table(archives.hgnc)
        load_identifier_table(SPECIES)
    print(f"names of genes, organisms  {registry}")
    producers = register()
    pmids = set(json.loads((folder / LAST).read_text()))
    with spending() as articles:
        chosen = [own for own in abstracts(archives) if own.pmid in pmids]
        for number in range(times):
            import_citations(repeated(chosen, number))
    print(f"articles                   {articles}")
    said = sum((store(producers, folder, number) for number in range(times)), Spent())
    print(f"what is said of them       {said}")
    with spending() as counted, connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    with spending() as standings:
        while refresh_article_summaries():
            pass
    print(f"standings                  {standings}")
    print(f"all but names              {articles + said + counted + standings}")


def register() -> dict[str, Producer]:
    """The producers of the live queues, by the slugs of their servers."""
    team = Team.objects.create(name="Team Silver", slug="team-silver")
    return {own.slug: contents.get_or_create_queue(server(team, own), QueueMode.LIVE).producer for own in VARIANTS}


def server(team: Team, variant: Any) -> Server:
    kinds = [kind.value for kind in variant.kinds]
    address = "http://127.0.0.1:9/"
    return Server.objects.create(team=team, name=variant.name, slug=variant.slug, url=address, kinds=kinds)


def repeated(citations: Iterable[Citation], number: int) -> Iterator[Citation]:
    """The citations for the nth time, from 0 on, under made-up ids from the second time on."""
    for citation in citations:
        yield replace(citation, pmid=citation.pmid + REPEATED * number, doi="", pmcid="") if number else citation


def store(producers: dict[str, Producer], folder: Path, number: int) -> Spent:
    """What all producers say of the nth copy of the articles."""
    with spending() as spent:
        first, beyond = REPEATED * number, REPEATED * (number + 1)
        keys = dict(Article.objects.filter(pmid__gte=first, pmid__lt=beyond).values_list("pmid", "pk"))
        for variant in VARIANTS:
            rows = read(folder / f"{variant.slug}.jsonl")
            own = [(keys[pmid + first], by_kind) for pmid, by_kind in rows]
            for kind in variant.kinds:
                said = {pk: [finding(kind, row) for row in by_kind[kind]] for pk, by_kind in own}
                store_results_in_bulk(producers[variant.slug], kind, said)
    return spent


def read(path: Path) -> Iterator[tuple[int, dict[str, list[Any]]]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            pmid, by_kind = json.loads(line)
            yield pmid, by_kind


def finding(kind: Kind, row: Sequence[Any]) -> AnnotationData:
    """A row of the files that making.make() writes."""
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
