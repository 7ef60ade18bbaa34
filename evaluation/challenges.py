"""Set up a challenge, let servers take part, load the articles, publish."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from annotations import corpora
from annotations.kinds import Kind
from annotations.models import Article, Corpus, Producer, Result
from annotations.storing import open_to_all
from evaluation.errors import ChallengeError
from evaluation.measures.registry import PRIMARY
from evaluation.models import Challenge, Phase, Run, Task
from servers import queueing
from servers.models import Queue, Server
from servers.states import QueueMode

SCORED_KINDS = frozenset(PRIMARY)
MODES = {Phase.Sort.TRAINING: QueueMode.TRAINING, Phase.Sort.TEST: QueueMode.TEST}


def may_create(user: Any) -> bool:
    """Staff, and whoever was given the right to add challenges."""
    return bool(user.is_authenticated and (user.is_staff or user.has_perm("evaluation.add_challenge")))


def organizes(user: Any, challenge: Challenge) -> bool:
    """Whether the user may change this challenge and see everything in it."""
    if isinstance(user, AnonymousUser):
        return False
    return bool(user.is_staff) or challenge.organizers.filter(pk=user.pk).exists()


@transaction.atomic
def create_challenge(name: str, slug: str, description: str, organizer: Any) -> Challenge:
    challenge = Challenge.objects.create(name=name, slug=slug, description=description)
    challenge.organizers.add(organizer)
    return challenge


def add_task(challenge: Challenge, name: str, kind: Kind, title: str, *, note: str = "", primary: str = "") -> Task:
    """A task of the challenge; primary orders its leaderboard (default: what is usual for the kind)."""
    if kind not in SCORED_KINDS:
        raise ChallengeError(f"Annotations of the kind {kind} cannot be scored yet; choose {', '.join(SCORED_KINDS)}.")
    return challenge.tasks.create(name=name, kind=kind, title=title, note=note, primary=primary or PRIMARY[kind])


def corpora_for(challenge: Challenge) -> QuerySet[Corpus]:
    """The corpora that a phase of this challenge may use: blind ones only when no other challenge's test is of them."""
    others = Phase.objects.exclude(challenge=challenge)
    return Corpus.objects.exclude(blind=True, pk__in=others.values("corpus")).order_by("name")


@transaction.atomic
def create_corpus(name: str, slug: str, description: str, pmids: Sequence[int], *, blind: bool) -> Corpus:
    """A corpus of articles that are stored already, in this order."""
    corpus = Corpus.objects.create(name=name, slug=slug, description=description, blind=blind)
    corpora.append(slug, pmids)
    return corpus


def add_phase(challenge: Challenge, sort: str, corpus: Corpus, closes: datetime | None = None) -> Phase:
    if challenge.phases.filter(sort=sort).exists():
        raise ChallengeError(f"{challenge} has a {sort} phase already; a challenge has one of each.")
    return challenge.phases.create(sort=sort, corpus=corpus, closes=closes)


def queue_for(server: Server, phase: Phase) -> Queue:
    """The server's queue of this phase; its name is the challenge's, as its mode names the phase."""
    return queueing.queue_of(server, MODES[Phase.Sort(phase.sort)], phase.challenge.slug)


@transaction.atomic
def enter(server: Server, phase: Phase, by: Any = None) -> list[Run]:
    """Let a server take part in a phase and queue its articles: one run for each task whose kind the server returns.

    by is who does it, of the server's team or an organizer; None: the site itself. Entered twice, a server stays once.
    ChallengeError when it may not take part, with what to do about it.
    """
    tasks = tasks_of(server, phase.challenge)
    if by is not None:
        refuse_who_may_not(server, phase, by)
    refuse_closed(phase)
    refuse_pmids_in_blind(server, phase)
    if phase.sort == Phase.Sort.TEST:
        refuse_unfinished_training(server, phase.challenge, tasks)
    queue = queue_for(server, phase)
    if phase.published:
        open_to_all(Producer.objects.filter(pk=queue.producer_id))
    fixed = {"phase": phase, "producer": queue.producer}
    own = {"team": server.team, "name": server.name, "sort": Run.Sort.ONLINE}
    entered = [Run.objects.get_or_create(task=task, **fixed, defaults=own) for task in tasks]
    if any(new for _, new in entered):
        load(server, phase)
    return [run for run, _ in entered]


def tasks_of(server: Server, challenge: Challenge) -> list[Task]:
    """The challenge's tasks that a server can answer; ChallengeError when there is none."""
    asked = list(challenge.tasks.order_by("pk"))
    tasks = [task for task in asked if task.kind in server.kinds]
    if not tasks:
        kinds = ", ".join(sorted({task.kind for task in asked})) or "nothing yet"
        raise ChallengeError(
            f"{server} returns no kind of annotation that {challenge} asks for ({kinds}); "
            "add one to the kinds that the server is registered for."
        )
    return tasks


def refuse_who_may_not(server: Server, phase: Phase, by: Any) -> None:
    if not server.team.members.filter(pk=by.pk).exists() and not organizes(by, phase.challenge):
        raise ChallengeError(f"Only members of {server.team} may enter {server}; ask them to do it.")


def refuse_closed(phase: Phase) -> None:
    now = timezone.now()
    if phase.opens > now:
        raise ChallengeError(f"The {phase.sort} phase opens on {phase.opens:%d %B %Y, %H:%M} UTC; enter it then.")
    if phase.closes and phase.closes <= now:
        raise ChallengeError(
            f"The {phase.sort} phase closed on {phase.closes:%d %B %Y, %H:%M} UTC; nobody can enter now."
        )


def refuse_pmids_in_blind(server: Server, phase: Phase) -> None:
    if phase.corpus.blind and server.send == Server.Send.PMID:
        raise ChallengeError(
            f"The articles of the {phase.sort} phase are blind and {server} is sent PMIDs; "
            "change what the server is sent to the text or the struct."
        )


def refuse_unfinished_training(server: Server, challenge: Challenge, tasks: Sequence[Task]) -> None:
    """A test is for servers that have answered the whole training set in every kind they enter with."""
    training = challenge.phases.filter(sort=Phase.Sort.TRAINING).first()
    if training is None:
        return
    kinds = {task.kind for task in tasks}
    articles = Article.objects.filter(corpora=training.corpus)
    answered = answered_in_all(articles, server, training, kinds)
    if answered < articles.count():
        raise ChallengeError(
            f"{server} has answered {answered} of the {articles.count()} training articles; "
            "enter the training phase, let it finish, then enter the test phase."
        )


def answered_in_all(articles: QuerySet[Article], server: Server, training: Phase, kinds: Iterable[str]) -> int:
    """How many articles the server's training queue has a current Result of in each of the kinds."""
    for kind in kinds:
        results = Result.objects.filter(
            article=OuterRef("pk"),
            kind=kind,
            superseded__isnull=True,
            producer__queue__server=server,
            producer__queue__mode=QueueMode.TRAINING,
            producer__queue__name=training.challenge.slug,
        )
        articles = articles.filter(Exists(results))
    return articles.count()


def load(server: Server, phase: Phase) -> int:
    """Put the articles of a phase into the queue of a server that entered it; returns how many calls were added.

    Training articles may be loaded again and are asked again; test articles never are. ChallengeError when the server
    has not entered or the phase is closed.
    """
    refuse_closed(phase)
    queue = Queue.objects.filter(server=server, producer__runs__phase=phase).first()
    if queue is None:
        raise ChallengeError(f"{server} has not entered the {phase.sort} phase of {phase.challenge}; enter it first.")
    articles = phase.corpus.corpusarticle_set.order_by("position").values_list("article_id", flat=True)
    return queueing.enqueue(queue, list(articles))


@transaction.atomic
def publish(phase: Phase, now: datetime | None = None) -> bool:
    """Open a phase's leaderboard, runs, gold standards and articles to everybody; False when they were open before."""
    if not Phase.objects.filter(pk=phase.pk, published__isnull=True).update(published=now or timezone.now()):
        return False
    phase.refresh_from_db()
    open_to_all(Producer.objects.filter(pk__in=phase.runs.values("producer")))
    open_to_all(Producer.objects.filter(pk__in=phase.golds.values("producer")))
    if not Phase.objects.filter(corpus=phase.corpus, published__isnull=True).exists():
        Corpus.objects.filter(pk=phase.corpus_id).update(blind=False)
    return True
