"""What servers agree on in an article, and the ways to find it out: also behind XML-RPC's consensus service."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.consensus_rules import METHODS, RuleError, Spans
from annotations.kinds import Kind
from annotations.models import KIND_CHOICES
from bcms.agreeing import (
    USUAL,
    Consensus,
    Question,
    UnknownServerError,
    consensus_of,
    parted,
    threshold_in,
    weights_in,
)
from bcms.api.articles import KIND, FieldsOfAnnotation, article_seen, identifier_of
from bcms.api.conventions import word_of, words_of
from bcms.api.older_texts import TEXT, shown_with_text

PARAMETERS = [
    OpenApiParameter("method", OpenApiTypes.STR, enum=list(METHODS), default=USUAL, description="How to agree."),
    OpenApiParameter("servers", OpenApiTypes.STR, description="Ids of the servers that have a vote, with commas."),
    OpenApiParameter("weights", OpenApiTypes.STR, description="Weights of votes, such as genedict:2,taxonspotter:0.5."),
    OpenApiParameter("threshold", OpenApiTypes.FLOAT, description="How many servers, or which share of the weight."),
    OpenApiParameter(
        "spans", OpenApiTypes.STR, enum=list(Spans), default="strict", description="When mentions are the same."
    ),
    KIND,
    TEXT,
]


class ParameterOfMethod(serializers.Serializer):
    name = serializers.CharField()
    description = serializers.CharField(source="about")
    default = serializers.CharField()


class MethodInList(serializers.Serializer):
    id = serializers.CharField()
    name = serializers.CharField()
    description = serializers.CharField(source="about")
    parameters = ParameterOfMethod(many=True)


class AnnotationOfConsensus(FieldsOfAnnotation):
    """confidence is the mean of the servers that give one; identifiers are those of today."""

    servers = serializers.ListField(child=serializers.CharField(), help_text="ids of the servers that say so")
    support = serializers.FloatField(help_text="their share of the weight of all that looked")


class ConsensusInKind(serializers.Serializer):
    kind = serializers.ChoiceField(choices=KIND_CHOICES)
    servers = serializers.ListField(child=serializers.CharField(), help_text="ids of the servers that looked")
    annotations = AnnotationOfConsensus(many=True, source="agreed")


class ConsensusOfArticle(serializers.Serializer):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    text_version = serializers.IntegerField(help_text="version of the text that the positions count in")
    method = serializers.ChoiceField(choices=[(each.id, each.name) for each in METHODS.values()])
    results = ConsensusInKind(many=True)


@dataclass(frozen=True, slots=True)
class Agreement:
    id: str
    text_version: int
    method: str
    results: Sequence[Consensus]


class ConsensusMethods(APIView):
    """The ways to make a consensus, with their parameters."""

    @extend_schema(
        summary="List consensus methods", operation_id="consensus_methods_list", responses=MethodInList(many=True)
    )
    def get(self, request: Request) -> Response:
        return Response(MethodInList(list(METHODS.values()), many=True).data)


@method_decorator(gzip_page, name="dispatch")
class ArticleConsensus(APIView):
    """What servers agree on in their LIVE queues by one method, for each kind that any of them looked for."""

    @extend_schema(summary="Read an article's consensus", parameters=PARAMETERS, responses=ConsensusOfArticle)
    def get(self, request: Request, identifier: str) -> Response:
        shown = shown_with_text(request, article_seen(request, identifier))
        try:
            question = question_of(request)
            results = consensus_of(shown.article, question, older=shown.older)
        except RuleError as error:
            raise ValidationError({error.parameter: str(error)}) from error
        except UnknownServerError as error:
            raise ValidationError({"servers": str(error)}) from error
        agreement = Agreement(identifier_of(shown.article), shown.article.text_version, question.methods[0], results)
        return Response(ConsensusOfArticle(agreement).data)


def question_of(request: Request) -> Question:
    kind = word_of(request, "kind", Kind)
    return Question(
        methods=[words_of(request, "method") or USUAL],
        threshold=threshold_in(words_of(request, "threshold")),
        weights=weights_in(words_of(request, "weights")),
        servers=parted(words_of(request, "servers")),
        spans=word_of(request, "spans", Spans) or Spans.STRICT,
        kinds=[kind] if kind else (),
    )
