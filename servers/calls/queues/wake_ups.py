"""Wake the loops of servers with due calls."""

from celery import current_app
from django.db import transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Greatest, Least, Now

from servers.calls.leases.lease import AT_WORK, make_unleased_filter
from servers.calls.models import Attempt, Call, Queue
from servers.calls.states import CallState, QueueState
from servers.pasted_texts.queries import list_waiting_pasted_calls_of_outer_server
from servers.registry.models import Server
from servers.registry.states import ServerState

# Called by name, because servers/tasks.py imports this module.
ASK_TASK = "servers.tasks.run_due_server_calls_unless_busy"


def _list_awake_queues_of_outer_server() -> QuerySet[Queue]:
    """The queues of a server that run or whose rest is over."""
    awake = Q(state=QueueState.RUNNING) | Q(state=QueueState.RESTING, rest_until__lte=Now())
    return Queue.objects.filter(awake, server=OuterRef("pk"), held=False)


def _list_due_calls_of_outer_queue() -> QuerySet[Call]:
    return Call.objects.filter(queue=OuterRef("pk"), state=CallState.WAITING, due__lte=Now())


def _make_due_call_filter() -> Exists:
    """The condition that a server has a due call in a queue that runs or whose rest is over."""
    return Exists(_list_awake_queues_of_outer_server().filter(Exists(_list_due_calls_of_outer_queue())))


def list_unleased_servers_with_work() -> QuerySet[Server]:
    """Servers without a loop that have a due call, a pasted text that waits, a call that a crashed worker left behind,
    or a due PENDING call."""
    in_flight = Call.objects.filter(batch__server=OuterRef("pk"))
    left_behind, pending = in_flight.filter(state=CallState.ASKING), in_flight.filter(state=CallState.PENDING)
    has_work = _make_due_call_filter() | Exists(left_behind) | Exists(list_waiting_pasted_calls_of_outer_server())
    has_call_to_make = has_work & ~Exists(pending) & Q(state=ServerState.ONLINE)
    has_call_to_continue = Exists(pending.filter(due__lte=Now())) & Q(state__in=AT_WORK)
    return Server.objects.filter(make_unleased_filter(), has_call_to_make | has_call_to_continue)


def list_waiting_servers_by_time() -> QuerySet[Server]:
    """The servers of list_unleased_servers_with_work with waiting_since, the longest wait first.

    Each waits since its next call is due or a text was pasted, or since its last attempt or its start if that was
    later. What keeps a server waiting for more than some minutes is a fault: no worker, too few slots, or a limit of
    calls per minute.
    """
    next_calls = _list_due_calls_of_outer_queue().order_by("priority", "due", "pk").values("due")[:1]
    due = _list_awake_queues_of_outer_server().annotate(next_due=Subquery(next_calls)).order_by("next_due")
    attempts = Attempt.objects.filter(server=OuterRef("pk")).order_by("-pk").values("started")[:1]
    pasted = list_waiting_pasted_calls_of_outer_server().order_by("pk").values("text__created")[:1]
    first_due = Least(Subquery(due.values("next_due")[:1]), Subquery(pasted))
    since = Greatest(first_due, Subquery(attempts), F("state_since"), output_field=DateTimeField())
    return list_unleased_servers_with_work().annotate(waiting_since=since).order_by("waiting_since", "pk")


def enqueue_server_loop_after_commit(server_id: int) -> None:
    """Enqueue the server's loop once the transaction is committed.

    If the broker cannot be reached, that is logged and the task wake_due_servers_and_finish_halts wakes the server
    seconds later.
    """
    transaction.on_commit(lambda: current_app.send_task(ASK_TASK, [server_id]), robust=True)
