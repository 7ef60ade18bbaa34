"""REST: the consensus of the servers on one article, and the list of consensus methods."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.articles.queries import format_pmid_or_opaque
from annotations.results.consensus.methods import (
    CONSENSUS_METHOD_CHOICES,
    CONSENSUS_METHODS,
    ConsensusRuleError,
    MentionMatching,
    SpanMatching,
)
from annotations.results.models import RESULT_KIND_CHOICES
from annotations.schema import Kind
from bcms.article_annotations.api import KIND_PARAMETER, FieldsOfAnnotation, find_unchecked_open_entities
from bcms.article_annotations.article_lookup import get_visible_article
from bcms.article_annotations.text_versions import TEXT_PARAMETER, get_requested_text
from bcms.consensus.article_consensus import (
    DEFAULT_CONSENSUS_METHOD,
    ConsensusOptions,
    KindConsensus,
    SupportedAnnotation,
    UnknownServerError,
    compute_consensus_of_servers,
)
from bcms.consensus.parameters import parse_server_weights, parse_threshold, split_comma_list
from bcms.lib.rest.query_parameters import (
    read_choice_parameter,
    read_filled_text_parameter,
    read_short_text_parameter,
)
from evaluation.visibility import list_producers_in_rest
from servers.calls.states import QueueMode
from servers.review.reader_choice import UNREVIEWED_PARAMETER

CONSENSUS_PARAMETERS = [
    OpenApiParameter(
        "method",
        OpenApiTypes.STR,
        enum=list(CONSENSUS_METHODS),
        default=DEFAULT_CONSENSUS_METHOD,
        description="The consensus method, listed at consensus-methods/.",
    ),
    OpenApiParameter(
        "servers", OpenApiTypes.STR, description="Ids of the voting servers, separated by commas. Default: all."
    ),
    OpenApiParameter(
        "weights", OpenApiTypes.STR, description="Weights of the votes, for example genedict:2,taxonspotter:0.5."
    ),
    OpenApiParameter(
        "threshold",
        OpenApiTypes.FLOAT,
        description="The number of servers that must agree, or their share of the weight, depending on the method.",
    ),
    OpenApiParameter(
        "spans",
        OpenApiTypes.STR,
        enum=list(SpanMatching),
        default="strict",
        description="Whether two mentions match at equal positions only or when they overlap.",
    ),
    OpenApiParameter(
        "match",
        OpenApiTypes.STR,
        enum=list(MentionMatching),
        default="position",
        description="What else has to be equal in two mentions: nothing, their type, or their type and identifiers.",
    ),
    KIND_PARAMETER,
    TEXT_PARAMETER,
    UNREVIEWED_PARAMETER,
]


class ParameterOfMethod(serializers.Serializer[Any]):
    name = serializers.CharField()
    description = serializers.CharField(source="about")
    default = serializers.CharField()


class MethodInList(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(source="about")
    parameters = ParameterOfMethod(many=True)


class AnnotationOfConsensus(FieldsOfAnnotation):
    """confidence is the mean over the servers that give one; identifiers are current.

    Identifiers of one gene count as one annotation, with the identifier that most servers report.
    """

    servers = serializers.ListField(child=serializers.CharField(), help_text="ids of the servers that agree")
    support = serializers.FloatField(help_text="their share of the weight of all servers that annotated this kind")

    def build_own_members(self, instance: SupportedAnnotation) -> Mapping[str, object]:
        return {"servers": list(instance.servers), "support": instance.support}


class ConsensusInKind(serializers.Serializer[KindConsensus]):
    kind = serializers.ChoiceField(choices=RESULT_KIND_CHOICES)
    servers = serializers.ListField(
        child=serializers.CharField(), help_text="ids of the servers that annotated this kind"
    )
    annotations = AnnotationOfConsensus(many=True, source="agreed")


@dataclass(frozen=True, slots=True)
class ConsensusResults:
    id: str
    text_version: int
    method: str
    results: Sequence[KindConsensus]


class ConsensusOfArticle(serializers.Serializer[ConsensusResults]):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    text_version = serializers.IntegerField(help_text="version of the text that the positions refer to")
    method = serializers.ChoiceField(choices=CONSENSUS_METHOD_CHOICES)
    results = ConsensusInKind(many=True)


class ConsensusMethods(APIView):
    """The consensus methods, with their parameters."""

    @extend_schema(
        summary="List consensus methods", operation_id="consensus_methods_list", responses=MethodInList(many=True)
    )
    def get(self, request: Request) -> Response:
        return Response(MethodInList(list(CONSENSUS_METHODS.values()), many=True).data)


@method_decorator(gzip_page, name="dispatch")
class ArticleConsensus(APIView):
    """The consensus of the servers' LIVE queues by one method, for each kind that any server annotated."""

    query_parameters = ("kind", "match", "method", "servers", "spans", "text", "threshold", "unreviewed", "weights")

    @extend_schema(summary="Read an article's consensus", parameters=CONSENSUS_PARAMETERS, responses=ConsensusOfArticle)
    def get(self, request: Request, identifier: str) -> Response:
        shown = get_requested_text(request, get_visible_article(request, identifier))
        try:
            options = _read_consensus_query(request)
            producers = list_producers_in_rest(request).filter(queue__mode=QueueMode.LIVE)
            results = compute_consensus_of_servers(
                shown.article, producers, options, on_older_text_in_memory=shown.older
            )
        except ConsensusRuleError as error:
            raise ValidationError({error.parameter: str(error)}) from error
        except UnknownServerError as error:
            raise ValidationError({"servers": str(error)}) from error
        consensus = ConsensusResults(
            format_pmid_or_opaque(shown.article),
            shown.article.text_version,
            options.methods[0],
            results,
        )
        unchecked = find_unchecked_open_entities(each.annotation for result in results for each in result.agreed)
        return Response(ConsensusOfArticle(consensus, context={"unchecked": unchecked}).data)


def _read_consensus_query(request: Request) -> ConsensusOptions:
    """The options in the query; ConsensusRuleError or ValidationError for an invalid one."""
    kind = read_choice_parameter(request, "kind", Kind)
    return ConsensusOptions(
        methods=[read_filled_text_parameter(request, "method") or DEFAULT_CONSENSUS_METHOD],
        threshold=parse_threshold(read_filled_text_parameter(request, "threshold")),
        weights=parse_server_weights(read_short_text_parameter(request, "weights")),
        servers=split_comma_list(read_short_text_parameter(request, "servers")),
        spans=read_choice_parameter(request, "spans", SpanMatching) or SpanMatching.STRICT,
        match=read_choice_parameter(request, "match", MentionMatching) or MentionMatching.POSITION,
        kinds=[kind] if kind else (),
    )
