from celery import shared_task
from celery.worker import state

from servers import lifecycle, loop, queueing, trials
from servers.availability import probing
from servers.models import Server
from servers.states import ServerState


@shared_task(name=queueing.ASK)
def ask(server_id: int) -> str:
    return loop.serve(server_id, stopping=shutting_down)


def shutting_down() -> bool:
    """Whether this worker was told to stop: it finishes the call under way and no more."""
    # What is set there is the exit status, and 0 equals False.
    return state.should_stop is not None and state.should_stop is not False


@shared_task(name="servers.tasks.sweep")
def sweep() -> int:
    """The safety net: wake what is due and not served, and settle servers whose halt was cut short."""
    for server_id in Server.objects.filter(state=ServerState.HALTING).values_list("pk", flat=True):
        lifecycle.settle_halting(server_id)
    woken = list(queueing.servers_to_wake().values_list("pk", flat=True))
    for server_id in woken:
        queueing.wake(server_id)
    return len(woken)


@shared_task(name=trials.TRY)
@shared_task(name="servers.tasks.send_probes")
def send_probes() -> int:
    return probing.send_due()


@shared_task(name=probing.PROBE)
def probe(server_id: int) -> str:
    return probing.probe(server_id)


def try_server(trial_id: int) -> None:
    trials.carry_out(trial_id)
