"""REST: trials of a server, each of which sends it one article at once, outside its queues."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import generics, permissions, serializers, status
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.server_page.trials.trial_input import UnknownArticleError, copy_trial_fields, find_trial_article
from servers.registry import trials
from servers.registry.lookup import get_server_user_may_run
from servers.registry.models import Trial


class TrialOfServer(serializers.ModelSerializer[Trial]):
    """A trial. report has the format of `python -m servers.kit check --json`, and is empty until the trial ends."""

    good = serializers.SerializerMethodField(help_text="whether the answer breaks no rule")

    class Meta:
        model = Trial
        fields = ["id", "started", "finished", "good", "report"]

    def get_good(self, trial: Trial) -> bool:
        return bool(trial.report.get("passed"))


class TrialRequest(RequestSerializer[Trial]):
    """The article of a trial."""

    pmid = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=9,
        help_text="PMID of an article of this site; empty: one in which servers found genes",
    )


class TooManyTrials(Throttled):
    default_code = "too-many-trials"


class TryServer(APIView):
    """Trials of a server. For members of its team."""

    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Try a server",
        request=TrialRequest,
        responses={202: TrialOfServer, 429: OpenApiResponse(description="too many trials in the last hour")},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Send one article to the server at once, outside its queues. Poll the trial until it is finished."""
        server = get_server_user_may_run(request, slug)
        requested = TrialRequest(data=request.data)
        requested.is_valid(raise_exception=True)
        try:
            article = find_trial_article(requested.validated_data["pmid"])
            trial = trials.store_and_enqueue_trial_below_limit(
                server.team, request.user, copy_trial_fields(server), article, server
            )
        except UnknownArticleError as error:
            raise serializers.ValidationError({"pmid": [str(error)]}) from error
        except trials.TooManyTrialsError as refusal:
            raise TooManyTrials(detail=str(refusal)) from refusal
        trial.refresh_from_db()
        return Response(TrialOfServer(trial).data, status=status.HTTP_202_ACCEPTED)


@extend_schema_view(get=extend_schema(summary="Read a trial"))
class TrialDetail(generics.RetrieveAPIView[Trial]):
    """One trial of a server, with its report. For members of its team."""

    permission_classes = [permissions.IsAuthenticated]
    serializer_class = TrialOfServer
    queryset = Trial.objects.none()

    def get_object(self) -> Trial:
        server = get_server_user_may_run(self.request, self.kwargs["slug"])
        return get_object_or_404(
            Trial.objects.defer("request", "answer", "callback", "batch_callback"), pk=self.kwargs["pk"], server=server
        )
