"""The rows of a list of annotations as HTML, each with its votes.

A list has hundreds of rows and a thousand votes, too many for a template of Django.
"""

from collections.abc import Collection, Iterable
from functools import cached_property
from html import escape

from django.template.defaultfilters import floatformat
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from annotations.schema import Kind
from bcms.article_page.collated_article import CollatedArticle
from bcms.article_page.template_data import AnnotationRow, VoteLine
from bcms.lib.durations import format_duration


class PageWithRows:
    """A page of an article with rows of annotations, and the URLs that they link to.

    The template asks for the rest: the queries of links to mentions and relations, each without the value at its end.
    """

    reading: CollatedArticle
    ident: str

    @cached_property
    def server_url(self) -> str:
        """The beginning of the URL of each server's page, resolved once for hundreds of links."""
        return reverse("server-list")

    @cached_property
    def results_url(self) -> str:
        """The beginning of the URL of each result, "" if results have no pages."""
        return reverse("article-results", args=[self.ident])

    @property
    def open_details(self) -> Collection[str]:
        """The ids of the folded parts that are open."""
        return self.reading.choice.open_details

    @property
    def results_query(self) -> str:
        """The end of the URL of each result."""
        return "?unreviewed=1" if self.reading.choice.unreviewed else ""


def render_annotation_rows(page: PageWithRows, kind: Kind, rows: Iterable[AnnotationRow]) -> SafeString:
    """A list item for each annotation of this kind."""
    links = (page.server_url, page.results_url, page.results_query)
    listed = [(row, render_vote_list_items(row.lines, *links)) for row in rows]
    context = {"page": page, "kind": kind, "rows": listed, "floatformat": floatformat}
    return mark_safe(render_to_string("article_page/_rows.jinja", context, using="jinja2"))


def render_vote_list_items(
    lines: Iterable[VoteLine], server_url_prefix: str, results_url_prefix: str, results_query: str = ""
) -> SafeString:
    """A list item for each vote; server_url_prefix and results_url_prefix are the common beginnings of the linked URLs.

    Results have no pages, and no links, if results_url_prefix is "". results_query is the query string of the URLs of
    results. Text from servers and their teams is escaped.
    """
    return mark_safe(
        "".join(_render_vote(line, server_url_prefix, results_url_prefix, results_query) for line in lines)
    )


def _render_vote(line: VoteLine, server_url: str, results_url: str, results_query: str) -> str:
    received = line.received
    parts = [f'<a href="{server_url}{escape(line.source.slug)}/">{escape(line.source.label)}</a>']
    parts += [f" {escape(line.version)}"] if line.version else []
    parts += [f" {escape(line.answer)}"] if line.answer else []
    parts += [f", confidence {line.confidence:.2f}"] if line.confidence is not None else []
    parts += [f" (calibrated {line.calibrated:.2f})"] if line.calibrated is not None else []
    parts += [f", rank {line.rank}"] if line.rank else []
    at = f"{received.day} {received:%b %Y %H:%M} UTC"
    parts += [f', <a href="{results_url}{line.result}/{results_query}">{at}</a>' if results_url else f", {at}"]
    parts += [f", took {format_duration(line.duration)}"] if line.duration is not None else []
    parts += [f", moved from {line.moved}"] if line.moved else []
    return f"<li>{''.join(parts)}</li>"
