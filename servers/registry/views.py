"""The views behind the buttons of a server's page: each accepts POST and redirects with a message."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from servers.registry import lifecycle, removal
from servers.registry.lookup import get_server_for_manager, get_server_for_member, require_logged_in_post
from servers.registry.models import Server
from servers.teams.permissions import User


def _run_state_change(
    request: HttpRequest, slug: str, operation: Callable[[Server, User], bool], success: str
) -> HttpResponse:
    """Run an operation that is False if the server's state does not allow it; success follows the server's name."""
    server, _ = get_server_for_member(request, slug)
    if operation(server, request.user):
        messages.success(request, f"{server.name} {success}")
    else:
        state = Server.objects.values_list("state", flat=True).get(pk=server.pk)
        messages.warning(request, f"{server.name} is {state}, so nothing was changed.")
    return redirect("server", slug=slug)


@require_logged_in_post
def start_server(request: HttpRequest, slug: str) -> HttpResponse:
    return _run_state_change(request, slug, lifecycle.bring_server_online_and_resume_resting_queues, "was started.")


@require_logged_in_post
def stop_server_after_call(request: HttpRequest, slug: str) -> HttpResponse:
    return _run_state_change(request, slug, lifecycle.halt_server_after_current_call, "stops after the current call.")


@require_logged_in_post
def stop_server_now(request: HttpRequest, slug: str) -> HttpResponse:
    success = "was stopped. If a call was in progress, it was aborted and its article waits again."
    return _run_state_change(request, slug, lifecycle.halt_server_now_and_return_calls, success)


@require_logged_in_post
def remove_unused_stopped_server(request: HttpRequest, slug: str) -> HttpResponse:
    server = get_server_for_manager(request, slug)
    try:
        removal.delete_stopped_server_without_results_or_challenges(server)
    except removal.ServerKeptError as error:
        messages.warning(request, str(error))
        return redirect("server", slug=slug)
    messages.success(request, f"{server.name} was removed.")
    return redirect("team", slug=server.team.slug)


@require_logged_in_post
def renew_server_keys(request: HttpRequest, slug: str) -> HttpResponse:
    """Replace both keys of a server that calls back; the old keys stop working at once."""
    server = get_server_for_manager(request, slug)
    lifecycle.replace_server_keys(server)
    messages.success(request, "New keys were created. Configure them on your server: it is refused until it uses them.")
    return redirect("server", slug=slug)
