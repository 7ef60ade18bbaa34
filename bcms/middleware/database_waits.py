"""Limit how long a request waits for the database, so that a stopped one does not hold every thread of the site."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from bcms.database.reply_limits import set_limit_of_thread

# What changes something, and files that are sent while they are read, may take longer than a page.
LONG_SECONDS = 60.0
READING = ("GET", "HEAD", "OPTIONS")


class DatabaseWaitMiddleware:
    """The outermost middleware. The limit stays with the thread, which serves requests only, until the next one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        is_reading = request.method in READING
        set_limit_of_thread(settings.DATABASE_SECONDS if is_reading else max(LONG_SECONDS, settings.DATABASE_SECONDS))
        response = self.get_response(request)
        if response.streaming:
            set_limit_of_thread(max(LONG_SECONDS, settings.DATABASE_SECONDS))
        return response
