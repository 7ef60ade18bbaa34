"""Simulate the demo's teams until every server has completed the test set. `make demo` runs it beside the site."""

from typing import Any

from django.core.management.base import BaseCommand

from bcms.demo.simulation import play_demo_rounds_until_publication_requested


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        play_demo_rounds_until_publication_requested()
