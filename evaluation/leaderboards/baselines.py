"""Baselines: simple runs that other runs have to beat. An organizer makes them; they are scored but have no rank.

| kind | baseline |
|---|---|
| article classification | the majority class of the training articles; articles with the word "interact" |
| genes and proteins, organisms, methods | the four most frequent identifiers of the training articles |
| mentions | every occurrence of a text that is a mention in the training articles |
| interaction pairs | all pairs of the proteins that a run of the same phase reports |
| evidence passages | the title of the article for each pair that a run of the same phase reports |

open_baselines.py has those of tasks with settings.
"""

import re
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
from evaluation.leaderboards.open_baselines import EntitySource, predict_open_baseline
from evaluation.runs.disclosure import publish_challenge_producers
from evaluation.runs.models import Run
from evaluation.scoring.answers import AnnotationsByArticle, load_current_annotations, load_task_annotations

FREQUENT_IDENTIFIERS = 4
# Shorter texts, such as "a", are in every article.
SHORTEST_MENTION = 3
MOST_MENTION_TEXTS = 5000
# The source of baselines that are made from a run: the kinds of its annotations, by the kind of the task.
SOURCE_KINDS = {
    Kind.PAIR: (Kind.NORMALIZATION,),
    Kind.PASSAGE: (Kind.PAIR,),
    Kind.RELATION: (Kind.ENTITY, Kind.MENTION),
}
BASELINE_KEYWORD = "interact"
BaselineAnnotations = dict[int, list[AnnotationData]]
MAJORITY_CLASS_NAME, KEYWORD_NAME, MENTION_TEXTS_NAME = (
    "Baseline: majority class",
    f'Baseline: the word "{BASELINE_KEYWORD}"',
    "Baseline: mentions of the training articles",
)
FREQUENT_NAMES = {
    Kind.NORMALIZATION: "Baseline: most frequent genes and proteins",
    Kind.TAXON: "Baseline: most frequent organisms",
    Kind.METHOD: "Baseline: most frequent methods",
}


@transaction.atomic
def store_baseline_runs_replacing_earlier(task: Task, phase: Phase, source_run: Run | None = None) -> list[Run]:
    """Make the baselines of a task in a phase, replacing earlier ones.

    source_run: for pairs the run with the proteins, for passages the run with the pairs, for relations the run with the
    entities. Of a test only the articles are used. ChallengeError if something is missing.
    """
    Phase.objects.select_for_update().get(pk=phase.pk)
    articles = dict(Article.objects.filter(corpora=phase.corpus_id).values_list("pk", "text"))
    if not articles:
        raise ChallengeError("The phase has no articles yet. Add articles to its corpus first.")
    if (settings := task.get_settings()) is not None:
        source = None if source_run is None else EntitySource(source_run.pk, _load_source_entities(source_run))
        baseline = predict_open_baseline(Kind(task.kind), settings, _get_training_gold(task), articles, source)
        return [store_baseline_run(task, phase, *baseline)]
    match task.kind:
        case Kind.CLASSIFICATION:
            baselines = [
                (MAJORITY_CLASS_NAME, _predict_majority_class(_get_training_gold(task), articles)),
                (KEYWORD_NAME, _predict_keyword_class(articles)),
            ]
        case Kind.METHOD | Kind.NORMALIZATION | Kind.TAXON:
            kind = Kind(task.kind)
            baselines = [
                (FREQUENT_NAMES[kind], _predict_frequent_identifiers(kind, _get_training_gold(task), articles))
            ]
        case Kind.MENTION:
            baselines = [(MENTION_TEXTS_NAME, _predict_known_mentions(_get_training_gold(task), articles))]
        case Kind.PAIR:
            baselines = [_predict_protein_pairs(source_run, articles)]
        case Kind.PASSAGE:
            baselines = [_predict_title_passages(source_run, phase)]
    return [store_baseline_run(task, phase, name, annotations) for name, annotations in baselines]


def _load_source_entities(source_run: Run) -> AnnotationsByArticle:
    return load_task_annotations(source_run.producer_id, source_run.task).by_article


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


def _predict_frequent_identifiers(
    kind: Kind, gold: AnnotationsByArticle, articles: Mapping[int, str]
) -> BaselineAnnotations:
    """The most frequent identifiers of the training articles for every article, the most frequent first."""
    numbers = Counter((one.database, one.identifier) for in_article in gold.values() for one in in_article)
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:FREQUENT_IDENTIFIERS]
    frequent = [
        AnnotationData(kind, number / len(gold), rank, database=database, identifier=identifier)
        for rank, ((database, identifier), number) in enumerate(ranked, 1)
    ]
    return dict.fromkeys(articles, frequent)


def _predict_known_mentions(gold: AnnotationsByArticle, articles: Mapping[int, str]) -> BaselineAnnotations:
    """Every whole-word occurrence of the texts of the training mentions, which have to match exactly.

    Of overlapping occurrences the first and longest is taken.
    """
    in_training = Article.objects.in_bulk(gold)
    texts = Counter(
        in_training[article].text[one.start : one.end] for article, in_article in gold.items() for one in in_article
    )
    known = [text for text, _ in texts.most_common(MOST_MENTION_TEXTS) if len(text) >= SHORTEST_MENTION]
    if not known:
        raise ChallengeError("The training articles have no mentions of at least three characters to look for.")
    longest_first = sorted(known, key=lambda text: (-len(text), text))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    return {
        article: [
            AnnotationData(Kind.MENTION, start=match.start(), end=match.end(), text=match.group())
            for match in pattern.finditer(text)
        ]
        for article, text in articles.items()
    }


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


def _predict_title_passages(pairs: Run | None, phase: Phase) -> tuple[str, BaselineAnnotations]:
    """The name of the baseline, and the title of the article as the passage of every pair that the run reports."""
    if pairs is None:
        raise ChallengeError("This baseline needs a run of interaction pairs, which the titles describe. Choose one.")
    annotations = load_current_annotations(pairs.producer_id, Kind.PAIR).by_article
    passages = dict(Article.objects.filter(corpora=phase.corpus_id).values_list("pk", "passages"))
    titles = {article: next((one["text"] for one in parts), "") for article, parts in passages.items()}
    return f"Baseline: titles for the pairs of run {pairs.pk}", {
        article: [
            AnnotationData(
                Kind.PASSAGE,
                pair.confidence,
                database=pair.database,
                identifier=pair.identifier,
                partner=pair.partner,
                text=title,
            )
            for pair in {pair.key: pair for pair in annotations.get(article, ())}.values()
            if title
        ]
        for article, title in titles.items()
    }


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


def store_baseline_run(task: Task, phase: Phase, name: str, annotations: BaselineAnnotations) -> Run:
    """Store the annotations in the baseline run of that name, which is created if needed."""
    run = Run.objects.filter(task=task, phase=phase, sort=Run.Source.BASELINE, name=name).first()
    if run is None:
        producer = Producer.objects.create(sort=Producer.Type.RUN, name=name)
        run = Run.objects.create(task=task, phase=phase, producer=producer, name=name, sort=Run.Source.BASELINE)
    supersede_results_in_bulk_counting_annotations(run.producer, Kind(task.kind), annotations)
    if phase.published is not None:
        publish_challenge_producers(Producer.objects.filter(pk=run.producer_id))
    return run
