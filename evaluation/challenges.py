"""Set up a challenge, let servers take part, load the articles, publish."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from celery import current_app
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from annotations import corpora
from annotations.kinds import Kind
from annotations.models import Article, Corpus, Producer
from annotations.storing import open_to_all
from evaluation import phases
from evaluation.articles import articles_of
from evaluation.entrants import refuse_insiders, refuse_not_entered
from evaluation.errors import ChallengeError
from evaluation.gold import the_public_key
from evaluation.measures.registry import PRIMARY
from evaluation.models import Challenge, CorpusOwner, GoldStandard, Phase, Run, Task
from evaluation.opening import open_runs, runs_are_open
from evaluation.sealing import fingerprint, sealed_by
from evaluation.training import unfinished
from servers import queueing
from servers.models import Queue, Server
from servers.states import QueueMode

# The task by its name: evaluation/tasks.py stands above this module.
PUBLISH = "evaluation.tasks.publish_asked"
MODES = {
    Phase.Sort.TRAINING: QueueMode.TRAINING,
    Phase.Sort.DEVELOPMENT: QueueMode.TRAINING,
    Phase.Sort.TEST: QueueMode.TEST,
}


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
    """ChallengeError for a name in addresses that is taken, also one that was taken this very moment; so below."""
    challenge, new = Challenge.objects.get_or_create(slug=slug, defaults={"name": name, "description": description})
    if not new:
        raise ChallengeError(f"There is a challenge {slug} already; choose another name in addresses.")
    challenge.organizers.add(organizer)
    return challenge


def add_task(
    challenge: Challenge,
    name: str,
    kind: Kind,
    title: str,
    *,
    note: str = "",
    primary: str = "",
    further: Sequence[str] = (),
) -> Task:
    """A task of the challenge; primary orders its leaderboard (default: what is usual for the kind), further ones
    stand beside it (default: all of the kind). ChallengeError when there is one of that name."""
    measures = {"primary": primary or PRIMARY[kind], "further": list(further)}
    fields = {"kind": kind, "title": title, "note": note, **measures}
    task, new = challenge.tasks.get_or_create(name=name, defaults=fields)
    if not new:
        raise ChallengeError(f"The challenge has a task {name} already; choose another name.")
    return task


def corpora_for(challenge: Challenge, by: Any) -> QuerySet[Corpus]:
    """The corpora that the user may choose for this challenge: of the blind ones its own, and for staff, who see them
    anyway, those that are no challenge's (of one that is gone, or from before corpora had owners)."""
    choice = Q(blind=False) | Q(owner__challenge=challenge)
    if by.is_staff:
        choice |= Q(owner__isnull=True)
    return Corpus.objects.filter(choice).order_by("name", "pk")


def articles_for(challenge: Challenge) -> QuerySet[Article]:
    """The articles that a corpus of this challenge may have: those of another's blind corpora are not to be found out
    by it."""
    others = Corpus.objects.filter(blind=True).exclude(owner__challenge=challenge)
    return Article.objects.exclude(pk__in=Article.objects.filter(corpora__in=others).values("pk"))


@transaction.atomic
def create_corpus(
    challenge: Challenge, name: str, slug: str, description: str, articles: Sequence[int], *, blind: bool
) -> Corpus:
    """A corpus of these articles by their keys, in this order; a blind one is the challenge's alone."""
    fields = {"name": name, "description": description, "blind": blind}
    corpus, new = Corpus.objects.get_or_create(slug=slug, defaults=fields)
    if not new:
        raise ChallengeError(f"There is a corpus {slug} already; choose another name in addresses.")
    CorpusOwner.objects.create(corpus=corpus, challenge=challenge)
    corpora.append_articles(slug, articles)
    return corpus


def take_corpus(challenge: Challenge, corpus: Corpus) -> None:
    """Make a blind corpus that is nobody's the challenge's own; ChallengeError when it is another's."""
    owner, _ = CorpusOwner.objects.get_or_create(corpus=corpus, defaults={"challenge": challenge})
    if owner.challenge_id != challenge.pk:
        raise ChallengeError(f"The blind corpus {corpus} is another challenge's; choose one that is not, or add one.")


@transaction.atomic
def add_phase(
    challenge: Challenge, sort: str, corpus: Corpus, closes: datetime | None = None, opens: datetime | None = None
) -> Phase:
    """A phase that is open from now on, or from a date; closes: its end, None for none yet.

    ChallengeError for a second one of its sort, and for an end that is over or comes before it opens.
    """
    opens = opens or timezone.now()
    if closes is not None and closes <= max(opens, timezone.now()):
        raise ChallengeError("The phase ends before it opens, or its end is over already; give a later end.")
    if corpus.blind:
        take_corpus(challenge, corpus)
    phase, new = challenge.phases.get_or_create(
        sort=sort, defaults={"corpus": corpus, "opens": opens, "closes": closes}
    )
    if not new:
        raise ChallengeError(f"{challenge} has a {sort} phase already; a challenge has one of each.")
    return phase


def queue_for(server: Server, phase: Phase) -> Queue:
    """The server's queue of this phase, with its rules."""
    queue = queueing.queue_of(server, MODES[Phase.Sort(phase.sort)], queue_name(phase))
    Queue.objects.filter(pk=queue.pk).update(minutes=phase.minutes, tries=phase.tries)
    return queue


def queue_name(phase: Phase) -> str:
    """The challenge's name in addresses, as the mode of the queue names the phase; development shares its mode."""
    slug = phase.challenge.slug
    return f"{slug}-{phase.sort}" if phase.sort == Phase.Sort.DEVELOPMENT else slug


@transaction.atomic
def enter(server: Server, phase: Phase, by: Any = None) -> list[Run]:
    """Let a server take part in a phase and queue its articles: one run for each task whose kind the server returns.

    by is who does it, of the server's team or an organizer; None: the site itself. Entered twice, a server stays once.
    ChallengeError when it may not take part, with what to do about it.
    """
    tasks = tasks_of(server, phase.challenge)
    refuse_not_entered(phase.challenge, server.team)
    refuse_insiders(phase, server.team)
    if by is not None:
        refuse_who_may_not(server, phase, by)
    phases.refuse_standing(phase, timezone.now())
    phases.refuse_published(phase, tasks)
    refuse_pmids_in_blind(server, phase)
    if phase.sort == Phase.Sort.TEST:
        refuse_unfinished_training(server, phase.challenge, tasks)
    queue = queue_for(server, phase)
    for task in tasks:
        refuse_too_many(server, phase, task, queue.producer_id)
    if runs_are_open(phase, timezone.now()):
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


def refuse_too_many(server: Server, phase: Phase, task: Task, producer: int) -> None:
    """ChallengeError when the team has as many other servers in the task as the phase allows."""
    others = task.runs.filter(phase=phase, team=server.team, sort=Run.Sort.ONLINE, withdrawn__isnull=True)
    number = others.exclude(producer=producer).count()
    if number >= phase.online_runs:
        raise ChallengeError(
            f"{server.team} has {number} servers in {task} of the {phase.sort} phase, and {phase.online_runs} are "
            "allowed; ask the organizers when it needs more."
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
    articles = len(articles_of(training))
    left = unfinished(server, training, {task.kind for task in tasks})
    if left:
        raise ChallengeError(
            f"{server} has answered {articles - left} of the {articles} training articles; "
            "enter the training phase, let it finish, then enter the test phase."
        )


def load(server: Server, phase: Phase) -> int:
    """Put the articles of a phase into the queue of a server that entered it; returns how many calls were added.

    Training articles may be loaded again and are asked again; test articles never are. ChallengeError when the server
    has not entered or the phase is closed.
    """
    phases.refuse_standing(phase, timezone.now(), "load articles")
    queue = Queue.objects.filter(server=server, producer__runs__phase=phase).first()
    if queue is None:
        raise ChallengeError(f"{server} has not entered the {phase.sort} phase of {phase.challenge}; enter it first.")
    excluded = phase.excluded.values("article")
    rows = phase.corpus.corpusarticle_set.exclude(article__in=excluded).order_by("position")
    return queueing.enqueue(queue, list(rows.values_list("article_id", flat=True)))


def lift_blindness(corpus: Corpus) -> None:
    """Call the articles of a blind corpus by their PMIDs. Samples are drawn in the order of the names, so every run is
    scored again: else the files would not give the stored figures, nor two runs be compared over the same articles."""
    if Corpus.objects.filter(pk=corpus.pk, blind=True).update(blind=False):
        Phase.objects.filter(corpus=corpus).update(revision=F("revision") + 1)


@transaction.atomic
def disclose(phase: Phase, now: datetime | None = None) -> bool:
    """Open a phase's leaderboards, gold standards and articles to everybody, and its runs if its teams are named now;
    False when they were before."""
    now = now or timezone.now()
    if not Phase.objects.filter(pk=phase.pk, published__isnull=True).update(published=now):
        return False
    phase.refresh_from_db()
    open_runs(Phase.objects.filter(pk=phase.pk), now)
    open_to_all(Producer.objects.filter(pk__in=phase.golds.values("producer")))
    phase.golds.filter(published__isnull=True).update(published=phase.published)
    if not Phase.objects.filter(corpus=phase.corpus, published__isnull=True).exists():
        lift_blindness(phase.corpus)
    phases.note(phase, phases.What.PUBLISHED)
    phases.hold_queues(phase)
    return True


@transaction.atomic
def publish(phase: Phase, now: datetime | None = None) -> bool:
    """Publish all of a phase, or have it published; False when that was done or asked for before.

    ChallengeError for a test that is not over, and when a gold standard is sealed for another key than the site's.
    """
    phases.refuse_unended(phase, timezone.now())
    sealed = list(phase.golds.filter(producer__isnull=True).select_related("task"))
    if not sealed:
        return disclose(phase, now)
    refuse_other_keys(sealed)
    rows = Phase.objects.filter(pk=phase.pk, published__isnull=True, publish_asked__isnull=True)
    asked = rows.update(publish_asked=now or timezone.now(), publish_fault="")
    wake_publisher()
    return bool(asked)


def refuse_other_keys(sealed: list[GoldStandard]) -> None:
    """ChallengeError for a gold standard that the site's key did not seal: nothing here could open it."""
    own = fingerprint(the_public_key())
    for gold in sealed:
        pair = sealed_by(bytes(gold.sealed or b""))
        if pair != own:
            raise ChallengeError(
                f"The gold standard of {gold.task} was sealed for the key {pair}, and the site's key is {own}: "
                "ask the administrator for the key that it was sealed for, or upload the gold standard again."
            )


def wake_publisher() -> None:
    transaction.on_commit(lambda: current_app.send_task(PUBLISH), robust=True)
