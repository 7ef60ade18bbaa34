"""REST: entries whose names begin with a text, to choose one for a search."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.identifiers.namespaces import build_entry_url_or_empty, find_database_by_spelling
from annotations.search.entry_suggestions import (
    MOST_SUGGESTED_ENTRIES,
    SHORTEST_BEGINNING,
    SuggestedEntry,
    suggest_entries_by_beginning,
)
from bcms.lib.rest.query_parameters import (
    LONGEST_QUERY,
    read_filled_text_parameter,
    read_number_parameter,
    read_short_text_parameter,
)

DEFAULT_SUGGESTIONS = 10
Q_PARAMETER = OpenApiParameter(
    "q",
    {"type": "string", "maxLength": LONGEST_QUERY},
    description=f"The beginning of a name, synonym, identifier or CURIE, ignoring case, spaces and dashes. Fewer than "
    f"{SHORTEST_BEGINNING} characters, or none, find nothing.",
)
NAMESPACE_PARAMETER = OpenApiParameter(
    "namespace", OpenApiTypes.STR, description="Only entries of this database, in any spelling: mesh, NCBI Gene."
)
LIMIT_PARAMETER = OpenApiParameter(
    "limit",
    {"type": "integer", "minimum": 1, "maximum": MOST_SUGGESTED_ENTRIES},
    description=f"Number of entries, at most {MOST_SUGGESTED_ENTRIES}. Default: {DEFAULT_SUGGESTIONS}.",
)


class EntrySuggestion(serializers.Serializer[SuggestedEntry]):
    curie = serializers.CharField(help_text="what to send as entity to a search, such as MESH:D001943")
    database = serializers.CharField(help_text="as in annotations, such as mesh")
    identifier = serializers.CharField()
    namespace = serializers.CharField(help_text="name of the database, such as MeSH")
    symbol = serializers.CharField()
    name = serializers.CharField(help_text="the preferred name")
    matched = serializers.CharField(help_text="the synonym that begins with q; empty if the symbol or name does")
    taxon = serializers.IntegerField(allow_null=True)
    organism = serializers.CharField(help_text="name of the organism; empty if unknown")
    articles = serializers.IntegerField(
        help_text="number of articles that have it in public annotations, counted every ten minutes"
    )
    page = serializers.SerializerMethodField(help_text="URL of its page in the database; empty if there is none")

    def get_page(self, entry: SuggestedEntry) -> str:
        return build_entry_url_or_empty(entry.database, entry.identifier)


class EntrySuggestions(serializers.Serializer[Any]):
    results = EntrySuggestion(many=True)


class EntryList(APIView):
    """Entries of databases whose name, synonym or identifier begins with q.

    Exact names come first, then the entries in most articles. Included are entries in public annotations and in the
    tables of identifiers that this site has loaded.
    """

    query_parameters = ("q", "namespace", "limit")

    @extend_schema(
        summary="Suggest entries by name",
        parameters=[Q_PARAMETER, NAMESPACE_PARAMETER, LIMIT_PARAMETER],
        responses=EntrySuggestions,
    )
    def get(self, request: Request) -> Response:
        text = read_short_text_parameter(request)
        databases = _read_databases(request)
        limit = read_number_parameter(request, "limit", DEFAULT_SUGGESTIONS, low=1, high=MOST_SUGGESTED_ENTRIES)
        return Response(EntrySuggestions({"results": suggest_entries_by_beginning(text, databases, limit)}).data)


def _read_databases(request: Request) -> list[str]:
    spelling = read_filled_text_parameter(request, "namespace")
    if not spelling:
        return []
    database = find_database_by_spelling(spelling)
    if database is None:
        raise ValidationError({"namespace": "There is no such database; send its prefix, such as mesh or ncbigene."})
    return [database]
