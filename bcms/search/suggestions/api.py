"""REST: entries that somebody may mean by a text, to choose one for a search or a curation."""

import re
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.identifiers.namespaces import build_entry_url_or_empty, find_database_by_spelling
from annotations.search.entry_matches import NameMatch
from annotations.search.entry_suggestions import (
    MOST_CHOSEN_ORGANISMS,
    MOST_SUGGESTED_ENTRIES,
    SuggestedEntry,
    suggest_entries,
)
from annotations.search.typed_names import SHORTEST_BEGINNING, SHORTEST_MISTYPED
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
    description="The beginning of a name, synonym, identifier or CURIE, or words of a name, ignoring case, spaces and "
    f"dashes; a URL of an entry. In texts and words of {SHORTEST_MISTYPED} or more characters, one letter may be "
    "missing, wrong or too many, or two adjacent ones swapped, but not in identifiers. An organism at the start or end "
    f"(p53 human) has the effect of the parameter organisms. Fewer than {SHORTEST_BEGINNING} characters, or none, find "
    "nothing.",
)
NAMESPACE_PARAMETER = OpenApiParameter(
    "namespace", OpenApiTypes.STR, description="Only entries of this database, in any spelling: mesh, NCBI Gene."
)
TAXON_LIST = re.compile(rf"^[1-9][0-9]{{0,8}}(,[1-9][0-9]{{0,8}}){{0,{MOST_CHOSEN_ORGANISMS - 1}}}$")
ORGANISMS_PARAMETER = OpenApiParameter(
    "organisms",
    {"type": "string", "pattern": TAXON_LIST.pattern},
    description="Ids of the NCBI Taxonomy, separated by commas: 9606,10090. Of the entries that match in the same way, "
    f"those of these organisms come first. At most {MOST_CHOSEN_ORGANISMS}.",
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
    match = serializers.ChoiceField(
        [each.value for each in NameMatch],
        help_text="how q matches: it is a name, begins one, has words of names, or does so with a typing error",
    )
    matched = serializers.CharField(
        help_text="the synonym that matches; empty if the symbol, name or identifier does, or several names together"
    )
    taxon = serializers.IntegerField(allow_null=True)
    organism = serializers.CharField(help_text="name of the organism; empty if unknown")
    chosen_organism = serializers.BooleanField(help_text="whether its organism is in organisms, or named in q")
    location = serializers.CharField(help_text="of a protein in the cell or a gene on its chromosome; empty if unknown")
    function = serializers.CharField(help_text="a short description; empty if unknown")
    articles = serializers.IntegerField(
        help_text="number of articles that have it in public annotations, counted every ten minutes"
    )
    page = serializers.SerializerMethodField(help_text="URL of its page in the database; empty if there is none")

    def get_page(self, entry: SuggestedEntry) -> str:
        return build_entry_url_or_empty(entry.database, entry.identifier)


class EntrySuggestions(serializers.Serializer[Any]):
    results = EntrySuggestion(many=True)


class EntryList(APIView):
    """Entries of databases that somebody may mean by q.

    First those of which a name, synonym or identifier begins with q, then those with words that begin with the words of
    q, then, unless q is exactly a name, those that do so but for one typing error. In each group, entries of the chosen
    organisms come first, then exact names, then the entries in most articles. Included are entries in public
    annotations and in the tables of identifiers that this site has loaded. If the PSI-MI ontology was not loaded,
    the terms of it that curation needs come last, without typing errors.
    """

    query_parameters = ("q", "namespace", "organisms", "limit")

    @extend_schema(
        summary="Suggest entries by name",
        parameters=[Q_PARAMETER, NAMESPACE_PARAMETER, ORGANISMS_PARAMETER, LIMIT_PARAMETER],
        responses=EntrySuggestions,
    )
    def get(self, request: Request) -> Response:
        text = read_short_text_parameter(request)
        databases = _read_databases(request)
        limit = read_number_parameter(request, "limit", DEFAULT_SUGGESTIONS, low=1, high=MOST_SUGGESTED_ENTRIES)
        entries = suggest_entries(text, databases, limit, _read_organisms(request))
        return Response(EntrySuggestions({"results": entries}).data)


def _read_organisms(request: Request) -> list[int]:
    text = request.query_params.get("organisms")
    if text is None:
        return []
    if not TAXON_LIST.match(text):
        message = f"Send at most {MOST_CHOSEN_ORGANISMS} NCBI Taxonomy ids, separated by commas, such as 9606,10090."
        raise ValidationError({"organisms": message})
    return [int(taxon) for taxon in text.split(",")]


def _read_databases(request: Request) -> list[str]:
    spelling = read_filled_text_parameter(request, "namespace")
    if not spelling:
        return []
    database = find_database_by_spelling(spelling)
    if database is None:
        raise ValidationError({"namespace": "There is no such database; send its prefix, such as mesh or ncbigene."})
    return [database]
