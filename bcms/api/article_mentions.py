"""One mention of an article: who marks it, what it may mean, and the sentences that tell of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.collation import Span
from bcms.api.article_entries import EntryOfArticle, EntryShown, entries_shown, reading_of
from bcms.api.articles import article_seen, identifier_of, state_of_producers
from bcms.api.conditional import unless_known
from bcms.api.conventions import words_of
from bcms.api.older_texts import TEXT, Shown, shown_with_text
from bcms.pages.article import span_of as span_in
from bcms.pages.choosing import choose, span_of
from bcms.pages.parts import Chosen
from bcms.pages.reading import Reading

BESIDE = OpenApiParameter(
    "beside", OpenApiTypes.STR, description="Another mention, as 20-24: only the sentences that name both."
)


@dataclass(frozen=True, slots=True)
class Place:
    """A mention by its place in the canonical text; count is in how many sentences."""

    start: int
    end: int
    text: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class Meant:
    """An entry that a mention means because of one of its names; so many servers report it."""

    entry: EntryShown
    because: str
    spelling: str
    servers: int


@dataclass(frozen=True, slots=True)
class MentionShown:
    """looked is how many servers looked for mentions; of the sentences the first are listed."""

    id: str
    place: Place
    type: str
    servers: Sequence[str]
    looked: int
    meanings: Sequence[Meant]
    overlaps: Sequence[Place]
    beside: Sequence[Place]
    number_of_sentences: int
    sentences: Sequence[Place]


class PlaceInText(serializers.Serializer):
    start = serializers.IntegerField(help_text="Unicode code points of the canonical text")
    end = serializers.IntegerField(help_text="exclusive")
    text = serializers.CharField()


class NamedBeside(PlaceInText):
    sentences = serializers.IntegerField(source="count", help_text="how many sentences name both")


class MeaningOfMention(serializers.Serializer):
    entry = EntryOfArticle()
    because = serializers.CharField(help_text="symbol, name or synonym: which name of the entry the mention is")
    spelling = serializers.CharField(help_text="that name as the database writes it")
    servers = serializers.IntegerField(help_text="how many servers report the entry")


class MentionOfArticle(serializers.Serializer):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    mention = PlaceInText(source="place")
    type = serializers.CharField()
    servers = serializers.ListField(child=serializers.CharField(), help_text="slugs of the servers that mark it")
    looked = serializers.IntegerField(help_text="how many servers looked for mentions")
    meanings = MeaningOfMention(many=True, help_text="the likeliest first")
    overlaps = PlaceInText(many=True, help_text="other mentions that share a character with it")
    beside = NamedBeside(many=True, help_text="what is named in the same sentences, the most frequent first")
    number_of_sentences = serializers.IntegerField()
    sentences = PlaceInText(many=True, help_text="the first 50 that name it, or another name of what it means")


class ArticleMention(APIView):
    """One mention: who marks it, what it may mean, and every sentence that names the same."""

    @extend_schema(summary="Read a mention", parameters=[BESIDE, TEXT], responses=MentionOfArticle)
    def get(self, request: Request, identifier: str, start: int, end: int) -> Response:
        article = article_seen(request, identifier)
        shown, beside = shown_with_text(request, article), beside_in(request)
        state = (article.version, state_of_producers(request, article))
        return unless_known(request, state, lambda: self.answer(request, shown, (start, end), beside))

    def answer(self, request: Request, shown: Shown, mention: Span, beside: Span | None) -> Response:
        reading = reading_of(request, shown, mention, beside)
        chosen = choose(reading, {})
        if chosen is None:
            raise NotFound(f"No server marks the characters {mention[0]} to {mention[1]} of this article.")
        if beside and not chosen.beside:
            raise ValidationError({"beside": f"No server marks the characters {beside[0]} to {beside[1]}."})
        return Response(MentionOfArticle(mention_shown(reading, mention, chosen)).data)


def beside_in(request: Request) -> Span | None:
    given = words_of(request, "beside")
    span = span_in(given)
    if given and span is None:
        raise ValidationError({"beside": "Give the first character and the one after the last, as 20-24."})
    return span


def mention_shown(reading: Reading, mention: Span, chosen: Chosen) -> MentionShown:
    text = reading.article.text
    entries = {(own.database, own.identifier): own for own in entries_shown(reading, reading.chosen_entries)}
    return MentionShown(
        id=identifier_of(reading.article),
        place=placed(text, mention),
        type=chosen.types,
        servers=[source.slug for source in chosen.sources],
        looked=chosen.total,
        meanings=[Meant(entries[own.key], own.because, own.spelling, own.count) for own in chosen.meanings],
        overlaps=[placed(text, span_of(near.mention), near.count) for near in chosen.neighbours],
        beside=[placed(text, span_of(near.mention), near.count) for near in chosen.companions],
        number_of_sentences=chosen.sentences,
        sentences=[placed(text, told.sentence) for told in chosen.told],
    )


def placed(text: str, span: Span, count: int = 1) -> Place:
    return Place(*span, text[span[0] : span[1]], count)
