"""Simulate the demo's teams until leaderboards and a data set are published. `make demo` runs it beside the site."""

from typing import Any

from django.core.management.base import BaseCommand

from bcms.demo.simulation import play_demo_rounds_until_all_is_published


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        play_demo_rounds_until_all_is_published()
