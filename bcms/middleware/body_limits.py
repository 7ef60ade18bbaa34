"""Refuse request bodies that are larger than their URL takes, before anything of them is read.

The check for forged requests reads the form, so this runs earlier. A URL takes 1 MiB unless LIMITS_BY_URL_NAME says
otherwise; when you add a page or resource that takes files, add its name. Only people who have logged in, or who send
credentials, may send more than 1 MiB.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve

from bcms.article_uploads.article_import import LARGEST_UPLOAD, MEBIBYTES
from bcms.lib.rest.problems import make_problem_response
from evaluation.challenges.forms import MAX_GOLD_FILE_BYTES
from evaluation.challenges.pictures.storage import MOST_FILE_BYTES, MOST_REQUEST_BYTES
from evaluation.runs.uploads.submission import MAX_RUN_BYTES
from servers.calls.client import MOST_BYTES as MOST_CALLBACK_BYTES

MEBIBYTE = 1 << 20
DEFAULT_LIMIT = MEBIBYTE
# For the other fields of a form with files, and what separates them.
FORM_MARGIN = 1 << 16
REST_PREFIX = "/api/v1/"
# Addresses that programs use, whose errors are no pages.
PROGRAM_PREFIXES = ("/api/", "/xmlrpc/")
CODES = {411: "length-required", 413: "too-large"}
NO_LENGTH = "Send the length of the body in the Content-Length header; bodies of unknown length are not read."


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """The most bytes of a request's body, and the sentence for more."""

    most_bytes: int
    sentence: str


DEFAULT = BodyLimit(DEFAULT_LIMIT, "The request is larger than 1 MiB, the most that this URL takes. Send less at once.")
ARTICLES = BodyLimit(
    LARGEST_UPLOAD + FORM_MARGIN,
    f"The files are larger than {MEBIBYTES} MiB in total. Compress them with gzip, upload fewer at a time, or ask an "
    "administrator to import them.",
)
RUNS = BodyLimit(
    MAX_RUN_BYTES + FORM_MARGIN,
    f"The file is larger than {MAX_RUN_BYTES // MEBIBYTE} MiB; leave out everything but results, or write "
    "tab-separated values.",
)
# Two files: a gold standard and accepted alternatives.
GOLD = BodyLimit(2 * MAX_GOLD_FILE_BYTES + FORM_MARGIN, "A file is larger than 20 MB. Check that it is the right file.")
PICTURES = BodyLimit(
    MOST_REQUEST_BYTES + FORM_MARGIN,
    f"The pictures are larger than {MOST_REQUEST_BYTES // MEBIBYTE} MiB in total. Upload fewer at a time.",
)
PICTURE = BodyLimit(
    MOST_FILE_BYTES + FORM_MARGIN,
    f"The picture is larger than {MOST_FILE_BYTES // MEBIBYTE} MiB. Scale it down, or save it as JPEG.",
)
LIMITS_BY_URL_NAME: Mapping[str, BodyLimit] = {
    **dict.fromkeys(
        (
            *("article-upload", "api-articles", "challenge-corpus-file"),
            *("challenge-corpus-upload", "api-challenge-corpus-articles"),
            *("challenge-new-from-file", "api-challenge-from-file"),
        ),
        ARTICLES,
    ),
    **dict.fromkeys(("challenge-runs", "api-team-runs"), RUNS),
    **dict.fromkeys(("challenge-gold", "api-phase-gold"), GOLD),
    **dict.fromkeys(("challenge-manual-annotations", "api-challenge-manual-annotations"), GOLD),
    "challenge-pictures": PICTURES,
    "api-challenge-pictures": PICTURE,
    # The view checks the key of the server before it reads the body, and refuses more in its protocol's form.
    "becalm-save": BodyLimit(MOST_CALLBACK_BYTES + FORM_MARGIN, DEFAULT.sentence),
}


def find_most_body_bytes(path: str) -> int:
    """The most bytes of a body that the URL with this path takes. The web worker reads no more of one."""
    try:
        name = resolve(path).url_name or ""
    except Resolver404:
        name = ""
    return LIMITS_BY_URL_NAME.get(name, DEFAULT).most_bytes


class BodyLimitMiddleware:
    """Answers 413, 411 without a length, or sends people to the log-in page, before the body is read."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if "HTTP_TRANSFER_ENCODING" in request.META or not (length.isascii() and length.isdecimal()):
            return _refuse_body(request, 411, NO_LENGTH)
        limit = LIMITS_BY_URL_NAME.get((request.resolver_match and request.resolver_match.url_name) or "", DEFAULT)
        # A number of many digits would be slow to convert.
        if len(length) > len(str(limit.most_bytes)) or int(length) > limit.most_bytes:
            return _refuse_body(request, 413, limit.sentence)
        if int(length) <= DEFAULT_LIMIT or request.path.startswith(PROGRAM_PREFIXES) or request.user.is_authenticated:
            return None
        return redirect_to_login(request.get_full_path())


def _refuse_body(request: HttpRequest, status: int, sentence: str) -> HttpResponse:
    """The refusal in the form of the URL: problem details, text or a page."""
    if request.path.startswith(REST_PREFIX):
        return make_problem_response(request.path, status, CODES[status], sentence)
    if request.path.startswith(PROGRAM_PREFIXES):
        return HttpResponse(f"{sentence}\n", status=status, content_type="text/plain; charset=utf-8")
    return render(request, "bad_request.html", {"sentence": sentence}, status=status)
