"""Template filters that format availability figures, and a tag for sortable column headings."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from servers.availability.charts import TEN_MINUTES
from servers.availability.measures.windows import Window
from servers.availability.queries import PublishedServer, WindowFigures
from servers.availability.server_list_sorting import SERVER_LIST_COLUMNS, ServerListChoice
from servers.availability.wording import (
    format_response_time,
    format_share_as_percent_rounded_down,
    format_three_significant_digits,
)

register = template.Library()
WINDOWS = {Window.DAY: "24 hours", Window.WEEK: "7 days", Window.MONTH: "30 days", Window.QUARTER: "90 days"}


@register.filter
def show_percent(share: float | None) -> str:
    return format_share_as_percent_rounded_down(share)


@register.filter
def show_three_significant_digits(value: float | None) -> str:
    return format_three_significant_digits(value)


@register.filter
def show_response_time(seconds: float | None) -> str:
    return format_response_time(seconds)


@register.filter
def show_share_of_limit(seconds: float) -> str:
    """A time in seconds as a percentage of the ten minutes that a call may take."""
    return f"{format_three_significant_digits(100 * seconds / TEN_MINUTES)} %"


@register.filter
def show_window(window: str) -> str:
    return WINDOWS[Window(window)]


@register.filter
def get_figures_of_window(server: PublishedServer, window: Window) -> WindowFigures:
    return server.get_window_figures(window)


@register.simple_tag
def render_column_head(choice: ServerListChoice, column: str, label: str, title: str = "") -> SafeString:
    """The table heading of a figure, a link that sorts the list by it; title is the tooltip."""
    chosen = choice.sort == column
    ascending = SERVER_LIST_COLUMNS[column].low_is_good
    return format_html(
        '<th scope="col" class="num"{}><a href="{}"{}>{}</a></th>',
        format_html(' aria-sort="{}"', "ascending" if ascending else "descending") if chosen else "",
        choice.link(sort=column),
        format_html(' title="{}"', title) if title else "",
        format_html("{} {}", label, "▴" if ascending else "▾") if chosen else label,
    )
