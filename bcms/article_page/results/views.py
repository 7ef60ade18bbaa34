"""The pages of an article's results: the list, one result with its provenance, and its reply as a file."""

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from annotations.results.changed_texts.moving import list_not_movable_annotations
from bcms.article_annotations.article_lookup import find_visible_article
from bcms.article_page.results.result_content import load_result_content
from bcms.article_page.results.result_details import (
    ResultDetails,
    build_result_details,
    filter_results_with_annotation_counts,
    find_article_with_text_of_result,
    find_result_reply,
    format_masked_reply,
    get_result_of_producers,
    list_broken_rules,
)
from bcms.article_page.views import redirect_or_offer_to_request_article
from evaluation.visibility import list_producers_on_page
from servers.kit.checks.check_report import build_annotation_report_fields
from servers.review.reader_choice import build_unreviewed_query, includes_unreviewed_on_page

SHOWN_BYTES = 64 * 1024
MOST_RESULTS = 500


@require_safe
def show_current_and_replaced_results(request: HttpRequest, ident: str) -> HttpResponse:
    """List every result of an article, the newest first, including replaced ones and those on older texts."""
    article = find_visible_article(request, ident)
    if article is None:
        return redirect_or_offer_to_request_article(request, ident)
    visible = filter_results_with_annotation_counts(article, list_producers_on_page(request))
    rows = visible.order_by("-received", "-pk")[: MOST_RESULTS + 1]
    results = [build_result_details(row, article) for row in rows]
    context = {
        "article": article,
        "ident": ident,
        "rows": results[:MOST_RESULTS],
        "more": len(results) > MOST_RESULTS,
        "choice": build_unreviewed_query(request),
    }
    return render(request, "article_page/results.html", context)


@require_safe
def show_article_result(request: HttpRequest, ident: str, result_id: int) -> HttpResponse:
    article = find_visible_article(request, ident)
    if article is None:
        return redirect_or_offer_to_request_article(request, ident)
    row = get_result_of_producers(article, result_id, list_producers_on_page(request))
    reply = find_result_reply(row.result)
    annotated = find_article_with_text_of_result(article, row.result)
    article_url = _build_article_url(request, ident, row)
    context = {
        "article": article,
        "ident": ident,
        "article_url": article_url,
        "content": load_result_content(row.result, annotated, article_url),
        "choice": build_unreviewed_query(request),
        "row": row,
        "reply": reply,
        "reply_text": format_masked_reply(reply, row.server, SHOWN_BYTES) if reply else "",
        "more_bytes": max(0, reply.size - SHOWN_BYTES) if reply else 0,
        "broken_rules": list_broken_rules(row.result),
        "left_behind": [
            build_annotation_report_fields(each) for each in list_not_movable_annotations(row.result, article)
        ],
        "text_kept": row.older_text and annotated is not None,
    }
    return render(request, "article_page/result.html", context)


def _build_article_url(request: HttpRequest, ident: str, row: ResultDetails) -> str:
    """The URL of the page that shows the annotations of a result, with a query."""
    query = {
        "kind": row.result.kind,
        **({"text": row.result.text_version} if row.older_text else {}),
        **({"unreviewed": "1"} if includes_unreviewed_on_page(request) else {}),
    }
    return f"{reverse('article', args=[ident])}?{urlencode(query)}"


@require_safe
def download_result_reply_as_masked_text(request: HttpRequest, ident: str, result_id: int) -> HttpResponse:
    """Download the whole reply with secrets masked, always as plain text whatever content type it claims."""
    article = find_visible_article(request, ident)
    if article is None:
        return redirect_or_offer_to_request_article(request, ident)
    row = get_result_of_producers(article, result_id, list_producers_on_page(request))
    reply = find_result_reply(row.result)
    if reply is None:
        raise Http404("The reply of this result was not kept.")
    response = HttpResponse(format_masked_reply(reply, row.server), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="reply-{row.result.pk}.txt"'
    return response
