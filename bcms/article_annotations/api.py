"""REST: the annotations of one article, by producer and kind. evaluation/visibility.py decides who sees what."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Max, QuerySet
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.formats.articles.open_members import build_nonempty_open_members, iter_entities_of_open_members
from annotations.identifiers.loaded_namespaces import find_unchecked_entities, make_table_state
from annotations.results.models import RESULT_KIND_CHOICES, Producer
from annotations.schema import FLAT_ANNOTATION_FIELDS, AnnotationData, EntityId, Kind
from bcms.article_annotations.article_lookup import get_visible_article
from bcms.article_annotations.calibrated_confidences import add_calibrated_confidences, list_visible_server_calibrations
from bcms.article_annotations.current_annotations import (
    ProducerAnnotations,
    ResolvedAnnotation,
    list_producer_annotations_with_current_identifiers,
)
from bcms.article_annotations.text_versions import TEXT_PARAMETER, RequestedText, get_requested_text
from bcms.lib.rest.conditional import respond_unless_etag_matches
from bcms.lib.rest.query_parameters import read_choice_parameter, read_short_text_parameter
from evaluation.visibility import list_producers_in_rest
from servers.review.reader_choice import UNREVIEWED_PARAMETER
from servers.review.visible_servers import list_servers_with_public_page

KIND_PARAMETER = OpenApiParameter(
    "kind", OpenApiTypes.STR, enum=[kind.value for kind in Kind], description="Only annotations of this kind."
)
SERVER_PARAMETER = OpenApiParameter(
    "server", OpenApiTypes.STR, description="Only annotations by the server with this slug."
)


@dataclass(frozen=True, slots=True)
class AnnotationsByProducer:
    """An article's identifier, the version of its text, and one entry per producer and kind."""

    id: str
    text_version: int
    results: Sequence[ProducerAnnotations] = field(default_factory=list)


class ProducerOfResult(serializers.ModelSerializer[Producer]):
    class Meta:
        model = Producer
        fields = ["id", "sort", "name", "public"]


class SpanList(serializers.ListField):
    child = serializers.ListField(child=serializers.IntegerField(), min_length=2, max_length=2)


class CheckedIdentifier(serializers.Serializer[Any]):
    curie = serializers.CharField(help_text="with the prefix of the Bioregistry, such as mesh:D001943 or mi:0018")
    database = serializers.CharField(help_text="empty if the producer named none that is known")
    identifier = serializers.CharField(help_text="current identifier in its database")
    checked = serializers.BooleanField(
        required=False, help_text="false if nothing is known about its existence; otherwise missing"
    )


class ArgumentOfRelation(serializers.Serializer[Any]):
    """An entity, or a mention of the same producer. Members that are empty are missing."""

    role = serializers.CharField(required=False, help_text="what it is in the relation")
    identifiers = CheckedIdentifier(many=True, required=False, help_text="of the entity, or the links of the mention")
    spans = SpanList(required=False, help_text="of the mention: [start, end] of each of its parts")
    type = serializers.CharField(required=False, help_text="of the mention")
    text = serializers.CharField(required=False, help_text="of the mention")


class FieldsOfAnnotation(serializers.Serializer[Any]):
    """One annotation. Which fields are used depends on the kind; positions are half-open.

    spans and all members after it are missing if they are empty.
    """

    confidence = serializers.FloatField(
        source="annotation.confidence", allow_null=True, help_text="in (0, 1]; null if none was given"
    )
    rank = serializers.IntegerField(source="annotation.rank", allow_null=True)
    start = serializers.IntegerField(source="annotation.start", allow_null=True)
    end = serializers.IntegerField(source="annotation.end", allow_null=True)
    text = serializers.CharField(source="annotation.text")
    type = serializers.CharField(source="annotation.type")
    database = serializers.CharField(source="annotation.database")
    identifier = serializers.CharField(source="annotation.identifier", help_text="current identifier in its database")
    partner = serializers.CharField(
        source="annotation.partner", help_text="second identifier of a pair; current in its database"
    )
    taxon = serializers.IntegerField(source="annotation.taxon", allow_null=True)
    relevant = serializers.BooleanField(source="annotation.relevant", allow_null=True)
    spans = SpanList(required=False, help_text="of a mention in several parts: [start, end] of each")
    identifiers = CheckedIdentifier(many=True, required=False, help_text="the links of a mention")
    arguments = ArgumentOfRelation(many=True, required=False, help_text="of a relation")
    directed = serializers.BooleanField(
        required=False, help_text="true if the order or the roles of the arguments matter; otherwise missing"
    )
    qualifiers = serializers.DictField(
        child=serializers.CharField(), required=False, help_text="of a relation, by name, such as novelty or negated"
    )
    evidence = SpanList(required=False, help_text="of a relation: [start, end] of the passages that support it")
    checked = serializers.BooleanField(
        required=False,
        help_text="false for an entity about whose existence nothing is known; otherwise missing",
    )

    def to_representation(self, instance: Any) -> dict[str, object]:
        """The declared members without empty open ones, ten times as fast as by their fields.

        The context names unchecked entities, if there are any: `unchecked`.
        """
        annotation: AnnotationData = instance.annotation
        return {
            **{name: getattr(annotation, name) for name in FLAT_ANNOTATION_FIELDS},
            **self.build_own_members(instance),
            **build_nonempty_open_members(annotation, self.context.get("unchecked", ())),
        }

    def build_own_members(self, instance: Any) -> Mapping[str, object]:
        """The members that are beside those of the annotation; none here."""
        return {}


class AnnotationOfProducer(FieldsOfAnnotation):
    reported = serializers.ListField(
        child=serializers.CharField(),
        help_text="the identifiers as reported (both of a pair), if the database has replaced them; otherwise empty",
    )
    calibrated = serializers.FloatField(
        allow_null=True,
        help_text="how often the server is correct at this confidence, learned in training; null if unknown",
    )

    def build_own_members(self, instance: ResolvedAnnotation) -> Mapping[str, object]:
        return {"reported": list(instance.reported), "calibrated": instance.calibrated}


MOVING_MEMBERS = ("moved_from", "not_movable", "left_behind")


def drop_moving_unless_moved(members: dict[str, object]) -> dict[str, object]:
    """The members of a result without `moved_from` and others that only results with moved annotations have."""
    if members["moved_from"] is not None:
        return members
    return {name: value for name, value in members.items() if name not in MOVING_MEMBERS}


class ResultOfProducer(serializers.Serializer[ProducerAnnotations]):
    producer = ProducerOfResult()
    server = serializers.CharField(help_text="slug of the server; empty for other producers")
    mode = serializers.CharField(help_text="mode of the server's queue: live, training or test")
    id = serializers.IntegerField(source="result.id", help_text="details are at .../results/ID/")
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES, source="result.kind")
    stated_version = serializers.CharField(
        source="result.stated_version", help_text="version of the server's system then; empty if not stated"
    )
    received = serializers.DateTimeField(source="result.received")
    duration = serializers.FloatField(source="result.duration", allow_null=True, help_text="seconds")
    empty_reason = serializers.CharField(source="result.empty_reason", help_text="why there are no annotations")
    moved_from = serializers.IntegerField(
        source="result.moved_from",
        required=False,
        help_text="version of the text that was annotated, if the annotations were moved from it; 0 if they came "
        "with a slightly different text; otherwise missing",
    )
    not_movable = serializers.IntegerField(
        source="result.not_movable",
        required=False,
        help_text="number of annotations that were not moved, as the text no longer has their words; details are at "
        ".../results/ID/; missing if nothing was moved",
    )
    annotations = AnnotationOfProducer(many=True, source="resolved_annotations")

    def to_representation(self, instance: ProducerAnnotations) -> dict[str, object]:
        return drop_moving_unless_moved(super().to_representation(instance))


class AnnotationsOfArticle(serializers.Serializer[AnnotationsByProducer]):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    text_version = serializers.IntegerField(help_text="version of the text that the positions refer to")
    results = ResultOfProducer(many=True)


@method_decorator(gzip_page, name="dispatch")
class ArticleAnnotations(APIView):
    """The current annotations of one article by producer and kind, with confidence and provenance. For an older text,
    the last annotations that each producer made on it."""

    query_parameters = ("kind", "server", "text", "unreviewed")

    @extend_schema(
        summary="Read an article's annotations",
        parameters=[KIND_PARAMETER, SERVER_PARAMETER, TEXT_PARAMETER, UNREVIEWED_PARAMETER],
        responses=AnnotationsOfArticle,
    )
    def get(self, request: Request, identifier: str) -> Response:
        article = get_visible_article(request, identifier)
        shown = get_requested_text(request, article)
        kind = read_choice_parameter(request, "kind", Kind)
        _check_server_parameter(request)
        state = (article.version, load_annotation_state_for_etag(request, article))
        return respond_unless_etag_matches(request, state, lambda: self.build_response(request, shown, kind))

    def build_response(self, request: Request, shown: RequestedText, kind: Kind | None) -> Response:
        article = shown.article
        results = add_calibrated_confidences(
            list_producer_annotations_with_current_identifiers(
                article, _list_requested_producers(request), on_older_text_in_memory=shown.older
            ),
            request.user,
        )
        results = [result for result in results if kind in (None, result.result.kind)]
        annotated = AnnotationsByProducer(format_pmid_or_opaque(article), article.text_version, results)
        unchecked = find_unchecked_open_entities(each for result in results for each in result.annotations)
        return Response(AnnotationsOfArticle(annotated, context={"unchecked": unchecked}).data)


def find_unchecked_open_entities(annotations: Iterable[AnnotationData]) -> set[EntityId]:
    """Those in open members about whose existence nothing is known: 1 query, none without such members."""
    return find_unchecked_entities(
        entity_id for annotation in annotations for entity_id in iter_entities_of_open_members(annotation)
    )


def load_annotation_state_for_etag(request: Request, article: Article) -> object:
    """Everything in a response that can change without a new version of the article, for its ETag: the visible
    producers, their names, what is public, their calibrations, and the tables of identifiers. 2 queries."""
    producers = _list_requested_producers(request).filter(results__article=article, results__superseded__isnull=True)
    producers = producers.annotate(newest=Max("results"), number=Count("results"), tables=make_table_state())
    name_fields = ("pk", "name", "public", "queue__mode", "queue__server__slug")
    rows = list(producers.order_by("pk").values_list("newest", "number", "renewed", "tables", *name_fields))
    calibrations = list_visible_server_calibrations(request.user, (slug for *_, slug in rows if slug))
    return rows, list(calibrations.values_list("pk", "knots").order_by("pk"))


def _check_server_parameter(request: Request) -> None:
    slug = read_short_text_parameter(request, "server")
    if slug and not list_servers_with_public_page(request.user).filter(slug=slug).exists():
        raise ValidationError({"server": f"There is no server “{slug}”. Choose one listed at /api/v1/servers/."})


def _list_requested_producers(request: Request) -> QuerySet[Producer]:
    producers = list_producers_in_rest(request)
    slug = read_short_text_parameter(request, "server")
    return producers.filter(queue__server__slug=slug) if slug else producers
