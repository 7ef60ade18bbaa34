"""REST: the database entries that an article's annotations name, with their descriptions from the local tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.queries import format_pmid_or_opaque
from annotations.identifiers.namespaces import build_entry_url_or_empty
from annotations.identifiers.queries import find_entry_descriptions
from annotations.results.collation import GroupOrder
from annotations.results.heat_map import MentionParts
from annotations.results.queries import list_current_results_on_current_text, list_last_even_superseded_results_on_text
from bcms.article_annotations.api import load_annotation_state_for_etag
from bcms.article_annotations.article_lookup import get_visible_article
from bcms.article_annotations.current_annotations import collect_named_identifiers
from bcms.article_annotations.text_versions import TEXT_PARAMETER, RequestedText, get_requested_text
from bcms.article_page.collated_article import CollatedArticle, load_collated_article
from bcms.article_page.mention_links import EntryKey
from bcms.article_page.mention_panel import NO_DESCRIPTION
from bcms.article_page.reader_choice import ReaderChoice
from bcms.article_page.server_status import list_queues_with_last_calls
from bcms.lib.rest.conditional import respond_unless_etag_matches
from evaluation.visibility import list_producers_in_rest
from servers.review.reader_choice import UNREVIEWED_PARAMETER


@dataclass(frozen=True, slots=True)
class EntryDetails:
    """An entry of an external database under its current identifier; status is empty if it is known to exist."""

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
class EntryDetailsOfArticle:
    id: str
    entries: Sequence[EntryDetails]


def load_collated_article_without_calibrations(
    request: Request,
    requested_text: RequestedText,
    mention_span: MentionParts | None = None,
    companion_span: MentionParts | None = None,
) -> CollatedArticle:
    """The article collated as on its page for this user, without calibrations."""
    article, list_results = (
        requested_text.article,
        list_last_even_superseded_results_on_text if requested_text.older else list_current_results_on_current_text,
    )
    sources = list_queues_with_last_calls(article, list_producers_in_rest(request), request.user)
    results = list_results(article, [source.producer for source in sources])
    return load_collated_article(
        article, sources, results, ReaderChoice(None, GroupOrder.SERVERS, mention_span, companion_span), {}
    )


def _list_named_entry_keys(reading: CollatedArticle) -> list[EntryKey]:
    """Every (database, identifier) in the annotations, sorted."""
    return sorted(
        collect_named_identifiers({result.result.id: result.annotations for result in reading.source_results})
    )


def iter_entry_details(reading: CollatedArticle, keys: Iterable[EntryKey]) -> Iterator[EntryDetails]:
    """The details of these entries: one query."""
    key_list = list(keys)
    descriptions = find_entry_descriptions(key_list)
    for database, identifier in key_list:
        entry = reading.entry_names.entries.get((database, identifier))
        reference = reading.entry_names.build_reference(database, identifier)
        description = descriptions.get((database, identifier), NO_DESCRIPTION)
        yield EntryDetails(
            database=database,
            identifier=identifier,
            symbol=reference.symbol,
            name=reference.name,
            synonyms=entry.synonyms if entry else (),
            taxon=entry.taxon if entry else None,
            organism=reference.organism,
            location=description.location,
            function=description.function,
            status=reference.status,
            page=build_entry_url_or_empty(database, identifier),
        )


class EntryOfArticle(serializers.Serializer[EntryDetails]):
    database = serializers.CharField(help_text="as in annotations, such as ncbigene or mesh; empty if unknown")
    identifier = serializers.CharField(help_text="current identifier in its database")
    symbol = serializers.CharField()
    name = serializers.CharField(help_text="the preferred name")
    synonyms = serializers.ListField(child=serializers.CharField())
    taxon = serializers.IntegerField(allow_null=True)
    organism = serializers.CharField(help_text="name of the organism")
    location = serializers.CharField(help_text="of a protein: in the cell; of a gene: on its chromosome")
    function = serializers.CharField(help_text="short description of its function")
    status = serializers.CharField(help_text="for example unverified or withdrawn; empty if it is known to exist")
    page = serializers.CharField(help_text="URL of its page in the database; empty if there is none")


class EntriesOfArticle(serializers.Serializer[EntryDetailsOfArticle]):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    entries = EntryOfArticle(many=True)


@method_decorator(gzip_page, name="dispatch")
class ArticleEntries(APIView):
    """The database entries that servers name in one article, with names, organism, location and function."""

    query_parameters = ("text", "unreviewed")

    @extend_schema(
        summary="Read an article's entries",
        parameters=[TEXT_PARAMETER, UNREVIEWED_PARAMETER],
        responses=EntriesOfArticle,
    )
    def get(self, request: Request, identifier: str) -> Response:
        article = get_visible_article(request, identifier)
        shown = get_requested_text(request, article)
        state = (article.version, load_annotation_state_for_etag(request, article))
        return respond_unless_etag_matches(request, state, lambda: self.build_response(request, shown))

    def build_response(self, request: Request, shown: RequestedText) -> Response:
        reading = load_collated_article_without_calibrations(request, shown)
        entries = EntryDetailsOfArticle(
            format_pmid_or_opaque(shown.article),
            list(iter_entry_details(reading, _list_named_entry_keys(reading))),
        )
        return Response(EntriesOfArticle(entries).data)
