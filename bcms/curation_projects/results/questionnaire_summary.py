"""What curators and authors answered to the questionnaire, summarized by arm. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean

from annotations.curation.projects.questions import SCALE, SCALED_QUESTIONS
from annotations.curation.states import CurationArm


@dataclass(frozen=True, slots=True)
class GivenReply:
    """The answers on one curation; empty if it was skipped. arm: "" for authors."""

    arm: str
    name: str
    article: str
    answers: Sequence[int | None]
    comment: str

    @property
    def is_skipped(self) -> bool:
        return not self.comment and not any(self.answers)


@dataclass(frozen=True, slots=True)
class StatementSummary:
    """The answers to a statement in one arm, "" for authors. counts: of each step of the scale; mean: None without an
    answer.
    """

    name: str
    statement: str
    arm: str
    counts: Sequence[int]
    mean: float | None

    @property
    def answers(self) -> int:
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class QuestionnaireSummary:
    """replies, skipped: of how many curations. comments: the replies that have one."""

    replies: int
    skipped: int
    statements: Sequence[StatementSummary]
    comments: Sequence[GivenReply]


def summarize_replies(replies: Mapping[int, GivenReply]) -> QuestionnaireSummary:
    """replies: {curation: its reply}. Statements without an answer in an arm are left out."""
    given = [reply for reply in replies.values() if not reply.is_skipped]
    summaries = [
        _summarize_statement(number, arm, [reply.answers[number] for reply in given if reply.arm == arm])
        for number in range(len(SCALED_QUESTIONS))
        for arm in (*CurationArm, "")
    ]
    return QuestionnaireSummary(
        len(given),
        len(replies) - len(given),
        [summary for summary in summaries if summary.answers],
        [reply for reply in given if reply.comment],
    )


def _summarize_statement(number: int, arm: str, answers: Sequence[int | None]) -> StatementSummary:
    question, given = SCALED_QUESTIONS[number], [answer for answer in answers if answer is not None]
    return StatementSummary(
        question.name,
        question.choose_statement(arm),
        arm,
        [given.count(step) for step in range(1, len(SCALE) + 1)],
        mean(given) if given else None,
    )
