"""Let a server take part in a phase: check whether it can, create its runs, and queue the articles."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotations.results.models import Producer
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.challenges.participants.admission import check_team_may_take_part, check_team_read_no_blind_articles
from evaluation.challenges.participants.answerable_tasks import (
    describe_demands,
    list_answered_kinds,
    list_kinds_to_answer,
)
from evaluation.challenges.participants.training_progress import count_training_articles_not_fully_answered
from evaluation.challenges.permissions import can_organize
from evaluation.challenges.phases.checks import check_phase_open, check_test_gold_unpublished
from evaluation.errors import ChallengeError
from evaluation.runs.disclosure import is_published_with_team_names, publish_challenge_producers
from evaluation.runs.models import Run
from servers.calls.models import Queue
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.permissions import User

PHASE_QUEUE_MODES = {
    Phase.Type.TRAINING: QueueMode.TRAINING,
    Phase.Type.DEVELOPMENT: QueueMode.TRAINING,
    Phase.Type.TEST: QueueMode.TEST,
}


def list_team_servers_of_user(user: User) -> QuerySet[Server]:
    """The servers of all teams of the user."""
    return Server.objects.select_related("team").filter(team__members=user.pk)


def _prepare_phase_queue(server: Server, phase: Phase) -> Queue:
    """The queue of the server for this phase, with the time limit and attempts of the phase."""
    queue = contents.get_or_create_queue_and_producer(
        server, PHASE_QUEUE_MODES[Phase.Type(phase.sort)], _format_phase_queue_name(phase)
    )
    Queue.objects.filter(pk=queue.pk).update(minutes=phase.minutes, tries=phase.tries)
    return queue


def _format_phase_queue_name(phase: Phase) -> str:
    """The slug of the challenge, with the type of the phase for development, which has the queue mode of training."""
    slug = phase.challenge.slug
    return f"{slug}-{phase.sort}" if phase.sort == Phase.Type.DEVELOPMENT else slug


@transaction.atomic
def enter_eligible_server_and_enqueue_articles(
    server: Server, phase: Phase, user_to_check: User | None = None
) -> list[Run]:
    """Let a server take part in a phase and queue the articles. Entering it again changes nothing.

    user_to_check: a member of the team of the server or an organizer, None for the site itself. Returns one
    run for each task whose kind the server returns. ChallengeError, saying what to do, if the server cannot take part.
    """
    tasks = _get_answerable_tasks(server, phase.challenge)
    check_team_may_take_part(phase.challenge, server.team)
    check_team_read_no_blind_articles(phase, server.team)
    if user_to_check is not None:
        _check_may_enter_server(server, phase, user_to_check)
    check_phase_open(phase, timezone.now())
    check_test_gold_unpublished(phase, tasks)
    _check_no_pmids_in_blind_phase(server, phase)
    if phase.sort == Phase.Type.TEST:
        _check_training_finished(server, phase.challenge, tasks)
    queue = _prepare_phase_queue(server, phase)
    for task in tasks:
        _check_server_limit(server, phase, task, queue.producer_id)
    key = {"phase": phase, "producer": queue.producer}
    fields = {"team": server.team, "name": server.name, "sort": Run.Source.ONLINE}
    entered = [Run.objects.get_or_create(task=task, **key, defaults=fields) for task in tasks]
    if is_published_with_team_names(phase, timezone.now()):
        publish_challenge_producers(Producer.objects.filter(pk=queue.producer_id))
    if any(new for _, new in entered):
        enqueue_open_phase_articles_for_entered_server(server, phase)
    return [run for run, _ in entered]


def _get_answerable_tasks(server: Server, challenge: Challenge) -> list[Task]:
    """The tasks of the challenge that the server can answer; ChallengeError if there is none."""
    all_tasks = list(challenge.tasks.order_by("pk"))
    tasks = [task for task in all_tasks if list_answered_kinds(task, server)]
    if not tasks:
        raise ChallengeError(
            f"{server} returns none of the kinds of annotation that {challenge} asks for "
            f"({describe_demands(all_tasks)}). Add one of them in the settings of the server."
        )
    return tasks


def _check_may_enter_server(server: Server, phase: Phase, user: User) -> None:
    """ChallengeError unless the user is a member of the team of the server or an organizer."""
    if not server.team.members.filter(pk=user.pk).exists() and not can_organize(user, phase.challenge):
        raise ChallengeError(f"Only members of {server.team} can enter {server}. Ask one of them.")


def _check_server_limit(server: Server, phase: Phase, task: Task, producer: int) -> None:
    """ChallengeError if the team already has as many other servers in the task as the phase allows.

    producer: id of the producer of the queue of this server in the phase.
    """
    others = task.runs.filter(phase=phase, team=server.team, sort=Run.Source.ONLINE, withdrawn__isnull=True)
    number = others.exclude(producer=producer).count()
    if number >= phase.online_runs:
        raise ChallengeError(
            f"{server.team} has {number} servers in {task} of the {phase.sort} phase, and the limit is "
            f"{phase.online_runs}. Ask the organizers if you need more."
        )


def _check_no_pmids_in_blind_phase(server: Server, phase: Phase) -> None:
    """ChallengeError if the phase is blind and the server is registered to receive PMIDs."""
    if phase.corpus.blind and server.send == Server.Send.PMID:
        raise ChallengeError(
            f"The articles of the {phase.sort} phase are blind, but {server} receives PMIDs. "
            "Change the settings of the server so that it receives the text or the struct."
        )


def _check_training_finished(server: Server, challenge: Challenge, tasks: Sequence[Task]) -> None:
    """ChallengeError unless the server has answered the whole training set in every kind of these tasks."""
    training = challenge.phases.filter(sort=Phase.Type.TRAINING).first()
    if training is None:
        return
    articles = len(list_unexcluded_article_names(training))
    left = count_training_articles_not_fully_answered(server, training, list_kinds_to_answer(tasks, server))
    if left:
        raise ChallengeError(
            f"{server} has answered {articles - left} of the {articles} training articles. "
            "Enter the training phase, let the server finish, then enter the test phase."
        )


def enqueue_open_phase_articles_for_entered_server(server: Server, phase: Phase) -> int:
    """Add the articles of a phase to the queue of a server that takes part. How many calls were added.

    Training articles can be added again after they were answered, test articles cannot. ChallengeError if the server
    does not take part or the phase is not open.
    """
    check_phase_open(phase, timezone.now(), "load articles")
    queue = Queue.objects.filter(server=server, producer__runs__phase=phase).first()
    if queue is None:
        raise ChallengeError(f"{server} is not in the {phase.sort} phase of {phase.challenge}. Enter it first.")
    excluded = phase.excluded.values("article")
    rows = phase.corpus.corpusarticle_set.exclude(article__in=excluded).order_by("position")
    return contents.enqueue_articles_without_open_or_test_call(queue, list(rows.values_list("article_id", flat=True)))
