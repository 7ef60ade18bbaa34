"""Delete a challenge without runs of teams and without anything public, with all that belongs to it.

Articles stay, and so do corpora that another challenge uses.
"""

from django.db import transaction
from django.urls import reverse

from annotations.data_sets.withdrawal import withdraw_data_sets_of_sources
from annotations.results.models import Producer, Result
from evaluation.challenges.deletion.corpus_deletion import delete_unused_corpus, find_corpus_use, list_own_corpora
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.webhooks.deliveries import delete_deliveries_to_teams, make_challenge_owner
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.labelling.models import Label, Labeller
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.inbox.entries import delete_entries_under_page


@transaction.atomic
def delete_challenge_without_runs(challenge: Challenge) -> None:
    """Delete a challenge. ChallengeError, with the reason, if it has runs or uploads or if something is published."""
    challenge = Challenge.objects.select_for_update().get(pk=challenge.pk)
    # Nobody can enter or upload in the meantime: a new run or upload refers to the locked phase.
    list(Phase.objects.select_for_update().filter(challenge=challenge).order_by("pk"))
    check_challenge_can_be_deleted(challenge)
    producers = _list_producer_ids(challenge)
    own_corpora = list(list_own_corpora(challenge))
    ManualAnnotationSet.objects.filter(challenge=challenge).delete()
    challenge.labellings.all().delete()
    challenge.phases.all().delete()
    challenge.tasks.all().delete()
    withdraw_data_sets_of_sources(producers)
    Result.objects.filter(producer__in=producers).delete()
    Producer.objects.filter(pk__in=producers).delete()
    for corpus in own_corpora:
        if not find_corpus_use(corpus):
            delete_unused_corpus(challenge, corpus)
    record_audit_event(
        AuditAction.CHALLENGE_DELETED, challenge, before={"slug": challenge.slug}, challenge_id=challenge.pk
    )
    make_challenge_owner(challenge).webhooks.delete()
    delete_deliveries_to_teams(challenge)
    challenge.delete()
    delete_entries_under_page(reverse("challenge", args=[challenge.slug]))


def check_challenge_can_be_deleted(challenge: Challenge) -> None:
    """ChallengeError if there are runs or uploads of teams, withdrawn and refused ones included, or if something is
    published or about to be.
    """
    runs = Run.objects.filter(phase__challenge=challenge).exclude(sort__in=(Run.Source.BASELINE, Run.Source.IMPORTED))
    if runs.exists() or Upload.objects.filter(phase__challenge=challenge).exists():
        raise ChallengeError(f"{challenge} has runs of teams and cannot be deleted. Close and archive it instead.")
    golds = GoldStandard.objects.filter(phase__challenge=challenge)
    for rows in (challenge.phases.all(), golds):
        if rows.exclude(published__isnull=True, publish_asked__isnull=True).exists():
            raise ChallengeError(
                f"A phase or task of {challenge} is published, so it cannot be deleted. Close and archive it instead."
            )


def _list_producer_ids(challenge: Challenge) -> list[int]:
    """The producers of baselines, gold standards, curators and imported annotations of the challenge."""
    sources = (
        Run.objects.filter(phase__challenge=challenge),
        GoldStandard.objects.filter(phase__challenge=challenge, producer__isnull=False),
        Labeller.objects.filter(labelling__challenge=challenge),
        ManualAnnotationSet.objects.filter(challenge=challenge),
    )
    return sorted({producer for rows in sources for producer in rows.values_list("producer", flat=True)})


def list_deleted_parts(challenge: Challenge) -> list[str]:
    """What is deleted with the challenge, as sentences; a fixed number of queries."""
    labels = Label.objects.filter(labeller__labelling__challenge=challenge, superseded__isnull=True)
    golds = GoldStandard.objects.filter(phase__challenge=challenge)
    imported = Run.objects.filter(phase__challenge=challenge, sort=Run.Source.IMPORTED)
    parts = {
        "task": challenge.tasks.count(),
        "phase": challenge.phases.count(),
        "gold standard": golds.count(),
        "picture": challenge.pictures.count(),
        "imported run": imported.count(),
        "label of curators": labels.count(),
        "set of imported annotations": challenge.by_hand.count(),
        "team that takes part or asked to": challenge.entrants.count(),
        "announcement": challenge.announcements.count(),
        "thread of the discussion": challenge.threads.count(),
    }
    own = [corpus.name for corpus in list_own_corpora(challenge)]
    return [
        *(f"{noun.capitalize()}: {number:,}" for noun, number in parts.items() if number),
        *([f"Corpora that no other challenge uses: {', '.join(own)}"] if own else []),
    ]
