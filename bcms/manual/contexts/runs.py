"""Contexts of the manual's pages about runs: the commands' help, an example plot and the site's address."""

from django.conf import settings

from bcms.manual.command_help import list_command_helps
from bcms.manual.example_plot import render_example_f1_and_ap_plot


def build_command_help_and_plot_context() -> dict[str, object]:
    return {"commands": list_command_helps(), "example_plot": render_example_f1_and_ap_plot()}


def build_site_url_context() -> dict[str, object]:
    return {"site_url": settings.SITE_URL}
