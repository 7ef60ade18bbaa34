"""Make the outcome of a curation project the gold standard of a task, stored or sealed like an uploaded file."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from annotations.articles.models import Article
from annotations.curation.models import Curation
from annotations.curation.projects.agreement import keep_decisions_of_gold
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Phase, Task
from evaluation.curation.sealing import list_published_curations
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import must_seal_gold, store_gold_sealed_or_open
from evaluation.runs.files.open_writer import iter_open_bioc_lines
from evaluation.runs.files.run_writer import iter_gold_tsv_or_pubtator_lines
from evaluation.scoring.answers import load_task_annotations

# What the source of a gold standard of a project begins with; the id of the project and a comma follow.
ORIGIN_START = "Curation project "


def count_undecided_articles(project: CurationProject) -> int:
    """The articles of the corpus without a finished outcome: 1 query."""
    outcomes = Curation.objects.filter(curator=project.outcome_id, article=OuterRef("pk"), state=CurationState.FINISHED)
    return Article.objects.filter(~Exists(outcomes), corpora=project.corpus_id).count()


@transaction.atomic
def store_outcome_as_gold(project: CurationProject, task: Task, phase: Phase) -> GoldStandard:
    """Make the outcome the gold standard of a task and phase, replacing an earlier one.

    ChallengeError if task or phase do not fit, if an article is undecided, if a record that has to be sealed is public,
    and for the reasons of store_gold_sealed_or_open; so RefusedFileError, such as for an outcome without anything that
    counts in the task.
    """
    # Nobody decides or publishes at the same time.
    locked = CurationProject.objects.select_for_update().get(pk=project.pk)
    _check_fits(locked, task, phase)
    if must_seal_gold(task, phase):
        _keep_records_from_being_published(locked)
    content = "".join(_list_gold_lines(locked, task)).encode()
    suffix = "json" if task.get_settings() is not None else "txt"
    gold = store_gold_sealed_or_open(
        task, phase, content, f"outcome-{locked.pk}.{suffix}", origin=f"{ORIGIN_START}{locked.pk}, {locked}"
    )
    keep_decisions_of_gold(locked, gold.pk, Kind(task.kind))
    if gold.pk not in locked.golds:
        locked.golds = [*locked.golds, gold.pk]
        locked.save(update_fields=["golds"])
    project.golds = locked.golds
    return gold


def _keep_records_from_being_published(project: CurationProject) -> None:
    """Take back what curators proposed to reviewers, who would read it. ChallengeError if something is published."""
    if published := list_published_curations(project).count():
        noun = "digital abstract of this project is" if published == 1 else "digital abstracts of this project are"
        raise ChallengeError(f"{published} {noun} published, which shows what has to be sealed. Withdraw them first.")
    own = Q(curator__project=project) | Q(curator=project.outcome_id)
    Curation.objects.filter(own, proposed__isnull=False).update(proposed=None)


def _check_fits(project: CurationProject, task: Task, phase: Phase) -> None:
    if task.challenge_id != phase.challenge_id:
        raise ChallengeError(f"{task} is not a task of {phase.challenge}. Choose a task and a phase of one challenge.")
    if phase.corpus_id != project.corpus_id:
        raise ChallengeError(f"The {phase.sort} phase has another corpus; choose a phase with {project.corpus}.")
    if undecided := count_undecided_articles(project):
        noun = "article has" if undecided == 1 else "articles have"
        raise ChallengeError(f"{undecided:,} {noun} no outcome yet. Decide on all articles first.")


def _list_gold_lines(project: CurationProject, task: Task) -> Sequence[str]:
    annotations = _load_annotations_by_name(project, task)
    kind, settings = Kind(task.kind), task.get_settings()
    if settings is not None:
        return list(iter_open_bioc_lines(kind, settings, annotations))
    return list(iter_gold_tsv_or_pubtator_lines(kind, annotations))


def _load_annotations_by_name(project: CurationProject, task: Task) -> Mapping[str, Sequence[AnnotationData]]:
    """{opaque id of each article of the corpus: what counts in the task}, also for those without anything."""
    by_article = load_task_annotations(project.outcome.producer_id, task).by_article
    names = Article.objects.filter(corpora=project.corpus_id).values_list("pk", "opaque")
    return {name: by_article.get(article, []) for article, name in names}
