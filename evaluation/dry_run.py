"""Try a challenge out before it begins: is everything there, does it fit together, and what can its test set tell?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import CharField, Count, F, QuerySet
from django.db.models.functions import Cast
from django.utils import timezone

from annotations.kinds import Kind
from annotations.models import Article
from evaluation.caps import CAPPED, in_words
from evaluation.models import Challenge, GoldStandard, Phase, Task
from evaluation.resolving import Resolution, resolution_of
from evaluation.sealing import fingerprint
from evaluation.training import unfinished
from servers.models import Queue, Server
from servers.settling import CAPPED_KINDS, TEST_CAP
from servers.states import ServerState

# Under this name the scoring worker leaves the fingerprint of its key, for as long as it lives.
KEY_OF_WORKER = "gold-key-of-scoring-worker"


class State(StrEnum):
    GOOD = "good"
    LOOK = "look at this"
    BAD = "mend this"


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, how it is, and in one sentence what was found and how to mend it."""

    name: str
    state: State
    said: str


@dataclass(frozen=True, slots=True)
class DryRun:
    challenge: Challenge
    checks: Sequence[Check]
    resolutions: Sequence[Resolution]
    at: datetime

    @property
    def bad(self) -> int:
        return sum(check.state == State.BAD for check in self.checks)


def dry_run(challenge: Challenge) -> DryRun:
    """Everything that can be known of a challenge without running it."""
    now = timezone.now()
    tasks = list(challenge.tasks.order_by("pk"))
    rows = challenge.phases.select_related("corpus").annotate(size=Count("corpus__articles"))
    phases = list(rows.order_by("opens", "pk"))
    golds = {(gold.phase_id, gold.task_id): gold for gold in GoldStandard.objects.filter(phase__challenge=challenge)}
    checks = [*of_parts(tasks, phases), *of_dates(phases, now)]
    for phase in phases:
        checks += [of_corpus(phase), *of_gold(phase, tasks, golds), *of_caps(phase, tasks)]
        if phase.sort == Phase.Sort.TEST:
            checks += [*of_blindness(phase, phases), *of_key(phase, golds)]
    checks += of_servers(challenge, tasks, phases)
    test = next((phase for phase in phases if phase.sort == Phase.Sort.TEST), None)
    resolutions = [resolution_of(task, test) for task in tasks] if test is not None else []
    return DryRun(challenge, checks, resolutions, now)


def of_parts(tasks: Sequence[Task], phases: Sequence[Phase]) -> Iterator[Check]:
    if tasks:
        yield Check("Tasks", State.GOOD, f"{', '.join(task.name for task in tasks)}.")
    else:
        yield Check("Tasks", State.BAD, "There is none: add a task.")
    lacking = [sort for sort in (Phase.Sort.TRAINING, Phase.Sort.TEST) if sort not in {p.sort for p in phases}]
    if lacking:
        yield Check("Phases", State.BAD, f"There is no {' and no '.join(lacking)} phase: add a corpus, then the phase.")
    else:
        yield Check("Phases", State.GOOD, f"{', '.join(phase.sort for phase in phases)}.".capitalize())


def of_dates(phases: Sequence[Phase], now: datetime) -> Iterator[Check]:
    """Each phase ends after it opens, and they come in their order: training, development, test."""
    faults = [fault for phase in phases for fault in faults_of_dates(phase, now)]
    order = list(Phase.Sort)
    for before, after in pairwise(phases):
        if order.index(Phase.Sort(before.sort)) > order.index(Phase.Sort(after.sort)):
            faults.append(f"the {before.sort} phase opens before the {after.sort} phase")
    if faults:
        yield Check("Dates", State.BAD, f"{'; '.join(faults).capitalize()}: change the dates of the phases.")
    elif any(phase.closes is None for phase in phases):
        open_ended = ", ".join(phase.sort for phase in phases if phase.closes is None)
        yield Check(
            "Dates", State.LOOK, f"Without an end: {open_ended}. Such a phase stays open until you give it one."
        )
    elif phases:
        yield Check("Dates", State.GOOD, "They are in order.")


def faults_of_dates(phase: Phase, now: datetime) -> Iterator[str]:
    if phase.closes is not None and phase.closes <= phase.opens:
        yield f"the {phase.sort} phase ends before it opens"
    if phase.closes is not None and phase.closes <= now and phase.ended is None:
        yield f"the end of the {phase.sort} phase is over"


def of_corpus(phase: Any) -> Check:
    name = f"Articles of the {phase.sort} phase"
    if not phase.size:
        return Check(name, State.BAD, f"The corpus {phase.corpus} is empty: import its articles first.")
    return Check(name, State.GOOD, f"The corpus {phase.corpus} has {phase.size:,}.")


def of_gold(phase: Phase, tasks: Sequence[Task], golds: dict[tuple[int, int], GoldStandard]) -> Iterator[Check]:
    """A gold standard is checked against the corpus when it is uploaded; here is whether there is one."""
    for task in tasks:
        gold = golds.get((phase.pk, task.pk))
        name = f"Gold standard of {task} in the {phase.sort} phase"
        if gold is None and task.kind == Kind.PASSAGE:
            said = "Its passages are collected and judged on the site when the runs are in; find two judges in time."
            yield Check(name, State.LOOK, said)
        elif gold is None:
            state = State.BAD if phase.sort == Phase.Sort.TEST else State.LOOK
            yield Check(name, state, "There is none, so that nothing can be scored: upload it.")
        else:
            kept = "sealed" if gold.producer_id is None else "stored"
            said = f"“{gold.source}” was checked against the corpus on {gold.imported:%-d %B %Y} and is {kept}."
            yield Check(name, State.GOOD, said)


def of_caps(phase: Phase, tasks: Sequence[Task]) -> Iterator[Check]:
    """How many results of an article count, uploaded and of a server in a test."""
    kinds = {task.kind for task in tasks}
    if not kinds & {*CAPPED}:
        return
    uploaded = f"at most {phase.told_caps}" if phase.upload_caps else "any number of results"
    said = f"Of an article an uploaded run may have {uploaded}."
    if phase.sort == Phase.Sort.TEST and (
        online := in_words({kind: TEST_CAP for kind in CAPPED_KINDS if kind in kinds})
    ):
        said += f" Of a server's answer the best count: {online}."
    yield Check(f"Caps of the {phase.sort} phase", State.GOOD, said)


def of_blindness(test: Phase, phases: Sequence[Phase]) -> Iterator[Check]:
    name = "Blind articles"
    articles = Article.objects.filter(corpora=test.corpus_id)
    if not test.corpus.blind and not test.published:
        yield Check(name, State.BAD, f"The corpus {test.corpus} is not blind: everybody sees its articles and PMIDs.")
        return
    faults = list(tells(articles, test, phases))
    if faults:
        yield from (Check(name, State.BAD, fault) for fault in faults)
    else:
        said = "Servers and files are told random ids, and no text names its own PMID or DOI."
        yield Check(name, State.GOOD, said)


def tells(articles: QuerySet[Article], test: Phase, phases: Sequence[Phase]) -> Iterator[str]:
    """What gives a test article away."""
    own = articles.annotate(number=Cast("pmid", CharField()))
    named = own.filter(text__contains=F("number")).count() + own.filter(doi__gt="", text__icontains=F("doi")).count()
    if named:
        yield f"{named} test articles name their own PMID or DOI in their text: replace them by others."
    others = [phase.corpus_id for phase in phases if phase.pk != test.pk]
    if shared := articles.filter(pk__in=Article.objects.filter(corpora__in=others).values("pk")).count():
        yield f"{shared} test articles are articles of another phase, too: take them out of one of the two."
    by_pmid = Server.objects.filter(queues__producer__runs__phase=test, send=Server.Send.PMID).distinct()
    if names := ", ".join(map(str, by_pmid.order_by("name", "pk"))):
        yield f"These servers are sent PMIDs: {names}; have them changed to the text or the struct."


def of_key(test: Phase, golds: dict[tuple[int, int], GoldStandard]) -> Iterator[Check]:
    """Whether test gold standards can be sealed here, and opened by the scoring worker."""
    name = "Key of the test gold standard"
    if settings.GOLD_PUBLIC_KEY is None:
        said = "The site has none: its administrator makes one with `manage.py make_gold_key` and sets it."
        yield Check(name, State.BAD, said)
        return
    own, worker = fingerprint(settings.GOLD_PUBLIC_KEY), cache.get(KEY_OF_WORKER)
    if worker is None:
        said = "No scoring worker with a private key has been seen for a minute: nothing of the test can be scored."
        yield Check(name, State.BAD, f"{said} Ask the administrator.")
    elif worker != own:
        said = f"The site seals for the key {own}, and the scoring worker has the key {worker}: ask the administrator."
        yield Check(name, State.BAD, said)
    else:
        yield Check(name, State.GOOD, f"The scoring worker has the private key of the site's pair {own}.")


def of_servers(challenge: Challenge, tasks: Sequence[Task], phases: Sequence[Phase]) -> Iterator[Check]:
    """Which servers would get into the test now."""
    training = next((phase for phase in phases if phase.sort == Phase.Sort.TRAINING), None)
    if training is None:
        return
    queues = Queue.objects.filter(producer__runs__phase=training)
    servers = list(Server.objects.filter(queues__in=queues).distinct().order_by("name", "pk"))
    if not servers:
        said = "No server is in the training phase yet; tell the teams when it is open."
        yield Check("Servers", State.LOOK, said)
    for server in servers:
        left = unfinished(server, training, {task.kind for task in tasks} & set(server.kinds))
        state = State.GOOD if not left and server.state == ServerState.ONLINE else State.LOOK
        done = "has answered every training article" if not left else f"has {left} training articles to answer"
        yield Check(f"Server {server}", state, f"It {done} and is {server.state}.")
