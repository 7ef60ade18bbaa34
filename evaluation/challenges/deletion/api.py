"""Delete a challenge without runs, or a corpus that nothing uses, by REST."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import permissions, status
from rest_framework.request import Request
from rest_framework.response import Response

from evaluation.challenges.api import CONFLICT_RESPONSE, OrganizerAPIView
from evaluation.challenges.challenge_page.api import ChallengeDetail
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.challenges.deletion.corpus_deletion import delete_unused_corpus, list_own_corpora


class DeletableChallenge(OrganizerAPIView, ChallengeDetail):
    """One challenge with its tasks and phases."""

    permission_classes = [permissions.IsAuthenticatedOrReadOnly]

    @extend_schema(summary="Delete a challenge", responses={204: None, **CONFLICT_RESPONSE})
    def delete(self, request: Request, slug: str) -> Response:
        """With everything in it but its articles. Not possible once teams have runs or something is published. This
        cannot be undone."""
        delete_challenge_without_runs(self.get_challenge())
        return Response(status=status.HTTP_204_NO_CONTENT)


class ChallengeCorpus(OrganizerAPIView):
    @extend_schema(summary="Delete a corpus", responses={204: None, **CONFLICT_RESPONSE})
    def delete(self, request: Request, slug: str, corpus: str) -> Response:
        """A corpus of the challenge that no phase, labelling or import uses. Its articles stay."""
        challenge = self.get_challenge()
        delete_unused_corpus(challenge, get_object_or_404(list_own_corpora(challenge), slug=corpus))
        return Response(status=status.HTTP_204_NO_CONTENT)
