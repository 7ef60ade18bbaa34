"""The entries of outside databases that an article's annotations name, with what the local tables know of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.collation import Order, Span
from annotations.databases import entry_page
from annotations.querysets import Description, current_results, descriptions_of, results_on_text
from bcms.api.articles import article_seen, identifier_of, state_of_producers
from bcms.api.conditional import unless_known
from bcms.api.older_texts import TEXT, Shown, shown_with_text
from bcms.pages.article import read
from bcms.pages.awaited import sources_of
from bcms.pages.reading import Choice, Reading
from bcms.visibility import producers_seen_by

Key = tuple[str, str]
NOTHING = Description()


@dataclass(frozen=True, slots=True)
class EntryShown:
    """An entry of an outside database under today's identifier; status is empty when it is known to exist."""

    database: str
    identifier: str
    symbol: str
    name: str
    synonyms: Sequence[str]
    taxon: int | None
    organism: str
    location: str
    function: str
    status: str
    page: str


@dataclass(frozen=True, slots=True)
class EntriesShown:
    id: str
    entries: Sequence[EntryShown]


def reading_of(request: Request, shown: Shown, mention: Span | None = None, beside: Span | None = None) -> Reading:
    """The article as its page reads it for this user."""
    article, results_of = shown.article, results_on_text if shown.older else current_results
    sources = sources_of(article, producers_seen_by(request.user))
    results = results_of(article, [source.producer for source in sources])
    return read(article, sources, results, Choice(None, Order.SERVERS, mention, beside), {})


def keys_named(reading: Reading) -> list[Key]:
    """Every entry that a finding names, by database and identifier."""
    findings = (finding for word in reading.spoken for finding in word.findings)
    return sorted({(f.database, name) for f in findings for name in (f.identifier, f.partner) if name})


def entries_shown(reading: Reading, keys: Iterable[Key]) -> Iterator[EntryShown]:
    """What is known of these entries: one query."""
    wanted = list(keys)
    descriptions = descriptions_of(wanted)
    for database, identifier in wanted:
        known = reading.naming.entries.get((database, identifier))
        taxon = known.taxon if known else None
        reference = reading.naming.reference(database, identifier)
        description = descriptions.get((database, identifier), NOTHING)
        yield EntryShown(
            database=database,
            identifier=identifier,
            symbol=reference.symbol,
            name=reference.name,
            synonyms=known.synonyms if known else (),
            taxon=taxon,
            organism=reference.organism,
            location=description.location,
            function=description.function,
            status=reference.status,
            page=entry_page(database, identifier),
        )


class EntryOfArticle(serializers.Serializer):
    database = serializers.CharField(help_text="uniprot, ncbigene, ncbitaxon or psi-mi")
    identifier = serializers.CharField(help_text="as its database has it today")
    symbol = serializers.CharField()
    name = serializers.CharField(help_text="the preferred name")
    synonyms = serializers.ListField(child=serializers.CharField())
    taxon = serializers.IntegerField(allow_null=True)
    organism = serializers.CharField(help_text="its name")
    location = serializers.CharField(help_text="of a protein in the cell, of a gene on its chromosome")
    function = serializers.CharField(help_text="what it does, in few words")
    status = serializers.CharField(help_text="unverified, withdrawn ...; empty when it is known to exist")
    page = serializers.CharField(help_text="its address at its database, empty where there is none")


class EntriesOfArticle(serializers.Serializer):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    entries = EntryOfArticle(many=True)


@method_decorator(gzip_page, name="dispatch")
class ArticleEntries(APIView):
    """The entries of outside databases that servers name in one article, with what the local tables know of them."""

    @extend_schema(summary="Read an article's entries", parameters=[TEXT], responses=EntriesOfArticle)
    def get(self, request: Request, identifier: str) -> Response:
        article = article_seen(request, identifier)
        shown = shown_with_text(request, article)
        state = (article.version, state_of_producers(request, article))
        return unless_known(request, state, lambda: self.answer(request, shown))

    def answer(self, request: Request, shown: Shown) -> Response:
        reading = reading_of(request, shown)
        entries = EntriesShown(identifier_of(shown.article), list(entries_shown(reading, keys_named(reading))))
        return Response(EntriesOfArticle(entries).data)
