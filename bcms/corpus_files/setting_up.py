"""Set up a challenge from its corpus file: articles, corpora, phases, tasks and gold standards, all or nothing."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction

from annotations.articles.article_ids import format_first_items_and_remaining_count
from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.articles.models import Article
from annotations.entity_types import fold_type_spelling
from annotations.formats.errors import RefusedFileError
from annotations.schema import Kind
from bcms.article_uploads.article_import import (
    ParsedArticleFile,
    store_parsed_file_all_or_nothing,
    store_parsed_file_as_snapshots,
)
from bcms.corpus_files.file_reader import ReadCorpusFile, read_corpus_file
from bcms.corpus_files.plans import ChosenTask, PhasePlan, SetUpPlan
from bcms.corpus_files.proposals import TaskProposal
from bcms.corpus_files.splitting import split_articles
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.setup.blind_uploads import lock_corpus_for_upload, record_blind_upload
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.challenges.setup.creation import create_phase_claiming_blind_corpus, create_task
from evaluation.errors import ChallengeError
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.measures.task_settings import EVERY_TYPE, LabelSet, read_task_settings
from servers.audit.trail import act_for_user
from servers.teams.permissions import User


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
    file = read_corpus_file(content, file_name)
    with act_for_user(organizer):
        tasks = [_find_or_create_task(challenge, file.proposal.tasks[chosen.place], chosen) for chosen in plan.tasks]
        for planned, articles in _list_articles_by_phase(file.articles, plan):
            stored = _set_up_phase(challenge, articles, file_name, planned, organizer)
            documents: dict[str, str | None] = {each.document: None for each in file.articles.articles if each.document}
            documents.update(stored.opaque_by_document)
            for task in tasks:
                _store_gold(task, stored, file, file_name, documents)


def _list_articles_by_phase(parsed: ParsedArticleFile, plan: SetUpPlan) -> list[tuple[PhasePlan, ParsedArticleFile]]:
    if plan.seed is None:
        return [(plan.phases[0], parsed)]
    parts = split_articles(parsed, [planned.share for planned in plan.phases], plan.seed)
    for planned, part in zip(plan.phases, parts, strict=True):
        if not (part.articles or part.citations):
            raise ChallengeError(f"No article is left for the {planned.sort} phase. Give it a larger share.")
    return list(zip(plan.phases, parts, strict=True))


@dataclass(frozen=True, slots=True)
class _StoredPhase:
    """warnings: what the site said of the articles when it stored them; opaque_by_document: of its part of the file."""

    phase: Phase
    opaque_by_document: Mapping[str, str]
    warnings: Sequence[str]


def _set_up_phase(
    challenge: Challenge, part: ParsedArticleFile, file_name: str, planned: PhasePlan, organizer: User
) -> _StoredPhase:
    """Store the articles, the corpus and the phase. The articles of a test are stored as snapshots, not publicly."""
    blind = planned.sort == Phase.Type.TEST
    name, slug = planned.corpus_name, planned.corpus_slug
    if blind:
        corpus = create_challenge_corpus(challenge, name, slug, "", [], blind=True)
        imported = store_parsed_file_as_snapshots(part, lock_corpus_for_upload(corpus, organizer), file_name)
        record_blind_upload(corpus, imported.counts.new, organizer)
    else:
        imported = store_parsed_file_all_or_nothing(part, organizer)
        keys = list(dict.fromkeys(article.pk for article in imported.articles))
        _check_no_article_was_taken_down(keys)
        corpus = create_challenge_corpus(challenge, name, slug, "", keys, blind=False)
    phase = create_phase_claiming_blind_corpus(challenge, planned.sort, corpus, planned.closes, planned.opens)
    # A file may name articles by PMCIDs, which gold standards are not read by, or by names of its own.
    opaque_by_document = {
        parsed.document: article.opaque
        for parsed, article in zip(part.articles, imported.articles, strict=False)
        if parsed.document
    }
    return _StoredPhase(phase, opaque_by_document, imported.warnings[len(part.warnings) :])


def _store_gold(
    task: Task, stored: _StoredPhase, file: ReadCorpusFile, file_name: str, opaque_by_document: Mapping[str, str | None]
) -> None:
    try:
        store_gold_sealed_or_open(task, stored.phase, file.content, file_name, opaque_by_document=opaque_by_document)
    except RefusedFileError as error:
        error.add_note(f"Nothing is set up, because of the gold standard of {task} in the {stored.phase.sort} phase.")
        for warning in stored.warnings:
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
