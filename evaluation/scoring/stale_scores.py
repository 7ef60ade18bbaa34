"""Runs whose scores are missing or out of date."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, CharField, Count, F, Max, OuterRef, Subquery, Value, When
from django.db.models.functions import Cast, Concat
from django.utils import timezone

from annotations.results.models import Result
from annotations.schema import Kind
from evaluation.gold.models import GoldStandard
from evaluation.measures.leaderboard_scenarios import OFFICIAL_SCENARIO
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import format_score_fingerprint_ending_without_answers, join_score_fingerprint_parts
from evaluation.scoring.scenario_scores import list_optional_figure_names

# The entities of mentions count in tasks of entities; see list_counted_result_kinds.
SECOND_KIND = Case(When(task__kind=Kind.ENTITY.value, then=Value(Kind.MENTION.value)), default=F("task__kind"))
# A run that takes longer than QUICK_SECONDS to score waits REST_FACTOR times as long before new answers are scored.
QUICK_SECONDS, REST_FACTOR = 1.0, 10


def list_runs_due_for_scoring(now: datetime | None = None) -> list[Run]:
    """Runs with an answer and a gold standard whose score is missing or out of date: 1 query."""
    counted_kinds = [OuterRef("task__kind"), OuterRef("second_kind")]
    state = (
        Result.objects.filter(producer=OuterRef("producer"), kind__in=counted_kinds, superseded__isnull=True)
        .values("producer")
        .annotate(state=Concat(Cast(Count("pk"), CharField()), Value(":"), Cast(Max("pk"), CharField())))
        .values("state")
    )
    checksum = GoldStandard.objects.filter(task=OuterRef("task"), phase=OuterRef("phase")).values("checksum")
    last = Score.objects.filter(run=OuterRef("pk"), scenario=OFFICIAL_SCENARIO, superseded__isnull=True)
    runs = Run.objects.select_related("task", "phase__corpus").filter(withdrawn__isnull=True).order_by("pk")
    rows = runs.annotate(second_kind=SECOND_KIND).annotate(
        state=Subquery(state),
        checksum=Subquery(checksum),
        last=Subquery(last.values("seen")),
        scored=Subquery(last.values("computed")),
        took=Subquery(last.values("took")),
    )
    candidates = rows.filter(state__isnull=False, checksum__isnull=False)
    return [run for run in candidates if _is_rescoring_due(run, now or timezone.now())]


def _is_rescoring_due(run: Any, now: datetime) -> bool:
    """Whether a run, as annotated by list_runs_due_for_scoring, must be scored now."""
    figures = list_optional_figure_names(run.task)
    fingerprint = join_score_fingerprint_parts(run.state, run.checksum, run.phase.revision, figures)
    if run.last == fingerprint:
        return False
    ending = format_score_fingerprint_ending_without_answers(run.checksum, run.phase.revision, figures)
    may_wait = run.took is not None and run.took > QUICK_SECONDS and run.last.endswith(ending)
    return not (may_wait and run.scored + timedelta(seconds=REST_FACTOR * run.took) > now)
