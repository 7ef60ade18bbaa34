"""The databases that decide which annotations of a run are scored."""

from annotations.results.models import Annotation, Result
from evaluation.challenges.models import ExcludedArticle, Phase, Task
from evaluation.gold.models import GoldStandard


def load_gold_databases(gold: GoldStandard) -> frozenset[str]:
    """The databases of the identifiers in a gold standard, over the articles that count; one query.

    ValueError if it is sealed.
    """
    if gold.producer_id is None:
        raise ValueError("The gold standard is sealed.")
    corpus = Phase.objects.filter(pk=gold.phase_id).values("corpus")
    excluded = ExcludedArticle.objects.filter(phase=gold.phase_id).values("article")
    results = Result.objects.filter(producer=gold.producer_id, superseded__isnull=True, article__corpora__in=corpus)
    annotations = Annotation.objects.filter(result__in=results.exclude(article__in=excluded))
    return frozenset(annotations.values_list("database", flat=True).distinct())


def find_gold_databases_else_of_another_phase(task: Task, phase: Phase) -> frozenset[str] | None:
    """The databases of the task's gold standard in this phase or, while that is sealed or missing, in another phase.

    None if the task has no gold standard that is not sealed.
    """
    golds = GoldStandard.objects.filter(task=task, producer__isnull=False)
    gold = next(iter(sorted(golds, key=lambda one: (one.phase_id != phase.pk, one.pk))), None)
    return None if gold is None else load_gold_databases(gold)
