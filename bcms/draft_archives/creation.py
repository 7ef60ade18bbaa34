"""Create a draft from an archive of a challenge: all of it, or nothing."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.conf import settings
from django.db import transaction
from rest_framework.exceptions import ValidationError

from annotations.formats.errors import MAX_FAULTS_PER_RULE, FormatError, RefusedFileError
from annotations.schema import Kind
from bcms.challenge_definitions.creation import create_challenge_from_definition
from bcms.draft_archives.archive_reader import (
    CHALLENGE_FILE,
    get_dict,
    open_uploaded_archive,
    read_json_member,
    refuse_archive,
    refuse_with_sentence,
)
from bcms.draft_archives.definition import ArchivedChallenge, read_archived_challenge
from bcms.draft_archives.gold_standards import store_gold_of_part
from bcms.draft_archives.imported_runs import store_runs_of_part
from bcms.draft_archives.parts import DraftPhase, iter_parts, load_draft_phases
from bcms.lib.rest.problems import iter_validation_faults
from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.pictures import restore_pictures
from evaluation.archives.signatures import describe_signer
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.challenges.models import Challenge, ExcludedArticle
from evaluation.challenges.permissions import can_create_challenge
from evaluation.challenges.pictures.forms import list_picture_faults
from evaluation.errors import ChallengeError
from evaluation.runs.uploads.intake import SCORE_RUNS_TASK, enqueue_celery_task_on_commit
from servers.audit.trail import act_for_user
from servers.teams.permissions import User

DRAFT_RULE = "R765"
# All of them are scored by the one worker that scores for all challenges.
MOST_RUNS_OF_ARCHIVE = 5000
# What an organizer can enter instead of what the archive says.
NAMES_OF_DRAFT = ("name", "slug")
LEFT_OUT = {
    "labels.json": "labels of curators",
    "by_hand.jsonl": "imported annotations of authors and curators",
    "judging.json": "judgements of passages",
}


@dataclass(frozen=True, slots=True)
class CreatedDraft:
    """notes: sentences on who signed the archive, and on what is otherwise than in it."""

    challenge: Challenge
    runs: int
    notes: list[str] = field(default_factory=list)


@transaction.atomic
def create_draft_from_archive(
    content: bytes, file_name: str, organizer: User, names: Mapping[str, str] | None = None
) -> CreatedDraft:
    """names: the name and slug that the draft gets instead of those of the archive.

    RefusedFileError with what is wrong, where and by which rule; ChallengeError if the user may not create challenges.
    """
    if not (organizer.is_active and can_create_challenge(organizer)):
        raise ChallengeError("You cannot create challenges any more. Ask the administrator.")
    with open_uploaded_archive(content, file_name) as archive, act_for_user(organizer):
        archived = read_archived_challenge(archive, names or {})
        try:
            challenge = create_challenge_from_definition(archived.definition, organizer)
        except ValidationError as error:
            raise RefusedFileError(_list_faults(error)) from None
        _restore_pictures(archive, challenge)
        phases = load_draft_phases(challenge, archived)
        for sort, of_phase in phases.items():
            _exclude_articles(of_phase, archived.excluded[sort], organizer)
        runs = _store_gold_standards_and_runs(archive, challenge, archived, phases)
        enqueue_celery_task_on_commit(SCORE_RUNS_TASK)
        signer = describe_signer(archive.signer, settings.NANOPUB_KEY)
        faults = [
            f"Correct the description: {fault}" for fault in list_picture_faults(challenge, challenge.description)
        ]
        return CreatedDraft(challenge, runs, [signer, *archived.notes, *faults, *_list_left_out(archive)])


def _list_faults(error: ValidationError) -> list[FormatError]:
    faults = list(iter_validation_faults(error.detail))[:MAX_FAULTS_PER_RULE]
    messages = [f"{fault.loc}: {fault.message.rstrip('.')} - {_find_remedy(fault.loc)}" for fault in faults]
    return [FormatError(CHALLENGE_FILE, 0, 0, DRAFT_RULE, message) for message in messages]


def _find_remedy(path: str) -> str:
    if path in NAMES_OF_DRAFT:
        return "enter another one when you upload the archive"
    return "correct it there, and create the archive again"


def _restore_pictures(archive: CheckedArchive, challenge: Challenge) -> None:
    document = get_dict(read_json_member(archive, CHALLENGE_FILE), CHALLENGE_FILE, "the document")
    try:
        restore_pictures(archive, document, challenge)
    except ChallengeArchiveError as error:
        raise refuse_with_sentence(CHALLENGE_FILE, error) from None


def _exclude_articles(of_phase: DraftPhase, reasons: Mapping[str, str], organizer: User) -> None:
    ExcludedArticle.objects.bulk_create(
        ExcludedArticle(phase=of_phase.phase, article_id=of_phase.articles[name], reason=reason, by_id=organizer.pk)
        for name, reason in reasons.items()
    )


def _store_gold_standards_and_runs(
    archive: CheckedArchive, challenge: Challenge, archived: ArchivedChallenge, phases: Mapping[str, DraftPhase]
) -> int:
    """The number of runs."""
    runs = 0
    for part in iter_parts(archive, challenge, archived, phases):
        excluded = archived.excluded[part.phase.sort]
        if part.has_gold and part.kind == Kind.PASSAGE:
            archived.notes.append(
                f"The passages of {part.task} in the {part.phase.sort} phase have to be judged on this site: its gold "
                "standard is left out."
            )
        elif part.has_gold:
            store_gold_of_part(part, excluded)
            if excluded and part.task.get_settings() is not None:
                archived.notes.append(
                    f"The gold standard of {part.task} in the {part.phase.sort} phase has nothing of the "
                    f"{len(excluded):,} excluded articles. Upload it again before you include one."
                )
        runs += store_runs_of_part(part)
        if runs > MOST_RUNS_OF_ARCHIVE:
            raise refuse_archive(CHALLENGE_FILE, f"the challenge has more than {MOST_RUNS_OF_ARCHIVE:,} runs")
    if runs:
        archived.notes.append(
            f"{runs:,} runs were imported. They belong to no team, have no rank, and are scored anew within minutes."
        )
    return runs


def _list_left_out(archive: CheckedArchive) -> list[str]:
    ends = {name.rpartition("/")[2] for name in archive.names}
    what = [title for end, title in LEFT_OUT.items() if end in ends]
    return [f"Left out: {', '.join(what)}."] if what else []
