"""REST: the results of a journal over its manuscripts."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import permissions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from bcms.curation_projects.results.api import AgreementOfGroups, SummaryOfStatement
from bcms.manuscripts.results.queries import ManuscriptResults, load_manuscript_results


class CommentOfAuthor(serializers.Serializer[Any]):
    manuscript = serializers.IntegerField(source="article", help_text="its id")
    comment = serializers.CharField()


class AnswersOfAuthors(serializers.Serializer[Any]):
    """replies, skipped: of how many authors."""

    replies = serializers.IntegerField()
    skipped = serializers.IntegerField()
    statements = SummaryOfStatement(many=True)
    comments = CommentOfAuthor(many=True)


class ResultsOfManuscripts(serializers.Serializer[ManuscriptResults]):
    finished = serializers.IntegerField(help_text="manuscripts that their authors have finished")
    agreements = AgreementOfGroups(many=True)
    questionnaire = AnswersOfAuthors()


class ManuscriptResultsOfJournal(APIView):
    permission_classes = [permissions.IsAuthenticated]

    @extend_schema(summary="Read the results of your manuscripts", responses=ResultsOfManuscripts)
    def get(self, request: Request) -> Response:
        """The agreement of authors and the curators that you assigned, before and after publication, and what authors
        answered to the questionnaire."""
        return Response(ResultsOfManuscripts(load_manuscript_results(request.user)).data)
