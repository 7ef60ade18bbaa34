"""Scores of servers, as the scoring worker stores them."""

from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from servers.calls.queues import contents
from servers.calls.states import QueueMode


def store_server_score(server, phase, figure, interval=None, task="TX"):
    """The current score of the run of a server in a task and phase."""
    run = Run.objects.create(
        task=phase.challenge.tasks.get(name=task),
        phase=phase,
        team=server.team,
        producer=contents.get_or_create_queue_and_producer(server, QueueMode.TEST).producer,
        name=server.name,
        sort=Run.Source.ONLINE,
    )
    gold = GoldStandard.objects.filter(phase=phase, task=run.task).first() or GoldStandard.objects.create(
        phase=phase, task=run.task, checksum="0" * 64, sealed=b"0"
    )
    intervals = {run.task.primary: interval} if interval else {}
    figures = {run.task.primary: figure}
    return Score.objects.create(run=run, gold=gold, figures=figures, intervals=intervals, articles=1, answered=1)
