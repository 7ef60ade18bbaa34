"""The dry run of a challenge: checks of its set-up, and the power analysis of its test set."""

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

from annotations.articles.article_ids import format_first_items_and_remaining_count
from annotations.articles.models import Article
from annotations.articles.queries import annotate_recorded_ids
from annotations.schema import Kind
from evaluation.challenges.caps import CAPPABLE_KINDS, format_caps
from evaluation.challenges.dry_run.known_articles import KnownTestArticles, find_publicly_known_test_articles
from evaluation.challenges.dry_run.power_analysis import PowerAnalysis, compute_power_from_training_or_assumed_variation
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.participants.answerable_tasks import list_kinds_to_answer
from evaluation.challenges.participants.training_progress import count_training_articles_not_fully_answered
from evaluation.gold.models import GoldStandard
from evaluation.gold.sealing import compute_key_fingerprint
from servers.calls.models import Queue
from servers.calls.outcomes.result_caps import CAPPED_KINDS, TEST_CAP
from servers.registry.models import Server
from servers.registry.states import ServerState

# The scoring worker keeps the fingerprint of its key in the cache while it runs (evaluation/tasks.py).
WORKER_KEY_CACHE_KEY = "gold-key-of-scoring-worker"


class CheckState(StrEnum):
    """How a check went; the values are shown on the page and sent by REST."""

    GOOD = "good"
    LOOK = "look at this"
    BAD = "mend this"


@dataclass(frozen=True, slots=True)
class SetupCheck:
    """One check; message: what was found and, if it is wrong, how to fix it."""

    name: str
    state: CheckState
    message: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """All checks, and a power analysis of each task if there is a test phase."""

    challenge: Challenge
    checks: Sequence[SetupCheck]
    power_analyses: Sequence[PowerAnalysis]
    at: datetime

    @property
    def bad(self) -> int:
        """The number of checks that failed."""
        return sum(check.state == CheckState.BAD for check in self.checks)

    @property
    def checks_worst_first(self) -> list[SetupCheck]:
        """The checks that failed, then the warnings, then those that passed."""
        order = [CheckState.BAD, CheckState.LOOK, CheckState.GOOD]
        return sorted(self.checks, key=lambda check: order.index(check.state))


def perform_dry_run(challenge: Challenge) -> DryRun:
    """Check everything that can be checked before the challenge begins."""
    now = timezone.now()
    tasks = list(challenge.tasks.order_by("pk"))
    rows = challenge.phases.select_related("corpus").annotate(size=Count("corpus__articles"))
    phases = list(rows.order_by("opens", "pk"))
    golds = {(gold.phase_id, gold.task_id): gold for gold in GoldStandard.objects.filter(phase__challenge=challenge)}
    checks = [*_check_tasks_and_phases(tasks, phases), *_check_phase_dates(phases, now)]
    for phase in phases:
        checks += [
            _check_phase_corpus(phase),
            *_check_phase_gold(phase, tasks, golds),
            *_check_phase_caps(phase, tasks),
        ]
        if phase.sort == Phase.Type.TEST:
            checks += [*_check_blindness(phase, phases), *_check_sealing_key(phase, golds)]
    checks += _check_server_readiness(challenge, tasks, phases)
    test = next((phase for phase in phases if phase.sort == Phase.Type.TEST), None)
    power_analyses = (
        [compute_power_from_training_or_assumed_variation(task, test) for task in tasks] if test is not None else []
    )
    return DryRun(challenge, checks, power_analyses, now)


def _check_tasks_and_phases(tasks: Sequence[Task], phases: Sequence[Phase]) -> Iterator[SetupCheck]:
    if tasks:
        yield SetupCheck("Tasks", CheckState.GOOD, f"{', '.join(task.name for task in tasks)}.")
    else:
        yield SetupCheck("Tasks", CheckState.BAD, "The challenge has no task. Add one.")
    present = {phase.sort for phase in phases}
    missing = [sort for sort in (Phase.Type.TRAINING, Phase.Type.TEST) if sort not in present]
    if missing:
        yield SetupCheck(
            "Phases", CheckState.BAD, f"There is no {' and no '.join(missing)} phase. Add a corpus, then the phase."
        )
    else:
        yield SetupCheck("Phases", CheckState.GOOD, f"{', '.join(phase.sort for phase in phases)}.".capitalize())


def _check_phase_dates(phases: Sequence[Phase], now: datetime) -> Iterator[SetupCheck]:
    """Each phase has to end after it begins, and phases have to begin in the order training, development, test."""
    faults = [fault for phase in phases for fault in _iter_date_faults(phase, now)]
    order = list(Phase.Type)
    for before, after in pairwise(phases):
        if order.index(Phase.Type(before.sort)) > order.index(Phase.Type(after.sort)):
            faults.append(f"the {before.sort} phase begins before the {after.sort} phase")
    if faults:
        yield SetupCheck("Dates", CheckState.BAD, f"{'; '.join(faults).capitalize()}. Change the dates of the phases.")
    elif any(phase.closes is None for phase in phases):
        open_ended = ", ".join(phase.sort for phase in phases if phase.closes is None)
        yield SetupCheck(
            "Dates", CheckState.LOOK, f"Without an end: {open_ended}. Such a phase stays open until you set its end."
        )
    elif phases:
        yield SetupCheck("Dates", CheckState.GOOD, "The dates are in order.")


def _iter_date_faults(phase: Phase, now: datetime) -> Iterator[str]:
    """What is wrong with the dates of a phase, as parts of a sentence."""
    if phase.closes is not None and phase.closes <= phase.opens:
        yield f"the {phase.sort} phase ends before it begins"
    if phase.closes is not None and phase.closes <= now and phase.ended is None:
        yield f"the end of the {phase.sort} phase is in the past"


def _check_phase_corpus(phase: Any) -> SetupCheck:
    """phase: a Phase annotated with size, the number of articles in its corpus."""
    name = f"Articles of the {phase.sort} phase"
    if not phase.size:
        return SetupCheck(name, CheckState.BAD, f"The corpus {phase.corpus} is empty. Add its articles first.")
    return SetupCheck(name, CheckState.GOOD, f"The corpus {phase.corpus} has {phase.size:,} articles.")


def _check_phase_gold(
    phase: Phase, tasks: Sequence[Task], golds: dict[tuple[int, int], GoldStandard]
) -> Iterator[SetupCheck]:
    """Whether each task has a gold standard. Its content was checked when it was uploaded."""
    for task in tasks:
        gold = golds.get((phase.pk, task.pk))
        name = f"Gold standard of {task} in the {phase.sort} phase"
        if gold is None and task.kind == Kind.PASSAGE:
            message = "Passages are judged on this site once the runs are submitted. Find at least two judges in time."
            yield SetupCheck(name, CheckState.LOOK, message)
        elif gold is None:
            state = CheckState.BAD if phase.sort == Phase.Type.TEST else CheckState.LOOK
            yield SetupCheck(name, state, "There is none, so no run can be scored. Upload it.")
        else:
            state_text = "sealed" if gold.producer_id is None else "stored"
            message = (
                f"“{gold.source}” was checked against the corpus on {gold.imported:%-d %B %Y} and is {state_text}."
            )
            yield SetupCheck(name, CheckState.GOOD, message)


def _check_phase_caps(phase: Phase, tasks: Sequence[Task]) -> Iterator[SetupCheck]:
    """How many results for an article are kept, of an uploaded run and, in a test, of a server."""
    kinds = {task.kind for task in tasks}
    if not kinds & {*CAPPABLE_KINDS}:
        return
    uploaded = f"at most {phase.caps_text}" if phase.upload_caps else "any number of results"
    message = f"An uploaded run can have {uploaded} for an article."
    if phase.sort == Phase.Type.TEST and (
        online := format_caps({kind: TEST_CAP for kind in CAPPED_KINDS if kind in kinds})
    ):
        message += f" Of the answer of a server, only the best are kept: {online}."
    yield SetupCheck(f"Caps of the {phase.sort} phase", CheckState.GOOD, message)


def _check_blindness(test: Phase, phases: Sequence[Phase]) -> Iterator[SetupCheck]:
    """Whether the test articles are blind and cannot be identified."""
    name = "Blind articles"
    articles = Article.objects.filter(corpora=test.corpus_id)
    if not test.corpus.blind and not test.published:
        yield SetupCheck(
            name, CheckState.BAD, f"The corpus {test.corpus} is not blind. Everybody can see its articles and PMIDs."
        )
        return
    known = find_publicly_known_test_articles(test) if test.corpus.blind else None
    faults = list(_iter_blindness_faults(articles, test, phases, known))
    yield from (SetupCheck(name, CheckState.BAD, fault) for fault in faults)
    if known and known.names:
        yield SetupCheck(name, CheckState.LOOK, _format_known_articles(known, test))
    elif not faults:
        message = (
            "Servers and files get only random ids, no text contains its own PMID or DOI, and no article with the same "
            "PMID, PMCID, DOI or text is public on this site."
        )
        yield SetupCheck(name, CheckState.GOOD, message)


def _format_known_articles(known: KnownTestArticles, test: Any) -> str:
    """test: a Phase annotated with size, the number of its articles."""
    number = len(known.names)
    return (
        f"{number:,} of the {test.size:,} test articles {'is' if number == 1 else 'are'} publicly known: an article "
        "with the same PMID, PMCID, DOI or text is on this site. Servers have annotated "
        f"{known.annotated:,} of them outside of the test. A team can find such an article by its text. If you can, "
        "use articles that are not public, and upload them straight to the blind corpus: "
        f"{format_first_items_and_remaining_count(known.names)}."
    )


def _iter_blindness_faults(
    articles: QuerySet[Article], test: Phase, phases: Sequence[Phase], known: KnownTestArticles | None
) -> Iterator[str]:
    """What reveals test articles, one sentence each."""
    numbered = annotate_recorded_ids(articles).annotate(number=Cast("recorded_pmid", CharField()))
    with_pmid = numbered.filter(text__contains=F("number")).count()
    with_doi = numbered.filter(recorded_doi__gt="", text__icontains=F("recorded_doi")).count()
    if with_pmid + with_doi:
        yield f"{with_pmid + with_doi} test articles contain their own PMID or DOI in their text. Replace them."
    others = [phase.corpus_id for phase in phases if phase.pk != test.pk]
    in_others = set(Article.objects.filter(corpora__in=others).values_list("pk", flat=True))
    public = known.public_key_by_article if known else {}
    if shared := sum(bool({pk, public.get(pk)} & in_others) for pk in articles.values_list("pk", flat=True)):
        yield f"{shared} test articles are also in another phase. Remove them from one of the two."
    by_pmid = Server.objects.filter(queues__producer__runs__phase=test, send=Server.Send.PMID).distinct()
    if names := ", ".join(map(str, by_pmid.order_by("name", "pk"))):
        yield f"These servers receive PMIDs: {names}. Ask their teams to change them to the text or the struct."


def _check_sealing_key(test: Phase, golds: dict[tuple[int, int], GoldStandard]) -> Iterator[SetupCheck]:
    """Whether the site can seal test gold standards, and the scoring worker open them."""
    name = "Key of the test gold standard"
    if settings.GOLD_PUBLIC_KEY is None:
        message = "The site has no key. Its administrator can make one with `manage.py make_gold_key`."
        yield SetupCheck(name, CheckState.BAD, message)
        return
    site_key, worker_key = compute_key_fingerprint(settings.GOLD_PUBLIC_KEY), cache.get(WORKER_KEY_CACHE_KEY)
    if worker_key is None:
        message = "No scoring worker with a private key has run in the last minute, so no test run can be scored."
        yield SetupCheck(name, CheckState.BAD, f"{message} Ask the administrator.")
    elif worker_key != site_key:
        message = f"The site seals with the key {site_key}, but the scoring worker has the key {worker_key}."
        yield SetupCheck(name, CheckState.BAD, f"{message} Ask the administrator.")
    else:
        yield SetupCheck(name, CheckState.GOOD, f"The scoring worker has the private key that matches {site_key}.")


def _check_server_readiness(
    challenge: Challenge, tasks: Sequence[Task], phases: Sequence[Phase]
) -> Iterator[SetupCheck]:
    """Which servers could enter the test now."""
    training = next((phase for phase in phases if phase.sort == Phase.Type.TRAINING), None)
    if training is None:
        return
    queues = Queue.objects.filter(producer__runs__phase=training)
    servers = list(Server.objects.filter(queues__in=queues).distinct().order_by("name", "pk"))
    if not servers:
        message = "No server is in the training phase yet. Tell the teams when it is open."
        yield SetupCheck("Servers", CheckState.LOOK, message)
    for server in servers:
        left = count_training_articles_not_fully_answered(server, training, list_kinds_to_answer(tasks, server))
        state = CheckState.GOOD if not left and server.state == ServerState.ONLINE else CheckState.LOOK
        progress = "has answered every training article" if not left else f"has {left} training articles to answer"
        yield SetupCheck(f"Server {server}", state, f"It {progress} and is {server.state}.")
