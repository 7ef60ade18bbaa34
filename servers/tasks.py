"""Celery tasks of servers: call them, probe them, compute their figures, and deliver notifications."""

from celery import current_app, shared_task
from celery.worker import state
from django.utils import timezone

from servers.availability import probe_schedule, published_figures
from servers.calls import loop
from servers.calls.queues.wake_ups import ASK_TASK, list_servers_to_wake, wake_server
from servers.notifications import mails, retention, webhooks
from servers.registry import lifecycle, trials
from servers.registry.models import Server
from servers.registry.states import ServerState


@shared_task(name=ASK_TASK)
def ask_server(server_id: int) -> str:
    """Make the due calls of a server for a slice of time; returns how the slice ended."""
    return loop.run_server_loop(server_id, stopping=is_shutting_down)


def is_shutting_down() -> bool:
    """Whether this worker shuts down, so that it should finish the current call only."""
    # should_stop holds the exit status, and 0 == False.
    return state.should_stop is not None and state.should_stop is not False


@shared_task(name="servers.tasks.wake_due_servers")
def wake_due_servers() -> int:
    """Wake servers with due calls that no worker serves, and finish interrupted stops; returns how many were woken.

    This is the safety net for wake-ups that the broker lost.
    """
    for server_id in Server.objects.filter(state=ServerState.HALTING).values_list("pk", flat=True):
        lifecycle.take_idle_halting_server_offline(server_id)
    # Random order, because a team with more servers than slots gets slots for those that are woken first.
    woken = list(list_servers_to_wake().order_by("?").values_list("pk", flat=True))
    for server_id in woken:
        wake_server(server_id)
    return len(woken)


@shared_task(name="servers.tasks.send_probes")
def send_probes() -> int:
    """Enqueue a probe of every idle server that is due; returns how many."""
    return probe_schedule.enqueue_due_probes()


@shared_task(name=probe_schedule.PROBE_TASK)
def run_probe(server_id: int) -> str:
    """Probe one server; returns its status, "busy" or "lost"."""
    return probe_schedule.probe_server(server_id)


@shared_task(name="servers.tasks.update_published_figures")
def update_published_figures() -> int:
    """Compute the published figures of all servers; returns how many servers."""
    return published_figures.update_all_figures(timezone.now())


@shared_task(name=trials.TRIAL_TASK)
def try_server(trial_id: int) -> None:
    """Run a trial of a server."""
    trials.run_trial(trial_id)


@shared_task(name=mails.MAIL_TASK)
def write_team_mail(team_id: int, rhythm: str) -> int:
    """Write the due mail of a team about its servers with this mail rhythm; returns how many mails."""
    return mails.write_due_team_mail(team_id, rhythm)


@shared_task(name=webhooks.DELIVERY_TASK)
def deliver_webhook_messages(webhook_id: int) -> str:
    """Send the due messages of a webhook; returns how it ended."""
    return webhooks.deliver_due_messages(webhook_id)


@shared_task(name="servers.tasks.enqueue_due_notifications")
def enqueue_due_notifications() -> int:
    """Enqueue the sending of all due mail and webhook messages; returns how many teams and webhooks have some."""
    teams = mails.list_teams_with_due_mail()
    for team_id, rhythm in teams:
        current_app.send_task(mails.MAIL_TASK, [team_id, rhythm])
    webhook_ids = list(webhooks.list_webhooks_to_wake().values_list("pk", flat=True))
    for webhook_id in webhook_ids:
        webhooks.wake_webhook(webhook_id)
    return len(teams) + len(webhook_ids)


@shared_task(name="servers.tasks.delete_old_notifications")
def delete_old_notifications() -> int:
    """Delete notices and webhook messages that were sent long ago; returns how many."""
    return retention.delete_expired_messages()
