"""REST: TAP-k of retrieval lists, which are not stored."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.formats.errors import RefusedFileError
from bcms.lib.rest.problems import UnprocessableFile
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.analyses.tap_reports import TapReport, build_tap_report
from evaluation.measures.tap import TapError, TapK
from evaluation.retrieval.pasted_lists import (
    MAX_CHARACTERS,
    MAX_K,
    MAX_K_NUMBERS,
    SOURCE,
    build_refused_lists_error,
    read_pasted_lists,
)


class SentRetrievalLists(RequestSerializer[Any]):
    lists = serializers.CharField(
        max_length=MAX_CHARACTERS,
        trim_whitespace=False,
        help_text="blocks separated by blank lines: query and optionally its weight; number of relevant records; then "
        "for each record, best first, 1 or 0 and its score",
    )
    k = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=MAX_K),
        min_length=1,
        max_length=MAX_K_NUMBERS,
        default=[5, 10, 20],
        help_text="numbers of errors",
    )
    pad = serializers.BooleanField(
        default=False, help_text="use whole lists if fewer than half of them have k errors, as in BioCreative III"
    )


class TapOfLists(serializers.Serializer[TapK]):
    """e_k: the threshold, null if there is none; tap_k: the weighted mean; queries: the TAP of each query."""

    k = serializers.IntegerField()
    e_k = serializers.FloatField(allow_null=True)
    tap_k = serializers.FloatField()
    queries = serializers.DictField(child=serializers.FloatField())


class TapOfRetrievalLists(serializers.Serializer[TapReport]):
    taps = TapOfLists(many=True, help_text="with one threshold for all lists; empty if there is none, see refusal")
    per_list = TapOfLists(many=True, help_text="each list cut at its own k-th error")
    refusal = serializers.CharField(help_text="why `taps` is empty, else empty")


class RetrievalLists(APIView):
    permission_classes = [permissions.AllowAny]

    @extend_schema(
        summary="Score retrieval lists by TAP-k",
        operation_id="tapk_create",
        request=SentRetrievalLists,
        responses={
            200: TapOfRetrievalLists,
            422: OpenApiResponse(description="invalid lists, with all faults by line"),
        },
    )
    def post(self, request: Request) -> Response:
        """The threshold average precision (Carroll et al. 2010), as `python -m evaluation tapk` prints it. The lists
        are not stored."""
        data = validate_request_data(SentRetrievalLists, request)
        try:
            report = build_tap_report(read_pasted_lists(data["lists"]), list(dict.fromkeys(data["k"])), pad=data["pad"])
        except RefusedFileError as error:
            raise UnprocessableFile(error.faults, {SOURCE: "lists"}) from error
        except TapError as error:
            refused = build_refused_lists_error(error.wrong, error.fix)
            raise UnprocessableFile(refused.faults, {SOURCE: "lists"}) from error
        return Response(TapOfRetrievalLists(report).data)
