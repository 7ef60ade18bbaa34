"""What happens to a phase: its dates begin and end it, or organizers before; they freeze it, leave articles out.

Nothing is done twice: each step is one conditional UPDATE on what the phase remembers, so that a task that was lost, or
ran twice, or slept for a day over a date, does what is due and no more.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotations.models import Article
from evaluation.errors import ChallengeError
from evaluation.models import ExcludedArticle, Phase, PhaseEvent, Task
from evaluation.opening import open_runs
from servers.models import Queue
from servers.states import QueueMode

What = PhaseEvent.What
WHEN = "%-d %B %Y, %H:%M UTC"


def note(phase: Phase, what: PhaseEvent.What, by: Any = None, *, words: str = "", reason: str = "") -> None:
    PhaseEvent.objects.create(phase=phase, what=what, by=by, words=words, reason=reason)


def turn(now: datetime) -> int:
    """Do what the dates of all phases ask for; how many phases were begun or ended."""
    open_runs(Phase.objects.all(), now)
    return sum(begin(phase, now) for phase in to_begin(now)) + sum(end(phase, now) for phase in to_end(now))


def to_begin(now: datetime) -> QuerySet[Phase]:
    return Phase.objects.filter(begun__isnull=True, opens__lte=now)


def to_end(now: datetime) -> QuerySet[Phase]:
    return Phase.objects.filter(begun__isnull=False, ended__isnull=True, closes__lte=now)


@transaction.atomic
def begin(phase: Phase, now: datetime) -> bool:
    if not to_begin(now).filter(pk=phase.pk).update(begun=now):
        return False
    note(phase, What.BEGUN)
    return True


@transaction.atomic
def end(phase: Phase, now: datetime) -> bool:
    """From now on nothing is asked out of its queues; a call under way finishes."""
    if not to_end(now).filter(pk=phase.pk).update(ended=now):
        return False
    note(phase, What.ENDED)
    hold_queues(phase)
    return True


def hold_queues(phase: Phase) -> None:
    """Hold the phase's queues while it is frozen or has ended, and the LIVE queues of its servers where it says so."""
    phase.refresh_from_db()
    queues = Queue.objects.filter(producer__runs__phase=phase)
    stands = phase.frozen is not None or phase.ended is not None
    Queue.objects.filter(pk__in=queues.values("pk")).update(held=stands)
    hold_live(Queue.objects.filter(mode=QueueMode.LIVE, server__in=queues.values("server")))


def hold_live(live: QuerySet[Queue]) -> None:
    """A LIVE queue is held as long as any phase that closes it has ended and is not published."""
    closing = Phase.objects.filter(closes_live=True, ended__isnull=False, published__isnull=True)
    servers = Queue.objects.filter(producer__runs__phase__in=closing).values("server")
    held = set(live.filter(server__in=servers).values_list("pk", flat=True))
    Queue.objects.filter(pk__in=held, held=False).update(held=True)
    Queue.objects.filter(pk__in=set(live.values_list("pk", flat=True)) - held, held=True).update(held=False)


@transaction.atomic
def begin_now(phase: Phase, by: Any, reason: str) -> bool:
    """Open a phase before its date; False when it was open before. ChallengeError when it is published."""
    now, before = timezone.now(), Phase.objects.select_for_update().get(pk=phase.pk)
    refuse_settled(before, "open it earlier")
    if before.opens <= now:
        return False
    Phase.objects.filter(pk=phase.pk).update(opens=now, begun=now)
    note(phase, What.BEGUN, by, words=f"at once, not on {before.opens.strftime(WHEN)}", reason=reason)
    return True


@transaction.atomic
def end_now(phase: Phase, by: Any, reason: str) -> bool:
    """End a phase before its date; False when it was over before. ChallengeError when it is published or has not
    begun."""
    now, before = timezone.now(), Phase.objects.select_for_update().get(pk=phase.pk)
    refuse_settled(before, "end it earlier")
    if before.opens > now:
        raise ChallengeError(f"The {before.sort} phase has not begun; change its dates in its rules, or remove it.")
    if before.closes and before.closes <= now:
        return False
    # It may have opened a moment ago, and nobody has come by since.
    begin(before, now)
    Phase.objects.filter(pk=phase.pk).update(closes=now, ended=now)
    date = f", not on {before.closes.strftime(WHEN)}" if before.closes else ""
    note(phase, What.ENDED, by, words=f"at once{date}", reason=reason)
    hold_queues(phase)
    return True


@transaction.atomic
def freeze(phase: Phase, by: Any, reason: str) -> bool:
    """Let nothing in and ask nobody, until it is thawed; False when it was frozen before."""
    if not Phase.objects.filter(pk=phase.pk, frozen__isnull=True).update(frozen=timezone.now()):
        return False
    note(phase, What.FROZEN, by, reason=reason)
    hold_queues(phase)
    return True


@transaction.atomic
def thaw(phase: Phase, by: Any) -> bool:
    """False when it was not frozen."""
    if not Phase.objects.filter(pk=phase.pk, frozen__isnull=False).update(frozen=None):
        return False
    note(phase, What.THAWED, by)
    hold_queues(phase)
    return True


@transaction.atomic
def move_end(phase: Phase, closes: datetime | None, by: Any, reason: str) -> None:
    """Another end for the phase (None: it stays open), with why; one that had ended goes on, and teams are reminded
    of the new end, too. ChallengeError when it is published or the end is over or no other."""
    now = timezone.now()
    before = Phase.objects.select_for_update().get(pk=phase.pk)
    refuse_end(before, closes, now)
    Phase.objects.filter(pk=phase.pk).update(closes=closes, ended=None, reminded=None)
    old, new = (date.strftime(WHEN) if date else "no end" for date in (before.closes, closes))
    note(phase, What.MOVED, by, words=f"from {old} to {new}", reason=reason)
    hold_queues(phase)


def refuse_end(phase: Phase, closes: datetime | None, now: datetime) -> None:
    refuse_settled(phase, "move its end")
    if closes == phase.closes:
        raise ChallengeError("That is the end that the phase has; give another one.")
    if closes is not None and closes <= max(now, phase.opens):
        raise ChallengeError("The new end is over already, or before the phase opens; give a later one.")


def refuse_settled(phase: Phase, doing: str) -> None:
    """ChallengeError for a phase of which anything is published. doing as in refuse_published."""
    if phase.published or phase.publish_asked:
        raise ChallengeError(f"The {phase.sort} phase is published, so that nobody can {doing} any more.")
    refuse_published(phase, phase.challenge.tasks.all(), doing)


@transaction.atomic
def exclude(phase: Phase, article: Article, by: Any, reason: str) -> bool:
    """Let the article count for nobody; False when it did not count before. Every run is scored again."""
    if not phase.corpus.articles.filter(pk=article.pk).exists():
        raise ChallengeError(f"That article is not in {phase.corpus}, the corpus of the {phase.sort} phase.")
    made = {"reason": reason, "by": by}
    _, new = ExcludedArticle.objects.get_or_create(phase=phase, article=article, defaults=made)
    if new:
        changed(phase, What.EXCLUDED, by, words=name_in(phase, article), reason=reason)
    return new


@transaction.atomic
def include(phase: Phase, article: Article, by: Any) -> bool:
    """Let an excluded article count again; False when it was not excluded."""
    number, _ = ExcludedArticle.objects.filter(phase=phase, article=article).delete()
    if number:
        changed(phase, What.INCLUDED, by, words=name_in(phase, article))
    return bool(number)


@transaction.atomic
def rescore(phase: Phase, by: Any) -> None:
    """Have every run of the phase scored again, whatever has changed."""
    changed(phase, What.RESCORED, by)


def changed(phase: Phase, what: PhaseEvent.What, by: Any, *, words: str = "", reason: str = "") -> None:
    Phase.objects.filter(pk=phase.pk).update(revision=F("revision") + 1)
    note(phase, what, by, words=words, reason=reason)


def name_in(phase: Phase, article: Article) -> str:
    """What the phase's page may call the article before everybody."""
    return article.opaque if phase.corpus.blind or not article.pmid else f"PMID {article.pmid}"


def article_named(phase: Phase, name: str) -> Article:
    """The article of the phase's corpus with this PMID, DOI or opaque id; ChallengeError when there is none."""
    word = name.strip().removeprefix("PMID").strip()
    by_name = Q(opaque=word) | Q(doi__iexact=word, doi__gt="")
    if word.isascii() and word.isdecimal() and len(word) < 16:
        by_name |= Q(pmid=int(word))
    article = phase.corpus.articles.filter(by_name).first()
    if article is None:
        raise ChallengeError(f"{word or 'Nothing'} is no article of {phase.corpus}; give its PMID, DOI or opaque id.")
    return article


def refuse_standing(phase: Phase, now: datetime, doing: str = "enter") -> None:
    """ChallengeError, with when, for a phase that takes nothing in now. doing is what was tried, such as "enter"."""
    if phase.opens > now:
        raise ChallengeError(f"The {phase.sort} phase opens on {phase.opens.strftime(WHEN)}; {doing} then.")
    if phase.closes and phase.closes <= now:
        closed = phase.closes.strftime(WHEN)
        raise ChallengeError(f"The {phase.sort} phase closed on {closed}; nobody can {doing} now.")
    if phase.frozen:
        raise ChallengeError(
            f"The organizers have frozen the {phase.sort} phase, and its page says why; {doing} when it goes on."
        )


def refuse_unended(phase: Phase, now: datetime) -> None:
    """ChallengeError for a test that still goes on: to publish it would tell teams what is right while they answer."""
    if phase.sort != Phase.Sort.TEST or (phase.closes and phase.closes <= now):
        return
    if phase.closes:
        raise ChallengeError(
            f"The test phase ends on {phase.closes.strftime(WHEN)}, and teams may answer until then: publish it "
            "afterwards, or move its end first."
        )
    raise ChallengeError("The test phase has no end, and teams may still answer: move its end, then publish it.")


def refuse_published(phase: Phase, tasks: Iterable[Task], doing: str = "enter") -> None:
    """ChallengeError when what is right in one of these tasks of a test is public already. doing as above."""
    if phase.sort != Phase.Sort.TEST:
        return
    gold = phase.golds.filter(task__in=tasks, published__isnull=False).select_related("task").first()
    if gold is not None:
        raise ChallengeError(
            f"The gold standard of {gold.task} in the test phase is published, so that nobody can {doing} any more."
        )
