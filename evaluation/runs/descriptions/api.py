"""REST resource of the description of a run."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import get_cleaned_form_data, validate_request_data
from evaluation.runs.descriptions.description import RunDescription, get_description_of_run
from evaluation.runs.descriptions.forms import RunDescriptionForm
from evaluation.runs.descriptions.removal import remove_description
from evaluation.runs.run_page.lookup import get_organized_run_or_403, get_own_team_run_or_403


class DescriptionOfRun(serializers.Serializer[RunDescription]):
    """What the team says about the run."""

    method_name = serializers.CharField()
    abstract = serializers.CharField()
    paper = serializers.CharField(help_text="URL")
    code = serializers.CharField(help_text="URL")
    environment = serializers.CharField(help_text="what it ran on")


class NewDescription(RequestSerializer[Any]):
    method_name = serializers.CharField(required=False, allow_blank=True, max_length=200)
    abstract = serializers.CharField(required=False, allow_blank=True, max_length=4000)
    paper = serializers.CharField(required=False, allow_blank=True, max_length=500, help_text="URL or DOI")
    code = serializers.CharField(required=False, allow_blank=True, max_length=500, help_text="URL")
    environment = serializers.CharField(required=False, allow_blank=True, max_length=1000)


class RunDescriptionView(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(
        summary="Describe a run",
        operation_id="runs_description_update",
        request=NewDescription,
        responses=DescriptionOfRun,
    )
    def put(self, request: Request, pk: int) -> Response:
        """For members of its team. What is left out becomes empty. The leaderboard shows it with the team's name."""
        run = get_own_team_run_or_403(request.user, pk)
        form = RunDescriptionForm(validate_request_data(NewDescription, request), instance=run)
        get_cleaned_form_data(form)
        return Response(DescriptionOfRun(get_description_of_run(form.save())).data)

    @extend_schema(summary="Remove the description of a run", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """For organizers of the challenge. The team can write another one."""
        remove_description(get_organized_run_or_403(request.user, pk))
        return Response(status=204)
