"""The manual: contents with a search, and its pages."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from bcms.manual.contexts.rules import list_rule_codes
from bcms.manual.pages import MANUAL_PAGE_BY_SLUG, MANUAL_PAGES, find_previous_and_next_page
from bcms.manual.search import LONGEST_QUERY, search_manual_for_all_words


@require_safe
def show_manual_contents_and_search(request: HttpRequest) -> HttpResponse:
    """Contents of the manual. Each anchor of the former one-page manual is an id here, beside a link to its page."""
    query = request.GET.get("q", "").strip()[:LONGEST_QUERY]
    context = {
        "pages": MANUAL_PAGES,
        "rule_codes": list_rule_codes(),
        "query": query,
        "hits": search_manual_for_all_words(query),
    }
    return render(request, "manual/contents.html", context)


@require_safe
def show_manual_page(request: HttpRequest, slug: str) -> HttpResponse:
    page = MANUAL_PAGE_BY_SLUG.get(slug)
    if page is None:
        raise Http404("The manual has no page with this name.")
    previous, following = find_previous_and_next_page(page)
    context = {**page.build_context(), "page": page, "previous": previous, "following": following}
    return render(request, "manual/page.html", context)
