"""Where BeCalm's annotation servers call us: they save annotations here, and fetch the documents they were asked about.

Every answer of saveAnnotations is the protocol's object {status, success, becalmKey, message, errorName, errorCode,
urlParams}, with our own `errors` beside it: where in what was sent, and what is wrong there.
"""

import base64
import binascii
import json
from collections.abc import Callable
from functools import partial

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from annotations.models import Article
from annotations.querysets import by_identifier
from bcms.visibility import articles_seen_by
from servers import trials
from servers.callbacks import CallbackRefusedError, accept, attempt_of
from servers.client import MOST_BYTES
from servers.protocols.becalm_answers import Code

FORMS = {"JSON": "json", "TSV": "tsv", "BIOC": "bioc"}
SOURCES = ("pubmed", "abstracts")
MOST_DOCUMENTS = 1000
HOW = 'Send {"abstracts": [ids]} or {"patents": [ids]}.'


@csrf_exempt
def save_annotations(request: HttpRequest, form: str) -> JsonResponse:
    """Take the answer to one communication id; the key of the server proves who sends it."""
    if form.upper() not in FORMS:
        raise Http404
    try:
        number = saved(request, FORMS[form.upper()])
    except CallbackRefusedError as refused:
        return answer(request, 400, refused)
    return answer(request, 200, None, f"{number} annotation{'' if number == 1 else 's'} taken.")


def saved(request: HttpRequest, form: str) -> int:
    """The number of annotations that were taken. CallbackRefusedError when none are."""
    if request.method != "POST":
        raise CallbackRefusedError(Code.INCORRECT_TRANSFER_REQUEST_METHOD, "Send annotations by POST.")
    reference, key = request.GET.get("communicationId", ""), key_of(request)
    if not reference or not key:
        raise CallbackRefusedError(Code.NEED_PARAMETERS, "Give apikey and communicationId in the address.")
    take = taker_of(reference, key)
    body = request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise CallbackRefusedError(Code.FORMAT_ERROR, f"The body has more than {MOST_BYTES >> 20} MiB.")
    return take(form, body)


def taker_of(reference: str, key: str) -> Callable[[str, bytes], int]:
    """What takes the answer to this communication id: the queue that asked, or a trial."""
    trial = trials.trial_of(reference, key)
    return partial(accept, attempt_of(reference, key)) if trial is None else partial(trials.accept, trial)


def key_of(request: HttpRequest) -> str:
    """The server's key, from the address or as the password of HTTP Basic authentication."""
    if key := request.GET.get("apikey", ""):
        return key
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(given, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return ""


def answer(request: HttpRequest, status: int, refused: CallbackRefusedError | None, said: str = "") -> JsonResponse:
    errors = [
        {
            "errorCode": str(int(fault.code)),
            "errorName": fault.code.name,
            "where": fault.broken.where,
            "message": fault.broken.message,
            "mend": fault.broken.mend,
        }
        for fault in (refused.faults if refused else ())
    ]
    values = {
        "status": status,
        "success": refused is None,
        "becalmKey": key_of(request),
        "message": refused.message if refused else said,
        "errorName": refused.code.name if refused else "",
        "errorCode": str(int(refused.code)) if refused else "",
        "urlParams": {name: request.GET[name] for name in ("apikey", "communicationId") if name in request.GET},
    }
    return JsonResponse(values | ({"errors": errors} if errors else {}), status=status)


@csrf_exempt
@require_POST
def documents(request: HttpRequest) -> JsonResponse:
    """Documents by their ids, those that everybody may see; of patents there are none here."""
    try:
        asked = json.loads(request.body)
        names = asked["abstracts"] if "abstracts" in asked else asked["patents"] and []
        pmids = [int(str(name)) for name in names[:MOST_DOCUMENTS] if is_pmid(str(name))]
    except (ValueError, LookupError, TypeError):
        return JsonResponse({"error": HOW}, status=400)
    found = articles_seen_by(AnonymousUser()).filter(pmid__in=pmids)
    told = [{"externalId": str(each.pmid), "title": each.title, "text": each.abstract} for each in found]
    return JsonResponse(told, safe=False)


def is_pmid(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) < 19


@require_safe
def document(request: HttpRequest, source: str, identifier: str) -> JsonResponse:
    """One document by its id, with the text in which our positions count."""
    article: Article | None = by_identifier(articles_seen_by(request.user), identifier).first()
    if source.lower() not in SOURCES or article is None:
        raise Http404
    return JsonResponse(
        {
            "externalId": identifier,
            "source": "PUBMED",
            "title": article.title,
            "abstractText": article.abstract,
            "text": article.text,
        }
    )
