"""Set up a challenge from its corpus file: articles, corpus, phase, tasks and gold standards, all or nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from annotations.articles.article_ids import format_first_items_and_remaining_count
from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.articles.models import Article
from annotations.entity_types import fold_type_spelling
from annotations.formats.errors import RefusedFileError
from annotations.schema import Kind
from bcms.article_uploads.article_import import store_parsed_file_all_or_nothing
from bcms.corpus_files.file_reader import read_corpus_file
from bcms.corpus_files.proposals import TaskProposal
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.challenges.setup.creation import create_phase_claiming_blind_corpus, create_task
from evaluation.errors import ChallengeError
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.measures.task_settings import EVERY_TYPE, LabelSet, read_task_settings
from servers.audit.trail import act_for_user
from servers.teams.permissions import User

# Gold standards of tests are sealed before they are written to disk, so that none of them is in a corpus file.
PHASE_TYPES = (Phase.Type.TRAINING, Phase.Type.DEVELOPMENT)


@dataclass(frozen=True, slots=True)
class ChosenTask:
    """A proposed task, by its place among the proposals, and the name and title that it gets."""

    place: int
    name: str
    title: str


@dataclass(frozen=True, slots=True)
class SetUpPlan:
    """What an organizer confirmed. sort: one of PHASE_TYPES; opens: None for now; closes: None for no end."""

    corpus_name: str
    corpus_slug: str
    sort: str
    opens: datetime | None
    closes: datetime | None
    tasks: Sequence[ChosenTask]

    def build_json(self) -> dict[str, object]:
        dates = {name: date and date.isoformat() for name, date in (("opens", self.opens), ("closes", self.closes))}
        return {**asdict(self), **dates}


def parse_set_up_plan(stored: Mapping[str, Any]) -> SetUpPlan:
    """The plan that build_json wrote."""
    dates = {name: stored[name] and datetime.fromisoformat(stored[name]) for name in ("opens", "closes")}
    return SetUpPlan(**{**stored, **dates, "tasks": [ChosenTask(**task) for task in stored["tasks"]]})


@transaction.atomic
def set_up_challenge_from_file(
    challenge: Challenge, content: bytes, file_name: str, plan: SetUpPlan, organizer: User
) -> None:
    """Store the articles and everything that was planned, or nothing.

    RefusedFileError or FormatError with the faults of the file, and the likely cause as notes. ChallengeError or
    ArticleStorageError, with what to do, if something cannot be stored.
    """
    Challenge.objects.select_for_update().get(pk=challenge.pk)
    if not can_organize(organizer, challenge):
        raise ChallengeError(f"You do not organize {challenge} any more. Ask one of its organizers.")
    if plan.sort not in PHASE_TYPES:
        raise ChallengeError("The gold standard of a test is uploaded by itself. Choose another phase.")
    file = read_corpus_file(content, file_name)
    with act_for_user(organizer):
        imported = store_parsed_file_all_or_nothing(file.articles, organizer)
        articles = [article.pk for article in imported.articles]
        _check_no_article_was_taken_down(articles)
        corpus = create_challenge_corpus(
            challenge, plan.corpus_name, plan.corpus_slug, "", list(dict.fromkeys(articles)), blind=False
        )
        phase = create_phase_claiming_blind_corpus(challenge, plan.sort, corpus, plan.closes, plan.opens)
        # A file may name articles by PMCIDs, which gold standards are not read by, or by names of its own.
        by_document = {
            parsed.document: key
            for parsed, key in zip(file.articles.articles, articles, strict=False)
            if parsed.document
        }
        for chosen in plan.tasks:
            task = _find_or_create_task(challenge, file.proposal.tasks[chosen.place], chosen)
            try:
                store_gold_sealed_or_open(task, phase, file.content, file_name, article_by_document=by_document)
            except RefusedFileError as error:
                for warning in imported.warnings[len(file.articles.warnings) :]:
                    # The likely cause: articles that are on this site with another text.
                    error.add_note(warning)
                raise


def _check_no_article_was_taken_down(articles: Sequence[int]) -> None:
    taken_down = Article.objects.filter(pk__in=articles, takedown__isnull=False).order_by("pk")
    if names := format_first_items_and_remaining_count(list(taken_down)):
        raise ArticleStorageError(f"These articles were taken down: {names}. Remove them from the file.")


def _find_or_create_task(challenge: Challenge, proposal: TaskProposal, chosen: ChosenTask) -> Task:
    """The task, which an earlier file of the challenge may have made already."""
    existing = find_task_by_name(challenge.tasks.all(), chosen.name)
    if existing is None:
        settings = read_task_settings(proposal.settings)
        return create_task(challenge, chosen.name, Kind(proposal.kind), chosen.title, settings=settings)
    if not has_gold_standards_like(existing, proposal):
        raise ChallengeError(TASK_DIFFERS.format(existing))
    return existing


TASK_DIFFERS = "The challenge has a task {} of another kind, or with other settings. Choose another name."


def find_task_by_name(tasks: Iterable[Task], name: str) -> Task | None:
    """The task with this name in any case, as names that differ in case alone are taken."""
    return next((task for task in tasks if task.name.lower() == name.lower()), None)


def has_gold_standards_like(task: Task, proposal: TaskProposal) -> bool:
    """Whether the annotations of the proposal all count in the task as they would in one of their own.

    A task may count types, databases and labels that the file does not have: another file of the challenge has them.
    """
    settings = task.get_settings()
    if task.kind != proposal.kind or settings is None:
        return False
    proposed = read_task_settings(proposal.settings)
    if (settings.label_set is None) != (proposed.label_set is None):
        return False
    labels, proposed_labels = settings.label_set or LabelSet(""), proposed.label_set or LabelSet("")
    return (
        fold_type_spelling(labels.name) == fold_type_spelling(proposed_labels.name)
        and (labels.several or not proposed_labels.several)
        and _counts_all(labels.values, proposed_labels.values)
        and (EVERY_TYPE in settings.entity_types or _counts_all(settings.entity_types, proposed.entity_types))
        and _counts_all(settings.namespaces, proposed.namespaces)
        and _counts_all(settings.relation_types, proposed.relation_types)
    )


def _counts_all(of_task: Sequence[str], of_file: Sequence[str]) -> bool:
    """Whether a task counts everything that the file has. (): a task counts everything, and a file has too much."""
    return not of_task or bool(of_file and {*map(str.lower, of_file)} <= {*map(str.lower, of_task)})
