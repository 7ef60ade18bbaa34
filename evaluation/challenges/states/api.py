"""The state of a challenge, by REST."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from bcms.lib.rest.fields import ExplainedChoiceField
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data
from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.challenge_page.api import ChallengeWithParts, reload_and_serialize_challenge
from evaluation.challenges.models import ChallengeState
from evaluation.challenges.states.transitions import change_challenge_state


class StateOfChallenge(RequestSerializer[Any]):
    state = ExplainedChoiceField(choices=ChallengeState.choices)


class ChallengeStateChange(OrganizerAPIView):
    @extend_schema(
        summary="Change the state of a challenge",
        request=StateOfChallenge,
        responses={200: ChallengeWithParts, **CONFLICT_RESPONSE},
    )
    def put(self, request: Request, slug: str) -> Response:
        """A draft is seen by its organizers only. From `draft` to `listed`, then `closed`, then `archived`; one step
        back is possible too, but to `draft` only while no team takes part and nothing is published."""
        challenge = self.get_challenge()
        change_challenge_state(challenge, ChallengeState(validate_request_data(StateOfChallenge, request)["state"]))
        return Response(reload_and_serialize_challenge(challenge))
