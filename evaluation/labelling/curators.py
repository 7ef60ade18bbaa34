"""Who labels a corpus: named and released by the organizers of a challenge."""

from typing import Any

from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.utils import timezone

from annotations.models import Corpus, Producer
from evaluation.challenges import take_corpus
from evaluation.entrants import team_in
from evaluation.errors import ChallengeError
from evaluation.labelling.models import Labeller, Labelling
from evaluation.models import Challenge
from servers.telling.messages import site_link


def begin_labelling(
    challenge: Challenge, corpus: Corpus, *, order: str, again_every: int, guideline: str = ""
) -> Labelling:
    """Have a corpus labelled; ChallengeError when that is under way, or the corpus is another challenge's."""
    if corpus.blind:
        take_corpus(challenge, corpus)
    if challenge.labellings.filter(corpus=corpus).exists():
        raise ChallengeError(f"{corpus} is being labelled already; name more curators there.")
    return Labelling.objects.create(
        challenge=challenge, corpus=corpus, order=order, again_every=again_every, guideline=guideline
    )


@transaction.atomic
def name_curator(labelling: Labelling, user: Any) -> Labeller:
    """Let a user label the corpus, once more when released before; mail says where.

    ChallengeError for a member of a team that takes part, where the articles are those of a blind test.
    """
    refuse_competitors(labelling, user)
    known = Labeller.objects.filter(labelling=labelling, user=user).first()
    if known is not None:
        Labeller.objects.filter(pk=known.pk).update(released=None)
        return known
    name = f"{user.get_username()}, {labelling.corpus}"[:200]
    producer = Producer.objects.create(sort=Producer.Sort.CURATOR, name=name)
    own = Labeller.objects.create(labelling=labelling, user=user, producer=producer)
    tell(own)
    return own


def refuse_competitors(labelling: Labelling, user: Any) -> None:
    if not labelling.corpus.blind:
        return
    challenge = labelling.challenge
    rival = team_in(challenge, user)
    if rival is not None:
        raise ChallengeError(
            f"{user.get_username()} is on {rival}, which takes part in {challenge}, and these articles are blind; "
            "name a curator who is on no team in it."
        )


def tell(own: Labeller) -> None:
    if own.user is None or not own.user.email:
        return
    context = {"labelling": own.labelling, "link": site_link("label", own.pk)}
    body = render_to_string("evaluation/email/labelling.txt", context)
    subject = f"[BCMS] {own.labelling.challenge}: please label the articles of {own.labelling.corpus}"
    send_mail(" ".join(subject.split()), body, None, [own.user.email])


def release(labelling: Labelling, labeller: int) -> bool:
    """Take no more labels of a curator; those given stay and count. False when there is no such curator."""
    rows = Labeller.objects.filter(labelling=labelling, pk=labeller, released__isnull=True)
    return bool(rows.update(released=timezone.now(), running=None))
