"""REST: the questionnaire that follows an article of an experiment."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotations.curation.models import Curation
from annotations.curation.projects.questionnaire_replies import store_questionnaire_reply
from annotations.curation.projects.questions import FREE_QUESTION, LONGEST_COMMENT, SCALE, SCALED_QUESTIONS
from bcms.curation.rest.api import CurationAPIView
from bcms.curation_projects.questionnaires.queries import (
    find_reply,
    get_curation_with_questionnaire_or_404,
    list_answered_statements,
)
from bcms.lib.rest.request_serializers import RequestSerializer
from bcms.lib.rest.validation import validate_request_data


class QuestionnaireStatement(serializers.Serializer[Any]):
    name = serializers.CharField()
    statement = serializers.CharField()
    answer = serializers.IntegerField(allow_null=True, help_text="from 1, strongly disagree, to 5, strongly agree")


class QuestionnaireOfCuration(serializers.Serializer[Any]):
    """stored: null before it is answered or skipped. question, comment: the question that is answered in words."""

    statements = QuestionnaireStatement(many=True)
    question = serializers.CharField()
    comment = serializers.CharField()
    stored = serializers.DateTimeField(allow_null=True)


class QuestionnaireAnswers(RequestSerializer[Any]):
    """Leave out what you do not answer; an empty body skips the questionnaire."""

    comment = serializers.CharField(max_length=LONGEST_COMMENT, default="", allow_blank=True)

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        scaled = {
            question.name: serializers.IntegerField(
                min_value=1, max_value=len(SCALE), default=None, allow_null=True, help_text=question.statement
            )
            for question in SCALED_QUESTIONS
        }
        return {**scaled, **super().get_fields()}


class CurationQuestionnaire(CurationAPIView):
    """Only for the curator, and only of an article in an experiment; 404 otherwise."""

    def get_curation(self) -> Curation:
        return get_curation_with_questionnaire_or_404(self.request.user, self.kwargs["pk"])

    @extend_schema(summary="Read a questionnaire", responses=QuestionnaireOfCuration)
    def get(self, request: Request, pk: int) -> Response:
        """The questions on an article of an experiment, with your answers if you have given them."""
        return self._build_response(self.get_curation())

    @extend_schema(
        summary="Answer a questionnaire", request=QuestionnaireAnswers, responses={201: QuestionnaireOfCuration}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Once, after you have finished the article."""
        curation, values = self.get_curation(), validate_request_data(QuestionnaireAnswers, request)
        answers = [values[question.name] for question in SCALED_QUESTIONS]
        store_questionnaire_reply(curation.pk, answers, values["comment"], timezone.now())
        return self._build_response(curation, status.HTTP_201_CREATED)

    def _build_response(self, curation: Curation, code: int = status.HTTP_200_OK) -> Response:
        reply = find_reply(curation)
        values = {
            "statements": list_answered_statements(curation.arm, reply),
            "question": FREE_QUESTION,
            "comment": reply.comment if reply else "",
            "stored": reply.stored if reply else None,
        }
        return Response(QuestionnaireOfCuration(values).data, code)
