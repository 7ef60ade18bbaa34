from celery import shared_task
from django.conf import settings

from annotations import inquiring, pending_words, standings
from annotations.locking import alone

# The advisory lock under which outside databases are asked: one worker at a time keeps to their limits.
ASKING_LOCK = 20_100_308
STANDINGS_LOCK = 20_100_312


@shared_task(name="annotations.tasks.ask_registries")
def ask_registries() -> str:
    """Ask outside databases for a while, then ask for itself again when there is more to do."""
    if not settings.ASK_REGISTRIES:
        return "off"
    with alone(ASKING_LOCK) as free:
        if not free:
            return "busy"
        more = inquiring.ask_slice()
    if more:
        ask_registries.delay()
    return "more" if more else "done"


@shared_task(name="annotations.tasks.bring_up_standings")
def bring_up_standings() -> str:
    """Make the standings of articles that have changed, and ask for itself again when there are more of them; then
    have searches find in the indexes what came in."""
    with alone(STANDINGS_LOCK) as free:
        more = free and standings.bring_up()
        if free:
            pending_words.take_in()
    if more:
        bring_up_standings.delay()
    return "busy" if not free else "more" if more else "done"
