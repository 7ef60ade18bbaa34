"""REST: one mention in an article, with its servers, its possible meanings and the sentences that name it."""

from collections.abc import Sequence
from dataclasses import dataclass

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.queries import format_pmid_or_opaque
from annotations.results.heat_map import MentionParts
from bcms.article_annotations.api import load_annotation_state_for_etag
from bcms.article_annotations.article_lookup import get_visible_article
from bcms.article_annotations.text_versions import TEXT_PARAMETER, RequestedText, get_requested_text
from bcms.article_page.collated_article import CollatedArticle
from bcms.article_page.entries.api import (
    EntryDetails,
    EntryOfArticle,
    iter_entry_details,
    load_collated_article_without_calibrations,
)
from bcms.article_page.mention_panel import build_mention_panel, parse_parts
from bcms.article_page.reader_choice import parse_parts_or_none
from bcms.article_page.template_data import MentionPanel
from bcms.article_page.text.marked_text import get_text_of_parts
from bcms.lib.rest.conditional import respond_unless_etag_matches
from bcms.lib.rest.query_parameters import read_short_text_parameter
from servers.review.reader_choice import UNREVIEWED_PARAMETER

BESIDE_PARAMETER = OpenApiParameter(
    "beside",
    OpenApiTypes.STR,
    description="The span of another mention, for example 20-24, to list only sentences that name both.",
)


@dataclass(frozen=True, slots=True)
class TextOccurrence:
    """A span of the canonical text; count is the number of sentences, for a mention beside the chosen one."""

    start: int
    end: int
    text: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class MeaningDetails:
    """An entry that a mention may refer to by one of its names; servers: how many report it."""

    entry: EntryDetails
    because: str
    spelling: str
    servers: int


@dataclass(frozen=True, slots=True)
class MentionDetails:
    """A mention; looked: how many servers annotated mentions; sentences: the first of number_of_sentences."""

    id: str
    occurrence: TextOccurrence
    type: str
    servers: Sequence[str]
    looked: int
    meanings: Sequence[MeaningDetails]
    overlaps: Sequence[TextOccurrence]
    beside: Sequence[TextOccurrence]
    number_of_sentences: int
    sentences: Sequence[TextOccurrence]


class PlaceInText(serializers.Serializer[TextOccurrence]):
    start = serializers.IntegerField(help_text="counts Unicode code points of the canonical text")
    end = serializers.IntegerField(help_text="exclusive")
    text = serializers.CharField()


class NamedBeside(PlaceInText):
    sentences = serializers.IntegerField(source="count", help_text="number of sentences that name both")


class MeaningOfMention(serializers.Serializer[MeaningDetails]):
    entry = EntryOfArticle()
    because = serializers.CharField(
        help_text="the kind of name that the mention matches: symbol, name or synonym; link if servers link it"
    )
    spelling = serializers.CharField(help_text="this name as the database spells it; the mention's text for a link")
    servers = serializers.IntegerField(help_text="number of servers that report the entry, or that link the mention")


class MentionOfArticle(serializers.Serializer[MentionDetails]):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    mention = PlaceInText(source="occurrence")
    type = serializers.CharField()
    servers = serializers.ListField(child=serializers.CharField(), help_text="slugs of the servers that mark it")
    looked = serializers.IntegerField(help_text="number of servers that annotated mentions")
    meanings = MeaningOfMention(many=True, help_text="the most likely first")
    overlaps = PlaceInText(many=True, help_text="other mentions that share a character with it")
    beside = NamedBeside(many=True, help_text="other mentions in the same sentences, the most frequent first")
    number_of_sentences = serializers.IntegerField()
    sentences = PlaceInText(many=True, help_text="the first 50 sentences with this mention or a synonym of it")


class ArticleMention(APIView):
    """One mention: the servers that mark it, the entries it may refer to, and the sentences that name them."""

    query_parameters = ("beside", "text", "unreviewed")

    @extend_schema(
        summary="Read a mention",
        parameters=[BESIDE_PARAMETER, TEXT_PARAMETER, UNREVIEWED_PARAMETER],
        responses=MentionOfArticle,
    )
    def get(self, request: Request, identifier: str, start: int, end: int) -> Response:
        article = get_visible_article(request, identifier)
        shown, beside = get_requested_text(request, article), _read_beside_parameter(request)
        state = (article.version, load_annotation_state_for_etag(request, article))
        return respond_unless_etag_matches(
            request, state, lambda: self.build_response(request, shown, ((start, end),), beside)
        )

    def build_response(
        self, request: Request, shown: RequestedText, mention: MentionParts, beside: MentionParts | None
    ) -> Response:
        reading = load_collated_article_without_calibrations(request, shown, mention, beside)
        chosen = build_mention_panel(reading, {})
        if chosen is None:
            raise NotFound(f"No server marks the characters {_format_range(mention)} of this article.")
        if beside and not chosen.beside:
            raise ValidationError({"beside": f"No server marks the characters {_format_range(beside)}."})
        return Response(MentionOfArticle(_build_mention_details(reading, mention, chosen)).data)


def _read_beside_parameter(request: Request) -> MentionParts | None:
    """The span in `beside`, None without one; ValidationError for anything else."""
    text = read_short_text_parameter(request, "beside")
    span = parse_parts_or_none(text)
    if text and span is None:
        raise ValidationError({"beside": "Enter the start and the exclusive end of a mention, such as 20-24."})
    return span


def _build_mention_details(reading: CollatedArticle, mention: MentionParts, chosen: MentionPanel) -> MentionDetails:
    text = reading.article.text
    entries = {
        (entry.database, entry.identifier): entry for entry in iter_entry_details(reading, reading.chosen_entries)
    }
    return MentionDetails(
        id=format_pmid_or_opaque(reading.article),
        occurrence=_make_text_occurrence(text, mention),
        type=", ".join(chosen.given_types),
        servers=[source.slug for source in chosen.sources],
        looked=chosen.total,
        meanings=[
            MeaningDetails(entries[meaning.key], meaning.because, meaning.spelling, meaning.count)
            for meaning in chosen.meanings
        ],
        overlaps=[_make_text_occurrence(text, parse_parts(near.mention), near.count) for near in chosen.neighbours],
        beside=[_make_text_occurrence(text, parse_parts(near.mention), near.count) for near in chosen.companions],
        number_of_sentences=chosen.sentences,
        sentences=[_make_text_occurrence(text, (excerpt.sentence,)) for excerpt in chosen.excerpts],
    )


def _make_text_occurrence(text: str, parts: MentionParts, count: int = 1) -> TextOccurrence:
    return TextOccurrence(parts[0][0], parts[-1][1], get_text_of_parts(text, parts), count)


def _format_range(mention: MentionParts) -> str:
    return f"{mention[0][0]} to {mention[-1][1]}"
