"""Store what curators answer after an article of an experiment, and authors after their manuscript."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from annotations.curation.decisions import lock_curation
from annotations.curation.errors import CurationError
from annotations.curation.projects.models import QuestionnaireReply
from annotations.curation.projects.questions import LONGEST_COMMENT, SCALE, SCALED_QUESTIONS
from annotations.curation.states import CurationState
from annotations.results.models import Producer


@transaction.atomic
def store_questionnaire_reply(
    curation_id: int, answers: Sequence[int | None], comment: str, now: datetime
) -> QuestionnaireReply:
    """Store the answers on a finished curation; all None and no comment if its curator skips the questionnaire.

    CurationError if it is neither part of an experiment nor by an author, if it is not finished, if it has answers, or
    if these are invalid.
    """
    curation = lock_curation(curation_id)
    if not curation.arm and curation.curator.producer.sort != Producer.Type.AUTHOR:
        raise CurationError("This article is not part of an experiment, so it has no questionnaire.")
    if curation.state != CurationState.FINISHED:
        raise CurationError("Finish the article first, then answer.")
    if QuestionnaireReply.objects.filter(curation=curation).exists():
        raise CurationError("The questionnaire on this article is answered or skipped already.")
    _check_answers(answers, comment)
    return QuestionnaireReply.objects.create(curation=curation, answers=list(answers), comment=comment, stored=now)


def _check_answers(answers: Sequence[int | None], comment: str) -> None:
    if len(answers) != len(SCALED_QUESTIONS):
        raise CurationError(f"Send {len(SCALED_QUESTIONS)} answers, with null for those you leave out.", "answers")
    for question, answer in zip(SCALED_QUESTIONS, answers, strict=True):
        if answer is not None and not 1 <= answer <= len(SCALE):
            raise CurationError(f"{question.statement} Answer with a number from 1 to {len(SCALE)}.", question.name)
    if len(comment) > LONGEST_COMMENT:
        raise CurationError(f"The answer in words has at most {LONGEST_COMMENT:,} characters.", "comment")
