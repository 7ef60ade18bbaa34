"""The starter servers and the API client as plain text files."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from servers.kit.starter_files import CLIENT_FILE, STARTERS


@require_safe
def show_starter_file(request: HttpRequest, name: str) -> HttpResponse:
    """One starter server."""
    starter = next((each for each in STARTERS if each.name == name), None)
    if starter is None:
        raise Http404
    return HttpResponse(starter.path.read_bytes(), content_type="text/plain; charset=utf-8")


@require_safe
def show_client_file(request: HttpRequest) -> HttpResponse:
    """The client of the API for participants."""
    return HttpResponse(CLIENT_FILE.read_bytes(), content_type="text/plain; charset=utf-8")
