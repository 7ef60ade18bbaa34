"""The work of workers on data sets: build them in shares, find outdated ones, delete what is withdrawn."""

import time
from collections.abc import Sequence
from datetime import timedelta

from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from annotations.advisory_locks import try_advisory_lock
from annotations.data_sets.building import (
    ArticleTextChangedError,
    build_articles_unless_stopped,
    remove_articles_unless_stopped,
)
from annotations.data_sets.changes import compute_source_watermark, find_changed_articles
from annotations.data_sets.models import DataSet, DataSetArticle, DataSetState
from annotations.results.consensus.methods import CONSENSUS_METHODS
from bcms.article_annotations.calibrated_confidences import load_newest_visible_calibrations
from bcms.data_sets.articles import load_article_keys
from bcms.data_sets.errors import DataSetError
from bcms.data_sets.figures import compute_agreement_by_kind, count_results_and_annotations
from bcms.data_sets.recipes import list_possible_sources
from evaluation.visibility import ANONYMOUS_READER
from servers.calls.states import QueueMode

# The key of the advisory lock for building a data set is this number plus its id.
BUILDING_LOCK = 20_100_316_000_000
# After this time a worker lets others work, and continues with the next message.
SLICE_SECONDS = 20.0
BATCH = 200
MOST_TRIES = 3
# All articles are compared this often, even if no source has a newer Result: texts and what a search finds change, too.
FULL_CHECK_EVERY = timedelta(hours=1)


def build_slice_unless_busy(data_set_id: int, slice_seconds: float = SLICE_SECONDS) -> str:
    """Build a share of a data set: "more" if articles remain, otherwise "built", "failed", "gone" or "busy"."""
    with try_advisory_lock(BUILDING_LOCK + data_set_id) as free:
        if not free:
            return "busy"
        building = DataSet.objects.select_related("owner", "corpus", "producer")
        data_set = building.filter(pk=data_set_id, state=DataSetState.BUILDING).first()
        if data_set is None:
            return "gone"
        if data_set.tries >= MOST_TRIES:
            return _fail(data_set, "This is an error of the site, and it has been logged. Try again later.")
        DataSet.objects.filter(pk=data_set_id).update(tries=F("tries") + 1)
        try:
            outcome = _build_until(data_set, time.monotonic() + slice_seconds)
        except DataSetError as error:
            return _fail(data_set, str(error))
        DataSet.objects.filter(pk=data_set_id).update(tries=0)
        return outcome


def _fail(data_set: DataSet, problem: str) -> str:
    building = DataSet.objects.filter(pk=data_set.pk, state=DataSetState.BUILDING)
    building.update(state=DataSetState.FAILED, problem=problem[:500])
    return "failed"


def _build_until(data_set: DataSet, until: float) -> str:
    _check_sources_visible(data_set)
    # Before anything is read, so that a later change is found by the next sweep.
    watermark = compute_source_watermark(data_set)
    _store_changed_cuts(data_set)
    changes = find_changed_articles(data_set, load_article_keys(data_set))
    total = data_set.done + len(changes.changed) + len(changes.gone)
    DataSet.objects.filter(pk=data_set.pk).update(total=total)
    if changes.gone and not remove_articles_unless_stopped(data_set.pk, changes.gone):
        return "gone"
    for start in range(0, len(changes.changed), BATCH):
        if time.monotonic() > until:
            return "more"
        try:
            if not build_articles_unless_stopped(data_set.pk, changes.changed[start : start + BATCH]):
                return "gone"
        except ArticleTextChangedError:
            return "more"
    return _finish_building(data_set, watermark)


def _check_sources_visible(data_set: DataSet) -> None:
    """DataSetError if the owner no longer sees a source: its annotations must not reach the owner in another form."""
    lost = data_set.sources.exclude(pk__in=list_possible_sources(data_set.owner).values("pk"))
    if lost.exists():
        raise DataSetError("You can no longer see all producers that it is made from. Withdraw it, and make a new one.")


def _store_changed_cuts(data_set: DataSet) -> None:
    """Store the newest cut-offs of the lists; if they have changed, all articles are built anew."""
    cuts = load_list_cuts(data_set)
    if cuts != [list(cut) for cut in data_set.cuts]:
        DataSetArticle.objects.filter(data_set=data_set).update(fingerprint=None)
        DataSet.objects.filter(pk=data_set.pk).update(cuts=cuts)


def load_list_cuts(data_set: DataSet) -> list[list[object]]:
    """The FAP cut-offs that everybody sees of the sources that are live servers, as DataSet.cuts has them: 2 queries.

    No others: the data set would reveal what a training phase that is not published has found.
    """
    if not CONSENSUS_METHODS[data_set.method].cuts_lists:
        return []
    live = data_set.sources.filter(queue__mode=QueueMode.LIVE).order_by("pk")
    slugs = dict(live.values_list("queue__server__slug", "pk"))
    cuts = load_newest_visible_calibrations(ANONYMOUS_READER, slugs).cuts
    rows = sorted((slugs[slug], kind.value, cut.criterion, cut.value) for (slug, kind), cut in cuts.items())
    return [list(row) for row in rows if row[1] in data_set.kinds]


def _finish_building(data_set: DataSet, watermark: str) -> str:
    building = DataSet.objects.filter(pk=data_set.pk, state=DataSetState.BUILDING)
    built = building.update(
        state=DataSetState.CURRENT,
        watermark=watermark,
        sizes=count_results_and_annotations(data_set),
        agreement=compute_agreement_by_kind(data_set),
        built=Now(),
        checked=Now(),
        problem="",
    )
    return "built" if built else "gone"


def list_data_sets_to_build() -> Sequence[int]:
    """Those whose worker died or whose message was lost are among them."""
    return list(DataSet.objects.filter(state=DataSetState.BUILDING).order_by("pk").values_list("pk", flat=True))


def mark_outdated_data_sets() -> int:
    """Mark the data sets of which any article has changed, and return how many they are; a few queries for each."""
    data_sets = DataSet.objects.filter(state=DataSetState.CURRENT).select_related("owner", "corpus")
    return sum(_mark_if_outdated(data_set) for data_set in data_sets.order_by("pk"))


def _mark_if_outdated(data_set: DataSet) -> bool:
    watermark, now = compute_source_watermark(data_set), timezone.now()
    if watermark == data_set.watermark and data_set.checked and data_set.checked > now - FULL_CHECK_EVERY:
        return False
    current = DataSet.objects.filter(pk=data_set.pk, state=DataSetState.CURRENT, watermark=data_set.watermark)
    try:
        outdated = bool(find_changed_articles(data_set, load_article_keys(data_set)))
        outdated = outdated or load_list_cuts(data_set) != [list(cut) for cut in data_set.cuts]
    except DataSetError as error:
        return bool(current.update(state=DataSetState.OUTDATED, problem=str(error)[:500]))
    values = {"state": DataSetState.OUTDATED} if outdated else {"watermark": watermark, "checked": now}
    return bool(current.update(**values)) and outdated
