"""The page for an address at which there is nothing that its reader may see."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# How Django itself says that a row is not there, which is for nobody who reads the page.
OF_DJANGO = "matches the given query."


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", {"sentence": sentence_of(exception)}, status=404)


def sentence_of(exception: Exception) -> str:
    """What the view says of it; empty where it says nothing."""
    said = next(iter(exception.args), "")
    return said if isinstance(said, str) and not said.endswith(OF_DJANGO) else ""
