from celery import current_app, shared_task
from celery.worker import state
from django.utils import timezone

from servers import lifecycle, loop, queueing, trials
from servers.availability import figuring, probing
from servers.models import Server
from servers.states import ServerState
from servers.telling import mails, retention, webhooks


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
    # In another order each time: of a team with more servers than places, the first ones woken are served.
    woken = list(queueing.servers_to_wake().order_by("?").values_list("pk", flat=True))
    for server_id in woken:
        queueing.wake(server_id)
    return len(woken)


@shared_task(name="servers.tasks.send_probes")
def send_probes() -> int:
    return probing.send_due()


@shared_task(name=probing.PROBE)
def probe(server_id: int) -> str:
    return probing.probe(server_id)


@shared_task(name="servers.tasks.measure")
def measure() -> int:
    """Bring the published figures of all servers up to date."""
    return figuring.bring_up_to_date(timezone.now())


@shared_task(name=trials.TRY)
def try_server(trial_id: int) -> None:
    trials.carry_out(trial_id)


@shared_task(name=mails.TELL)
def tell(team_id: int, rhythm: str) -> int:
    """Write the mail to a team that is due."""
    return mails.tell(team_id, rhythm)


@shared_task(name=webhooks.DELIVER)
def deliver(webhook_id: int) -> str:
    """Send what is due to a webhook."""
    return webhooks.deliver(webhook_id)


@shared_task(name="servers.tasks.sweep_told")
def sweep_told() -> int:
    """Have everything told whose time has come; how many teams and webhooks that are."""
    teams = mails.due_teams()
    for team_id, rhythm in teams:
        current_app.send_task(mails.TELL, [team_id, rhythm])
    hooks = list(webhooks.to_wake().values_list("pk", flat=True))
    for webhook_id in hooks:
        webhooks.wake(webhook_id)
    return len(teams) + len(hooks)


@shared_task(name="servers.tasks.forget_told")
def forget_told() -> int:
    """What was told long ago goes."""
    return retention.forget_old()
