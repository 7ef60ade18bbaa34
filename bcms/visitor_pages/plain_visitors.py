"""Recognize requests of visitors who are all alike to the site."""

from django.http import HttpRequest


def is_of_plain_visitor(request: HttpRequest) -> bool:
    """Whether nothing in the request says who is asking, or what they chose before."""
    return not request.COOKIES and "Authorization" not in request.headers
