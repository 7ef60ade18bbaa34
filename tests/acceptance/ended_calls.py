"""Results that come while a browser shows their article."""

from django.db import transaction

from annotations.results.storage import store_results_superseding_earlier
from servers.calls.models import Call


def store_results_and_end_calls(article, producer, annotations):
    """In one commit, as a worker does: a page that sees an ended call without results awaits nothing, and asks less."""
    with transaction.atomic():
        Call.objects.filter(article=article).delete()
        store_results_superseding_earlier(article, producer, annotations)
