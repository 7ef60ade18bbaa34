"""The view behind the buttons of a queue."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from servers.calls.models import Queue
from servers.calls.queues.actions import QUEUE_ACTIONS, QueueActionRefusedError
from servers.registry.lookup import get_server_for_member, require_logged_in_post


@require_logged_in_post
def run_queue_action(request: HttpRequest, slug: str, queue_id: int, action: str) -> HttpResponse:
    server, _ = get_server_for_member(request, slug)
    if action not in QUEUE_ACTIONS:
        raise Http404
    try:
        messages.success(request, QUEUE_ACTIONS[action].run(get_object_or_404(Queue, pk=queue_id, server=server)))
    except QueueActionRefusedError as refusal:
        messages.warning(request, str(refusal))
    return redirect("server", slug=slug)
