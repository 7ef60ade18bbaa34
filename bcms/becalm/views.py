"""The addresses that BeCalm annotation servers call: they send annotations, and fetch the documents to annotate.

Each response of saveAnnotations is the protocol's object {status, success, becalmKey, message, errorName, errorCode,
urlParams}, with an additional list `errors`: where in the body each error is, and how to correct it.
"""

import base64
from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_pmid_or_opaque
from bcms.lib.json_input import parse_bounded_json
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles
from servers.calls.client import MOST_BYTES
from servers.calls.deferred_answers.callbacks import (
    CallbackRefusedError,
    get_callback_attempt,
    store_callback_or_refuse_counting_annotations,
)
from servers.protocols.becalm_callbacks import BecalmErrorCode
from servers.registry import trial_callbacks

CALLBACK_FORMATS = {"JSON": "json", "TSV": "tsv", "BIOC": "bioc"}
DOCUMENT_SOURCES = ("pubmed", "abstracts")
MOST_DOCUMENTS = 1000
DOCUMENTS_USAGE = 'Send {"abstracts": [ids]} or {"patents": [ids]}.'


@csrf_exempt
def store_posted_becalm_annotations(request: HttpRequest, form: str) -> JsonResponse:
    """Store the annotations for one communication id; the server's key authenticates the sender."""
    if form.upper() not in CALLBACK_FORMATS:
        raise Http404
    try:
        number = _accept_posted_annotations(request, CALLBACK_FORMATS[form.upper()])
    except CallbackRefusedError as refusal:
        return _build_becalm_response(request, 400, refusal)
    return _build_becalm_response(request, 200, None, f"{number} annotation{'' if number == 1 else 's'} accepted.")


def _accept_posted_annotations(request: HttpRequest, form: str) -> int:
    """Store the annotations in the body and return their number; CallbackRefusedError if they are refused."""
    if request.method != "POST":
        raise CallbackRefusedError(BecalmErrorCode.INCORRECT_TRANSFER_REQUEST_METHOD, "Send annotations with POST.")
    reference, key = request.GET.get("communicationId", ""), _read_server_key(request)
    if not reference or not key:
        raise CallbackRefusedError(BecalmErrorCode.NEED_PARAMETERS, "Add apikey and communicationId to the URL.")
    store = _choose_callback_storage(reference, key)
    body = request.read(MOST_BYTES + 1)
    if len(body) > MOST_BYTES:
        raise CallbackRefusedError(BecalmErrorCode.FORMAT_ERROR, f"The body is larger than {MOST_BYTES >> 20} MiB.")
    return store(form, body)


def _choose_callback_storage(reference: str, key: str) -> Callable[[str, bytes], int]:
    """The function that stores annotations for this communication id: that of its attempt or its trial."""
    trial = trial_callbacks.find_request_checking_key_of_registered_server(reference, key)
    return (
        partial(store_callback_or_refuse_counting_annotations, get_callback_attempt(reference, key))
        if trial is None
        else partial(trial_callbacks.store_first_trial_callback_and_check, trial)
    )


def _read_server_key(request: HttpRequest) -> str:
    """The server's key, from the address or as the password of HTTP Basic authentication."""
    if key := request.GET.get("apikey", ""):
        return key
    scheme, _, credentials = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


def _build_becalm_response(
    request: HttpRequest, status: int, refusal: CallbackRefusedError | None, message: str = ""
) -> JsonResponse:
    errors = [
        {
            "errorCode": str(int(fault.code)),
            "errorName": fault.code.name,
            "where": fault.broken_rule.where,
            "message": fault.broken_rule.message,
            "mend": fault.broken_rule.mend,
        }
        for fault in (refusal.faults if refusal else ())
    ]
    values = {
        "status": status,
        "success": refusal is None,
        "becalmKey": _read_server_key(request),
        "message": refusal.message if refusal else message,
        "errorName": refusal.code.name if refusal else "",
        "errorCode": str(int(refusal.code)) if refusal else "",
        "urlParams": {name: request.GET[name] for name in ("apikey", "communicationId") if name in request.GET},
    }
    return JsonResponse(values | ({"errors": errors} if errors else {}), status=status)


@csrf_exempt
@require_POST
def list_public_documents_by_posted_pmids(request: HttpRequest) -> JsonResponse:
    """The public articles with these ids; there are no patents here, so their list is always empty."""
    try:
        body = parse_bounded_json(request.body)
        ids = body["abstracts"] if "abstracts" in body else body["patents"] and []
        pmids = [int(str(pmid)) for pmid in ids[:MOST_DOCUMENTS] if _is_storable_pmid(str(pmid))]
    except (ValueError, LookupError, TypeError):
        return JsonResponse({"error": DOCUMENTS_USAGE}, status=400)
    articles = list_visible_articles(ANONYMOUS_READER).filter(pmid__in=pmids)
    documents = [
        {"externalId": str(article.pmid), "title": article.title, "text": article.abstract} for article in articles
    ]
    return JsonResponse(documents, safe=False)


def _is_storable_pmid(text: str) -> bool:
    """Whether the text is a number that a PostgreSQL bigint can hold."""
    return text.isascii() and text.isdigit() and len(text) < 19


@require_safe
def show_becalm_document(request: HttpRequest, source: str, identifier: str) -> JsonResponse:
    """One document by its id, with the canonical text that our positions refer to."""
    article: Article | None = filter_articles_by_pmid_or_opaque(list_visible_articles(request.user), identifier).first()
    if source.lower() not in DOCUMENT_SOURCES or article is None:
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
