"""What a curator has answered, for page and REST."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404

from annotations.curation.models import Curation
from annotations.curation.projects.models import QuestionnaireReply
from annotations.curation.projects.questions import SCALE, SCALED_QUESTIONS
from bcms.curation.access import get_own_curation_or_404
from servers.teams.permissions import User


@dataclass(frozen=True, slots=True)
class AnsweredStatement:
    """A statement and the answer to it: a number from 1 and its text, None and "" for none."""

    name: str
    statement: str
    answer: int | None
    text: str


def get_curation_with_questionnaire_or_404(user: User, curation_id: int) -> Curation:
    """A curation of the user's own in an experiment."""
    curation = get_own_curation_or_404(user, curation_id)
    if not curation.arm:
        raise Http404
    return curation


def find_reply(curation: Curation) -> QuestionnaireReply | None:
    return QuestionnaireReply.objects.filter(curation=curation).first()


def list_answered_statements(arm: str, reply: QuestionnaireReply | None) -> Sequence[AnsweredStatement]:
    """All statements with a scale."""
    answers = reply.answers if reply else [None] * len(SCALED_QUESTIONS)
    return [
        AnsweredStatement(question.name, question.choose_statement(arm), answer, SCALE[answer - 1] if answer else "")
        for question, answer in zip(SCALED_QUESTIONS, answers, strict=True)
    ]
