"""Who says an annotation, as HTML: a list of 300 annotations has a thousand votes, too many for a template."""

from collections.abc import Iterable
from html import escape

from django.utils.safestring import SafeString, mark_safe

from bcms.lib.durations import in_words
from bcms.pages.parts import Line


def votes_html(lines: Iterable[Line], server_url: str, results_url: str) -> SafeString:
    """A list item for each vote; both addresses are what those of a server and of an answer begin with.

    Names and what a server said are anybody's words, and escaped.
    """
    return mark_safe("".join(vote(line, server_url, results_url) for line in lines))


def vote(line: Line, server_url: str, results_url: str) -> str:
    when = line.received
    parts = [f'<a href="{server_url}{escape(line.source.slug)}/">{escape(line.source.label)}</a>']
    parts += [f" {escape(line.version)}"] if line.version else []
    parts += [f" {escape(line.says)}"] if line.says else []
    parts += [f", confidence {line.confidence:.2f}"] if line.confidence is not None else []
    parts += [f" (calibrated {line.calibrated:.2f})"] if line.calibrated is not None else []
    parts += [f", rank {line.rank}"] if line.rank else []
    parts += [f', <a href="{results_url}{line.result}/">{when.day} {when:%b %Y %H:%M} UTC</a>']
    parts += [f", took {in_words(line.duration)}"] if line.duration is not None else []
    return f"<li>{''.join(parts)}</li>"
