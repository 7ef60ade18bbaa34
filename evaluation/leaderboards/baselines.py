"""Baselines: simple runs that other runs have to beat. An organizer makes them; they are scored but have no rank.

| kind | baseline |
|---|---|
| article classification | the majority class of the training articles; articles with the word "interact" |
| methods | the four most frequent methods of the training articles |
| interaction pairs | all pairs of the proteins that a run of the same phase reports |
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from django.db import transaction

from annotations.articles.models import Article
from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
from annotations.results.models import Producer
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.models import Phase, Task
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.scoring.answers import AnnotationsByArticle, load_current_annotations

BASELINE_METHODS = 4
BASELINE_KEYWORD = "interact"
BaselineAnnotations = dict[int, list[AnnotationData]]
MAJORITY_CLASS_NAME, KEYWORD_NAME, FREQUENT_METHODS_NAME = (
    "Baseline: majority class",
    f'Baseline: the word "{BASELINE_KEYWORD}"',
    "Baseline: most frequent methods",
)


@transaction.atomic
def store_baseline_runs_replacing_earlier(task: Task, phase: Phase, protein_run: Run | None = None) -> list[Run]:
    """Make the baselines of a task in a phase, replacing earlier ones; protein_run: for pairs, the run with the
    proteins.

    Of a test only the articles are used. ChallengeError for a kind without baselines, or if something is missing.
    """
    Phase.objects.select_for_update().get(pk=phase.pk)
    articles = dict(Article.objects.filter(corpora=phase.corpus_id).values_list("pk", "text"))
    if not articles:
        raise ChallengeError("The phase has no articles yet. Add articles to its corpus first.")
    match task.kind:
        case Kind.CLASSIFICATION:
            baselines = [
                (MAJORITY_CLASS_NAME, _predict_majority_class(_get_training_gold(task), articles)),
                (KEYWORD_NAME, _predict_keyword_class(articles)),
            ]
        case Kind.METHOD:
            baselines = [(FREQUENT_METHODS_NAME, _predict_frequent_methods(_get_training_gold(task), articles))]
        case Kind.PAIR:
            baselines = [_predict_protein_pairs(protein_run, articles)]
        case _:
            raise ChallengeError(
                f"There is no baseline for {task}, only for article classification, methods and pairs."
            )
    return [_store_baseline_run(task, phase, name, annotations) for name, annotations in baselines]


def _get_training_gold(task: Task) -> AnnotationsByArticle:
    """The gold annotations of the task in training. ChallengeError if there is no gold standard."""
    golds = GoldStandard.objects.filter(task=task, phase__sort=Phase.Type.TRAINING, producer__isnull=False)
    gold = golds.first()
    if gold is None or gold.producer_id is None:
        raise ChallengeError(
            f"This baseline is learned from the training phase, where {task} has no gold standard. Upload one."
        )
    return load_current_annotations(gold.producer_id, Kind(task.kind)).by_article


def _predict_majority_class(gold: AnnotationsByArticle, articles: Mapping[int, str]) -> BaselineAnnotations:
    """The majority class of the training articles for every article; relevant if both are equally frequent."""
    classes = Counter(any(one.relevant for one in in_article) for in_article in gold.values())
    relevant = classes[True] >= classes[False]
    share = classes[relevant] / max(classes.total(), 1)
    return {article: [AnnotationData(Kind.CLASSIFICATION, share or None, relevant=relevant)] for article in articles}


def _predict_keyword_class(articles: Mapping[int, str]) -> BaselineAnnotations:
    """Relevant if the text contains the keyword, with more confidence the more often it does."""
    numbers = {article: text.lower().count(BASELINE_KEYWORD) for article, text in articles.items()}
    return {
        article: [AnnotationData(Kind.CLASSIFICATION, number / (number + 1) if number else 0.5, relevant=number > 0)]
        for article, number in numbers.items()
    }


def _predict_frequent_methods(gold: AnnotationsByArticle, articles: Mapping[int, str]) -> BaselineAnnotations:
    """The most frequent methods of the training articles for every article, the most frequent first."""
    numbers = Counter((one.database, one.identifier) for in_article in gold.values() for one in in_article)
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:BASELINE_METHODS]
    methods = [
        AnnotationData(Kind.METHOD, number / len(gold), rank, database=database, identifier=identifier)
        for rank, ((database, identifier), number) in enumerate(ranked, 1)
    ]
    return dict.fromkeys(articles, methods)


def _predict_protein_pairs(proteins: Run | None, articles: Mapping[int, str]) -> tuple[str, BaselineAnnotations]:
    """The name of the baseline, and every pair of proteins that the run reports for an article.

    The confidence of a pair is the product of those of its proteins.
    """
    if proteins is None:
        raise ChallengeError("This baseline needs a run of genes and proteins, whose proteins are paired. Choose one.")
    annotations = load_current_annotations(proteins.producer_id, Kind.NORMALIZATION).by_article
    # Not by the name of the run, which would reveal its team while teams are not named.
    name = f"Baseline: all pairs of run {proteins.pk}"
    return name, {article: _pair_proteins(annotations.get(article, ())) for article in articles}


def _pair_proteins(annotations: Sequence[AnnotationData]) -> list[AnnotationData]:
    """Every pair of distinct proteins of the same database, each protein with its highest confidence."""
    confidences: dict[tuple[str, str], float] = {}
    for annotation in annotations:
        key = (annotation.database, annotation.identifier)
        confidences[key] = max(confidences.get(key, 0.0), annotation.confidence or 1.0)
    return [
        AnnotationData(Kind.PAIR, confidences[a] * confidences[b], database=a[0], identifier=a[1], partner=b[1])
        for a, b in combinations(sorted(confidences), 2)
        if a[0] == b[0]
    ]


def _store_baseline_run(task: Task, phase: Phase, name: str, annotations: BaselineAnnotations) -> Run:
    """Store the annotations in the baseline run of that name, which is created if needed."""
    run = Run.objects.filter(task=task, phase=phase, sort=Run.Source.BASELINE, name=name).first()
    if run is None:
        producer = Producer.objects.create(sort=Producer.Type.RUN, name=name, public=phase.published is not None)
        run = Run.objects.create(task=task, phase=phase, producer=producer, name=name, sort=Run.Source.BASELINE)
    supersede_results_in_bulk_counting_annotations(run.producer, Kind(task.kind), annotations)
    return run
