"""Begin a labelling, and add or release its curators."""

from django.db import transaction
from django.utils import timezone

from annotations.articles.models import Corpus
from annotations.results.models import Producer
from evaluation.challenges.models import Challenge
from evaluation.challenges.setup.corpora import claim_corpus_or_raise_if_owned_elsewhere
from evaluation.curation.eligibility import check_not_competing_on_blind_corpus
from evaluation.errors import ChallengeError
from evaluation.labelling.models import Labeller, Labelling
from servers.audit.models import AuditAction
from servers.audit.trail import record_audit_event
from servers.notifications.site_links import build_site_url
from servers.teams.permissions import User
from servers.teams.person_mail import mail_person


@transaction.atomic
def begin_labelling_claiming_blind_corpus(
    challenge: Challenge, corpus: Corpus, *, order: str, again_every: int, guideline: str = ""
) -> Labelling:
    """Begin to label a corpus. Raises ChallengeError if it is already being labelled or another challenge owns it."""
    if corpus.blind:
        claim_corpus_or_raise_if_owned_elsewhere(challenge, corpus)
    if challenge.labellings.filter(corpus=corpus).exists():
        raise ChallengeError(f"{corpus} is already being labelled; add curators there.")
    return Labelling.objects.create(
        challenge=challenge, corpus=corpus, order=order, again_every=again_every, guideline=guideline
    )


@transaction.atomic
def add_and_mail_or_readmit_curator(labelling: Labelling, user: User) -> Labeller:
    """Add a user as curator, or again after a release; a new curator gets mail.

    Raises ChallengeError if the corpus is blind and the user is on a team that takes part in the challenge.
    """
    check_not_competing_if_blind(labelling, user)
    existing = Labeller.objects.filter(labelling=labelling, user=user.pk).first()
    subject, challenge_id = f"labelling of {labelling.corpus}", labelling.challenge_id
    record_audit_event(AuditAction.CHALLENGE_CURATOR_ADDED, subject, person=user, challenge_id=challenge_id)
    if existing is not None:
        Labeller.objects.filter(pk=existing.pk).update(released=None)
        return existing
    name = f"{user.get_username()}, {labelling.corpus}"[:200]
    producer = Producer.objects.create(sort=Producer.Type.CURATOR, name=name)
    labeller = Labeller.objects.create(labelling=labelling, user_id=user.pk, producer=producer)
    _mail_new_curator(labeller)
    return labeller


def check_not_competing_if_blind(labelling: Labelling, user: User) -> None:
    check_not_competing_on_blind_corpus(labelling.corpus, labelling.challenge, user)


def _mail_new_curator(labeller: Labeller) -> None:
    context = {"labelling": labeller.labelling, "link": build_site_url("label", labeller.pk)}
    subject = f"{labeller.labelling.challenge}: please label the articles of {labeller.labelling.corpus}"
    mail_person(labeller.user, subject, "evaluation/email/labelling.txt", context)


@transaction.atomic
def release_labeller_keeping_labels(labelling: Labelling, labeller_id: int) -> bool:
    """Let a curator label no more; given labels still count. Returns False if there is no such curator."""
    rows = Labeller.objects.filter(labelling=labelling, pk=labeller_id, released__isnull=True)
    released = list(rows.select_related("user"))
    for labeller in released:
        subject = f"labelling of {labelling.corpus}"
        record_audit_event(
            AuditAction.CHALLENGE_CURATOR_REMOVED, subject, person=labeller.user, challenge_id=labelling.challenge_id
        )
    return bool(rows.update(released=timezone.now(), running=None))
