"""Enter a published data set on the leaderboards of a challenge: as a baseline of organizers, or as a run of a team.

The run is a copy of its annotations at that time: published leaderboards do not change with the data set.
"""

from django.db import transaction

from annotations.data_sets.models import DataSet
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.leaderboards.baselines import store_baseline_run
from evaluation.runs.files.run_writer import list_run_tsv_or_pubtator_lines
from evaluation.runs.models import Run
from evaluation.runs.uploads.intake import (
    SCORE_RUNS_TASK,
    enqueue_celery_task_on_commit,
    store_run_upload_and_process_or_enqueue,
)
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.answers import load_current_annotations
from servers.teams.models import Team
from servers.teams.permissions import User


@transaction.atomic
def store_data_set_as_baseline(data_set: DataSet, task: Task, phase: Phase) -> Run:
    """Enter a data set as a baseline, which is scored but has no rank; entered again, the copy is replaced.

    ChallengeError if it is not published, has another kind, or has none of the articles.
    """
    Phase.objects.select_for_update().get(pk=phase.pk)
    annotations = _load_annotations_in_phase(data_set, task, phase)
    # With its number: two data sets may have the same name.
    run = store_baseline_run(task, phase, f"Baseline: data set {data_set.pk}, {data_set}", annotations)
    enqueue_celery_task_on_commit(SCORE_RUNS_TASK)
    return run


def upload_data_set_as_run(data_set: DataSet, task: Task, phase: Phase, team: Team, user: User) -> Upload:
    """Upload a data set as a run of a team, which is checked and counted like any upload.

    ChallengeError if it is not published or has none of the articles, and for the reasons of
    store_run_upload_and_process_or_enqueue.
    """
    names = list_unexcluded_article_names(phase)
    annotations = _load_annotations_in_phase(data_set, task, phase)
    by_name = {names[article]: rows for article, rows in annotations.items() if article in names}
    lines = list_run_tsv_or_pubtator_lines(Kind(task.kind), by_name, None)
    suffix = "txt" if task.kind == Kind.MENTION else "tsv"
    name = f"{data_set}, data set {data_set.pk}"
    message = f"Consensus of the data set {data_set.pk} as built on {data_set.built:%Y-%m-%d %H:%M} UTC."
    submission = RunSubmission(name, message, f"data-set-{data_set.pk}.{suffix}", "".join(lines).encode())
    return store_run_upload_and_process_or_enqueue(submission, task, phase, team, user)


def _load_annotations_in_phase(data_set: DataSet, task: Task, phase: Phase) -> dict[int, list[AnnotationData]]:
    """The annotations of the kind of the task on the articles of the phase."""
    # What only its owner sees would be published with the phase.
    if data_set.published is None:
        raise ChallengeError("Only a published data set can be entered, as the phase will publish its annotations.")
    if task.kind not in data_set.kinds:
        raise ChallengeError(f"{data_set} has no annotations of the kind of {task}. Choose another task.")
    articles = set(phase.corpus.corpusarticle_set.values_list("article_id", flat=True))
    loaded = load_current_annotations(data_set.producer_id, Kind(task.kind)).by_article
    annotations = {article: rows for article, rows in loaded.items() if article in articles}
    if not annotations:
        raise ChallengeError(f"{data_set} has no article of {phase}. Choose a phase whose articles it covers.")
    return annotations
