"""What the buttons of a server's page do. Each is a POST that ends on that page, with a word on what happened."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from servers import lifecycle, removal
from servers.models import Queue, Server, new_key
from servers.queue_actions import ACTIONS, RefusedError
from servers.views import server_to_change, server_to_run


def button(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A view that is only sent to; who is not logged in comes back to the server's page after the log-in."""

    @require_POST
    @wraps(view)
    def pressed(request: HttpRequest, slug: str, **place: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("server", args=[slug]))
        return view(request, slug, **place)

    return pressed


def change(
    request: HttpRequest, slug: str, operation: Callable[[Server, Any], bool], done: str, refused: str
) -> HttpResponse:
    server, _ = server_to_run(request, slug)
    if operation(server, request.user):
        messages.success(request, f"{server.name} {done}")
    else:
        state = Server.objects.values_list("state", flat=True).get(pk=server.pk)
        messages.warning(request, f"{server.name} is {state} by now: {refused}")
    return redirect("server", slug=slug)


@button
def start(request: HttpRequest, slug: str) -> HttpResponse:
    return change(request, slug, lifecycle.start, "is started.", "there was nothing to start.")


@button
def halt(request: HttpRequest, slug: str) -> HttpResponse:
    done = "is halted: the call under way, if there is one, may finish."
    return change(request, slug, lifecycle.halt, done, "there was nothing to halt.")


@button
def halt_hard(request: HttpRequest, slug: str) -> HttpResponse:
    done = "is halted hard: a call under way was cut and its article waits again."
    return change(request, slug, lifecycle.halt_hard, done, "there was nothing to halt.")


@button
def queue_action(request: HttpRequest, slug: str, queue_id: int, action: str) -> HttpResponse:
    server, _ = server_to_run(request, slug)
    if action not in ACTIONS:
        raise Http404
    try:
        messages.success(request, ACTIONS[action].run(get_object_or_404(Queue, pk=queue_id, server=server)))
    except RefusedError as refusal:
        messages.warning(request, str(refusal))
    return redirect("server", slug=slug)


@button
def remove(request: HttpRequest, slug: str) -> HttpResponse:
    server = server_to_change(request, slug)
    try:
        removal.remove(server)
    except removal.ServerKeptError as error:
        messages.warning(request, str(error))
        return redirect("server", slug=slug)
    messages.success(request, f"{server.name} is removed.")
    return redirect("team", slug=server.team.slug)


@button
def new_keys(request: HttpRequest, slug: str) -> HttpResponse:
    """Both keys of a server that calls back are made anew; the old ones are worth nothing from now on."""
    server = server_to_change(request, slug)
    Server.objects.filter(pk=server.pk).update(api_key=new_key(), secret_key=new_key())
    messages.success(request, "The keys are new: give them to your server, which is refused until it has them.")
    return redirect("server", slug=slug)
