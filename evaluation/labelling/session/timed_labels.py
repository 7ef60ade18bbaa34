"""Show a curator one article after another, time how long each is visible, and store the labels."""

from datetime import datetime, timedelta

from django.db import transaction

from annotations.articles.models import Article
from annotations.articles.versions import store_change_if_producer_public
from annotations.results.models import Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.labelling.models import Label, Labeller
from evaluation.labelling.session.reading_order import (
    ReadingTurn,
    filter_current_labels,
    find_next_reading,
)

# Nobody reads an abstract for longer than this: the curator was away.
MAX_READING_TIME = timedelta(minutes=10)


def _lock_labeller(labeller_id: int) -> Labeller:
    rows = Labeller.objects.select_for_update(of=("self",))
    return rows.select_related("labelling", "article", "producer").get(pk=labeller_id)


@transaction.atomic
def keep_or_choose_article_starting_unpaused_clock(labeller_id: int, now: datetime) -> Labeller:
    """Set the next article if none is being read, and start its timer unless paused.

    Returns the labeller, whose article is None when all is done.
    """
    labeller = _lock_labeller(labeller_id)
    if labeller.article_id is None and (turn := find_next_reading(labeller)):
        _set_shown_article(labeller, turn, timedelta(0))
    if labeller.article_id and labeller.running is None and not labeller.paused:
        labeller.running = now
    labeller.showing += 1
    labeller.save()
    return labeller


def _set_shown_article(labeller: Labeller, turn: ReadingTurn | None, before: timedelta) -> None:
    labeller.article = None if turn is None else Article.objects.get(pk=turn.article)
    labeller.again = turn is not None and turn.again
    labeller.before, labeller.running = before, None


@transaction.atomic
def store_label_if_shown(
    labeller_id: int, opaque_article_id: str, relevant_or_none_if_skipped: bool | None, now: datetime
) -> bool:
    """Store the label of the visible article; None means that it was skipped.

    Returns False, and stores nothing, if another article is visible.
    """
    labeller = _lock_labeller(labeller_id)
    if labeller.article is None or labeller.article.opaque != opaque_article_id:
        return False
    time = compute_time_in_sight(labeller, now)
    filter_current_labels(labeller).filter(article=labeller.article, again=labeller.again).update(superseded=now)
    Label.objects.create(
        labeller=labeller,
        article=labeller.article,
        again=labeller.again,
        relevant=relevant_or_none_if_skipped,
        seconds=min(time, MAX_READING_TIME).total_seconds(),
        capped=time > MAX_READING_TIME,
    )
    if relevant_or_none_if_skipped is not None and not labeller.again:
        annotations = {Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, relevant=relevant_or_none_if_skipped)]}
        store_results_superseding_earlier(
            labeller.article,
            labeller.producer,
            annotations,
            duration_seconds=min(time, MAX_READING_TIME).total_seconds(),
        )
    _set_shown_article(labeller, None, timedelta(0))
    labeller.save()
    return True


@transaction.atomic
def undo_last_label_and_reshow_article(labeller_id: int, now: datetime) -> bool:
    """Undo the last label and show its article again; its time continues. Returns False if there is no label."""
    labeller = _lock_labeller(labeller_id)
    last = filter_current_labels(labeller).order_by("-pk").first()
    if last is None:
        return False
    Label.objects.filter(pk=last.pk).update(superseded=now)
    if not last.again:
        _supersede_curator_result(last.article_id, labeller.producer_id, now)
    _set_shown_article(labeller, ReadingTurn(last.article_id, last.again), timedelta(seconds=last.seconds))
    labeller.paused = False
    labeller.save()
    return True


def _supersede_curator_result(article: int, producer: int, now: datetime) -> None:
    rows = Result.objects.filter(article=article, producer=producer, superseded__isnull=True)
    if rows.update(superseded=now):
        store_change_if_producer_public(article, producer)


def compute_time_in_sight(labeller: Labeller, now: datetime) -> timedelta:
    """How long the article has been visible so far."""
    return labeller.before + (now - labeller.running if labeller.running else timedelta(0))


@transaction.atomic
def stop_reading_clock_without_pausing(
    labeller_id: int, now: datetime, only_if_latest_showing: int | None = None
) -> bool:
    """Stop the timer; with only_if_latest_showing, only if that page is the latest. Returns whether the timer was
    stopped.
    """
    labeller = _lock_labeller(labeller_id)
    if labeller.running is None or only_if_latest_showing not in (None, labeller.showing):
        return False
    labeller.before, labeller.running = compute_time_in_sight(labeller, now), None
    labeller.save()
    return True


@transaction.atomic
def resume_reading_clock_unless_paused(labeller_id: int, now: datetime, only_if_latest_showing: int) -> bool:
    """Resume the timer if this page is the latest. Returns whether the timer was resumed."""
    labeller = _lock_labeller(labeller_id)
    if (
        labeller.running is not None
        or labeller.paused
        or labeller.article_id is None
        or only_if_latest_showing != labeller.showing
    ):
        return False
    labeller.running = now
    labeller.save()
    return True


@transaction.atomic
def stop_clock_and_hide_article(labeller_id: int, now: datetime) -> None:
    """Stop the timer and hide the article until clear_paused_flag_of_labeller."""
    stop_reading_clock_without_pausing(labeller_id, now)
    Labeller.objects.filter(pk=labeller_id).update(paused=True)


def clear_paused_flag_of_labeller(labeller_id: int) -> None:
    Labeller.objects.filter(pk=labeller_id).update(paused=False)


LABEL_VALUES = {"yes": True, "no": False, "skip": None}
