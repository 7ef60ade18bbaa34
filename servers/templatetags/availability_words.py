"""Figures of availability and times in words, and the heads of columns that order a list."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from servers.availability.drawing import TEN_MINUTES
from servers.availability.listing import COLUMNS, Choice
from servers.availability.querysets import Measured, PublishedServer
from servers.availability.windows import Window
from servers.availability.wording import percent_of, response_time, small

register = template.Library()
WINDOWS = {Window.DAY: "24 hours", Window.WEEK: "7 days", Window.MONTH: "30 days", Window.QUARTER: "90 days"}


@register.filter
def percent(share: float | None) -> str:
    return percent_of(share)


@register.filter
def figure(value: float | None) -> str:
    return small(value)


@register.filter
def time_of(seconds: float | None) -> str:
    return response_time(seconds)


@register.filter
def share_of_limit(seconds: float) -> str:
    """A time as a share of the ten minutes that a call may take."""
    return f"{small(100 * seconds / TEN_MINUTES)} %"


@register.filter
def window_words(window: str) -> str:
    return WINDOWS[Window(window)]


@register.filter
def over(server: PublishedServer, window: Window) -> Measured:
    return server.over(window)


@register.simple_tag
def column_head(choice: Choice, sort: str, words: str, title: str = "") -> SafeString:
    """The head of a column of figures, a link that orders the list by it."""
    chosen = choice.sort == sort
    low = COLUMNS[sort].low_is_good
    return format_html(
        '<th scope="col" class="num"{}><a href="{}"{}>{}</a></th>',
        format_html(' aria-sort="{}"', "ascending" if low else "descending") if chosen else "",
        choice.link(sort=sort),
        format_html(' title="{}"', title) if title else "",
        format_html("{} {}", words, "▴" if low else "▾") if chosen else words,
    )
