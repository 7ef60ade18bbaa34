"""Celery tasks of servers: call them, probe them, compute their figures, and deliver notifications."""

from celery import current_app, shared_task
from celery.worker import state
from django.utils import timezone

from servers.availability import probe_schedule, published_figures
from servers.calls import loop
from servers.calls.queues.wake_ups import ASK_TASK, enqueue_server_loop_after_commit, list_unleased_servers_with_work
from servers.notifications.mail import mails
from servers.notifications.webhooks import webhook_delivery
from servers.notifications.webhooks.matrix.sending_slots import try_sending_slot
from servers.registry import lifecycle, trials
from servers.registry.models import Server
from servers.registry.states import ServerState


@shared_task(name=ASK_TASK)
def run_due_server_calls_unless_busy(server_id: int) -> str:
    """Make the due calls of a server for a slice of time; returns how the slice ended."""
    return loop.run_slices_if_slot_and_lease_free(server_id, should_stop=_is_shutting_down)


def _is_shutting_down() -> bool:
    """Whether this worker shuts down, so that it should finish the current call only."""
    # should_stop holds the exit status, and 0 == False.
    return state.should_stop is not None and state.should_stop is not False


@shared_task(name="servers.tasks.wake_due_servers_and_finish_halts")
def wake_due_servers_and_finish_halts() -> int:
    """Wake servers with due calls that no worker serves, and finish interrupted stops; returns how many were woken.

    This is the safety net for wake-ups that the broker lost.
    """
    for server_id in Server.objects.filter(state=ServerState.HALTING).values_list("pk", flat=True):
        lifecycle.take_idle_halting_server_offline(server_id)
    # Random order, because a team with more servers than slots gets slots for those that are woken first.
    woken = list(list_unleased_servers_with_work().order_by("?").values_list("pk", flat=True))
    for server_id in woken:
        enqueue_server_loop_after_commit(server_id)
    return len(woken)


@shared_task(name="servers.tasks.enqueue_probes_of_due_servers")
def enqueue_probes_of_due_servers() -> int:
    """Enqueue a probe of every idle server that is due; returns how many."""
    return probe_schedule.claim_and_enqueue_due_probes()


@shared_task(name=probe_schedule.PROBE_TASK)
def run_probe_unless_server_busy(server_id: int) -> str:
    """Probe one server; returns its status, "busy" or "lost"."""
    return probe_schedule.probe_server_and_resume_queues_unless_busy(server_id)


@shared_task(name="servers.tasks.update_published_figures")
def update_published_figures() -> int:
    """Compute the published figures of all servers; returns how many servers."""
    return published_figures.update_rollups_and_figures_of_servers(timezone.now())


@shared_task(name=trials.TRIAL_TASK)
def run_trial_of_server(trial_id: int) -> None:
    """Run a trial of a server."""
    trials.run_open_trial_and_store_report(trial_id)


@shared_task(name="servers.tasks.delete_credentials_of_lost_trials")
def delete_credentials_of_lost_trials() -> int:
    """Delete the sealed credentials of trials that a crashed worker left; returns how many."""
    return trials.delete_credentials_of_lost_trials()


@shared_task(name=mails.MAIL_TASK)
def mail_unsent_team_notices_if_due(team_id: int, rhythm: str) -> int:
    """Write the due mail of a team about its servers with this mail rhythm; returns how many mails."""
    return mails.mail_unsent_notices_if_any_due(team_id, rhythm)


@shared_task(name=webhook_delivery.DELIVERY_TASK)
def deliver_due_webhook_messages_unless_busy(webhook_id: int) -> str:
    """Send the due messages of a webhook that is not of Matrix; returns how it ended."""
    return _deliver_by_task(webhook_delivery.DELIVERY_TASK, webhook_id)


@shared_task(name=webhook_delivery.MATRIX_DELIVERY_TASK)
def deliver_due_matrix_messages_unless_busy(webhook_id: int) -> str:
    """Send the due messages of a webhook of Matrix, whose access token only asking workers read; how it ended."""
    with try_sending_slot(webhook_id) as free:
        return _deliver_by_task(webhook_delivery.MATRIX_DELIVERY_TASK, webhook_id) if free else "busy"


def _deliver_by_task(task: str, webhook_id: int) -> str:
    formats = webhook_delivery.FORMATS_OF_TASKS[task]
    return webhook_delivery.deliver_due_messages_for_slice_unless_busy(webhook_id, formats)


@shared_task(name="servers.tasks.enqueue_due_mail_and_webhook_sending")
def enqueue_due_mail_and_webhook_sending() -> int:
    """Enqueue the sending of all due mail and webhook messages; returns how many teams and webhooks have some."""
    teams = mails.list_teams_and_rhythms_with_due_mail()
    for team_id, rhythm in teams:
        current_app.send_task(mails.MAIL_TASK, [team_id, rhythm])
    webhooks = list(webhook_delivery.list_ready_webhooks_with_due_messages().only("pk", "format"))
    for webhook in webhooks:
        webhook_delivery.enqueue_webhook_sending_after_commit(webhook)
    return len(teams) + len(webhooks)
