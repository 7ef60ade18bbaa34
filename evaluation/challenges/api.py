"""Base classes of the REST resources of challenges, and the responses that they share."""

from drf_spectacular.utils import OpenApiResponse
from rest_framework import permissions
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.lib.rest.problems import ConflictProblem
from evaluation.challenges.lookup import get_challenge_or_403_unless_organizer, get_challenge_phase_or_404
from evaluation.challenges.models import Challenge, Phase
from evaluation.errors import ChallengeError, SealError

CONFLICT = "not possible in the present state; the detail says what to do"
CONFLICT_RESPONSE = {409: OpenApiResponse(description=CONFLICT)}
NOT_A_NUMBER_RESPONSE = OpenApiResponse(description="The id is not a number, and what is at the URL cannot be deleted.")
REFUSED_FILE_RESPONSES = {
    **CONFLICT_RESPONSE,
    422: OpenApiResponse(description="the file was refused; every error is listed with line and column"),
}


class ChallengeAPIView(APIView):
    """For users who are logged in. Answers 409 with the message of a ChallengeError or SealError."""

    permission_classes = [permissions.IsAuthenticated]
    # The document has it for all methods that change something.
    conflict_description = CONFLICT

    def handle_exception(self, exc: Exception) -> Response:
        return super().handle_exception(
            ConflictProblem(str(exc)) if isinstance(exc, ChallengeError | SealError) else exc
        )


class OrganizerAPIView(ChallengeAPIView):
    """For the organizers of the challenge in the address; everybody else gets 403."""

    def get_challenge(self) -> Challenge:
        return get_challenge_or_403_unless_organizer(self.request.user, self.kwargs["slug"])

    def get_phase(self) -> Phase:
        return get_challenge_phase_or_404(self.get_challenge(), self.kwargs["phase"])
