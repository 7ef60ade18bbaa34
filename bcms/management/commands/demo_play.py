"""Play the teams of the demo until every server has gone through the test set; `make demo` runs it beside the site."""

from typing import Any

from django.core.management.base import BaseCommand

from bcms.demo.playing import play


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        play()
