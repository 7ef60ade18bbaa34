"""The votes for an annotation as HTML. A list of 300 annotations has a thousand votes, too many for a template."""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString, mark_safe

from bcms.article_page.template_data import VoteLine
from bcms.lib.durations import format_duration


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
