"""Create a challenge, its tasks and its phases."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotations.articles.models import Corpus
from annotations.schema import Kind
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.phases.checks import check_phase_dates
from evaluation.challenges.setup.corpora import claim_corpus_or_raise_if_owned_elsewhere
from evaluation.errors import ChallengeError
from evaluation.measures.open_tasks import complete_task_settings, get_default_measure
from evaluation.measures.task_settings import TaskSettings, build_task_settings_json
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.teams.permissions import User

PHASE_END_ERROR = "The end of the phase is in the past or before its beginning. Enter a later end."


@transaction.atomic
def create_challenge(name: str, slug: str, description: str, organizer: User) -> Challenge:
    """Create a challenge with its first organizer. ChallengeError for a slug that is taken."""
    challenge, new = Challenge.objects.get_or_create(slug=slug, defaults={"name": name, "description": description})
    if not new:
        raise ChallengeError(f"The challenge name {slug} is taken. Choose another name for URLs.")
    challenge.organizers.add(organizer.pk)
    record_audit_event(
        AuditAction.CHALLENGE_CREATED, challenge, actor=organizer, person=organizer, challenge_id=challenge.pk
    )
    return challenge


@transaction.atomic
def create_task(
    challenge: Challenge,
    name: str,
    kind: Kind,
    title: str,
    *,
    note: str = "",
    primary: str = "",
    further: Sequence[str] = (),
    settings: TaskSettings | None = None,
) -> Task:
    """Create a task.

    primary: measure that orders the leaderboard, empty for the default of the kind; further: other measures on the
    leaderboard, empty for all of the kind. settings: None for one of the seven kinds as it is; others are completed.
    ChallengeError for a name that is taken, in any case, TaskSettingsError for settings that do not fit the kind.
    """
    settings = settings and complete_task_settings(kind, settings)
    measures = {"primary": primary or get_default_measure(kind, settings), "further": list(further)}
    stored_settings = None if settings is None else build_task_settings_json(settings)
    fields = {"kind": kind, "title": title, "note": note, "settings": stored_settings, **measures}
    taken = challenge.tasks.filter(name__iexact=name).exists()
    task, new = (None, False) if taken else challenge.tasks.get_or_create(name=name, defaults=fields)
    if task is None or not new:
        raise ChallengeError(f"The challenge already has a task {name}. Choose another name.")
    after = {"kind": kind, **measures} | ({} if settings is None else {"settings": stored_settings})
    record_audit_event(AuditAction.TASK_CREATED, f"{challenge} {name}", after=after, challenge_id=challenge.pk)
    return task


@transaction.atomic
def create_phase_claiming_blind_corpus(
    challenge: Challenge, sort: str, corpus: Corpus, closes: datetime | None = None, opens: datetime | None = None
) -> Phase:
    """Create a phase. sort: a Phase.Type; closes: its end, None for none; opens: its beginning, None for now.

    ChallengeError for a second phase of a type, for an end that is in the past or before the beginning, and for a year
    that can only be a slip.
    """
    opens = opens or timezone.now()
    check_phase_dates(opens, closes)
    if closes is not None and closes <= max(opens, timezone.now()):
        raise ChallengeError(PHASE_END_ERROR)
    if corpus.blind:
        claim_corpus_or_raise_if_owned_elsewhere(challenge, corpus)
    phase, new = challenge.phases.get_or_create(
        sort=sort, defaults={"corpus": corpus, "opens": opens, "closes": closes}
    )
    if not new:
        raise ChallengeError(f"{challenge} already has a {sort} phase. A challenge has at most one.")
    after = {"corpus": corpus.slug, "opens": opens, "closes": closes}
    record_audit_event(AuditAction.PHASE_CREATED, phase, after=after, challenge_id=challenge.pk)
    return phase
