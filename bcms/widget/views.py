"""The widget: an article's public annotations on pages of other sites, and the script that puts it there.

bcms/middleware/widget_visitors.py removes cookies from these requests and lets other sites frame the page.
"""

from pathlib import Path

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from annotations.articles.queries import format_pmid_or_opaque
from bcms.widget.article_widget import (
    build_article_widget,
    find_public_article,
    find_public_article_of_merged_snapshot,
)

# The path has the version: pages of other sites keep the tag that they copied, so a script never changes what it needs.
SCRIPT = Path(__file__).with_name("v1.js").read_text(encoding="utf-8")
SCRIPT_CACHING = "public, max-age=86400"
PAGE_CACHING = "public, max-age=60"


@require_safe
def send_widget_script(request: HttpRequest) -> HttpResponse:
    headers = {"Cache-Control": SCRIPT_CACHING, "Cross-Origin-Resource-Policy": "cross-origin"}
    return HttpResponse(SCRIPT, content_type="text/javascript; charset=utf-8", headers=headers)


@gzip_page
@require_safe
def show_article_widget(request: HttpRequest, ident: str) -> HttpResponse:
    """The article's title and abstract with their marks; one page for all articles that not everybody sees.

    The templates get no request, so that nothing in them can depend on who sent it.
    """
    article = find_public_article(ident)
    if article is None and (merged := find_public_article_of_merged_snapshot(ident)):
        return redirect("widget-article", ident=format_pmid_or_opaque(merged))
    if article is None:
        return HttpResponse(render_to_string("widget/no_article.html"), status=404)
    widget = build_article_widget(article, ident)
    page = render_to_string("widget/article.html", {"widget": widget})
    return HttpResponse(page, headers={"Cache-Control": PAGE_CACHING})
