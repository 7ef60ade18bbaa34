"""The servers and the client to be copied, as plain text."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from servers.kit.starter_files import CLIENT, STARTERS


@require_safe
def starter(request: HttpRequest, name: str) -> HttpResponse:
    """One file, to be read or saved."""
    found = next((each for each in STARTERS if each.name == name), None)
    if found is None:
        raise Http404
    return HttpResponse(found.path.read_bytes(), content_type="text/plain; charset=utf-8")


@require_safe
def client(request: HttpRequest) -> HttpResponse:
    """The client of the API for participants."""
    return HttpResponse(CLIENT.read_bytes(), content_type="text/plain; charset=utf-8")
