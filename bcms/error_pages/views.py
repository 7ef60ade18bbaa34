"""The pages for URLs with nothing that the reader may see, and for errors on our side."""

import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.defaults import bad_request

from bcms.about.site_notes import make_site_notes
from bcms.lib import database_outages
from bcms.lib.forms.form_size import format_form_excess
from bcms.lib.rest.problems import make_problem_response

NO_API_URL = "There is no such URL in the API. See the documentation at /api/v1/docs/."
# The end of Django's own message for a missing row, which is not meant for readers.
DJANGO_MESSAGE_END = "matches the given query."


def show_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page, or for the API, whose own views match almost every URL, a problem."""
    if request.path.startswith("/api/v1/"):
        return make_problem_response(request.path, 404, "not-found", NO_API_URL)
    return render(request, "404.html", {"sentence": _format_not_found(exception)}, status=404)


def show_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for a form that is too large to be read. Django's page for other suspicious requests, of which the host
    may be invalid: our pages have links.
    """
    if sentence := format_form_excess(exception):
        return render(request, "bad_request.html", {"sentence": sentence}, status=400)
    return bad_request(request, exception)


def show_server_error(request: HttpRequest) -> HttpResponse:
    """The page for an exception that nobody caught, which Django has logged: 503 if the database is away, else 500.

    It asks the database for nothing, not even who the reader is.
    """
    if not database_outages.is_database_outage(sys.exc_info()[1]):
        return HttpResponse(render_to_string("500.html", {"site": make_site_notes()}), status=500)
    if request.path.startswith("/api/v1/"):
        response = make_problem_response(request.path, 503, "unavailable", database_outages.SENTENCE)
    else:
        response = HttpResponse(render_to_string("503.html", {"site": make_site_notes()}), status=503)
    response.headers["Retry-After"] = str(database_outages.RETRY_SECONDS)
    return response


def _format_not_found(exception: Exception) -> str:
    """The message of the view that raised Http404; empty if it has none of its own."""
    message = next(iter(exception.args), "")
    return message if isinstance(message, str) and not message.endswith(DJANGO_MESSAGE_END) else ""
