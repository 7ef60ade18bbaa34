"""The questionnaire of an author, on the page of the manuscript."""

from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import ManuscriptState
from annotations.curation.projects.questions import FREE_QUESTION, SCALED_QUESTIONS
from annotations.curation.states import CurationState
from bcms.curation_projects.questionnaires.forms import QuestionnaireForm
from bcms.curation_projects.questionnaires.queries import find_reply, list_answered_statements

# Authors see what servers propose, and are in no arm of an experiment.
NO_ARM = ""


def build_questionnaire_context(manuscript: Manuscript, sent: QuestionnaireForm | None = None) -> dict[str, object]:
    """What the page shows to the author: the form once the record is finished, then the answers: 1 query.

    sent: the form as the author sent it, with its faults.
    """
    reply = find_reply(manuscript.curation)
    finished = manuscript.curation.state == CurationState.FINISHED and manuscript.state == ManuscriptState.OPEN
    return {
        "questionnaire": sent or (QuestionnaireForm(NO_ARM) if finished and reply is None else None),
        "reply": reply,
        "answered": list_answered_statements(NO_ARM, reply) if reply else [],
        "free_question": FREE_QUESTION,
        "question_count": len(SCALED_QUESTIONS) + 1,
    }
