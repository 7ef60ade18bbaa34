"""Baselines: what a run has to beat. An organizer has them made; each is a run like others, but has no rank.

| kind | baseline |
|---|---|
| article classification | the class of most training articles; articles with the word "interact" |
| methods | the four most frequent methods of the training articles |
| interaction pairs | all pairs of the proteins that a run of the same phase reports |
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from django.db import transaction

from annotations.bulk_storing import store_many
from annotations.kinds import Finding, Kind
from annotations.models import Article, Producer
from evaluation.errors import ChallengeError
from evaluation.models import GoldStandard, Phase, Run, Task
from evaluation.scoring import Said, answers_of

MOST_METHODS = 4
WORD = "interact"
Findings = dict[int, list[Finding]]
MAJORITY, WORDS, FREQUENT = (
    "Baseline: majority class",
    f'Baseline: the word "{WORD}"',
    "Baseline: most frequent methods",
)


@transaction.atomic
def make_baselines(task: Task, phase: Phase, proteins: Run | None = None) -> list[Run]:
    """Make the baselines of a task in a phase anew; proteins: the run whose proteins are paired, for pairs.

    Of the test nothing is used but its articles. ChallengeError when the kind has none, or something is missing.
    """
    Phase.objects.select_for_update().get(pk=phase.pk)
    articles = dict(Article.objects.filter(corpora=phase.corpus_id).values_list("pk", "text"))
    if not articles:
        raise ChallengeError("The phase has no articles yet; add them to its corpus, then make the baselines.")
    match task.kind:
        case Kind.CLASSIFICATION:
            made = [(MAJORITY, majority(training_gold(task), articles)), (WORDS, with_word(articles))]
        case Kind.METHOD:
            made = [(FREQUENT, most_frequent(training_gold(task), articles))]
        case Kind.PAIR:
            made = [all_pairs(proteins, articles)]
        case _:
            raise ChallengeError(
                f"There is no baseline for {task}; there are some for article classification, methods and pairs."
            )
    return [stored(task, phase, name, findings) for name, findings in made]


def training_gold(task: Task) -> Said:
    """What is right of the task in training. ChallengeError when there is no gold standard."""
    golds = GoldStandard.objects.filter(task=task, phase__sort=Phase.Sort.TRAINING, producer__isnull=False)
    gold = golds.first()
    if gold is None or gold.producer_id is None:
        raise ChallengeError(
            f"This baseline is learned from training articles, and {task} has no gold standard in the training phase; "
            "upload one."
        )
    return answers_of(gold.producer_id, Kind(task.kind)).findings


def majority(right: Said, articles: Mapping[int, str]) -> Findings:
    """The class of most training articles for every article; relevant when there are as many of both."""
    classes = Counter(any(finding.relevant for finding in own) for own in right.values())
    relevant = classes[True] >= classes[False]
    share = classes[relevant] / max(classes.total(), 1)
    return {article: [Finding(Kind.CLASSIFICATION, share or None, relevant=relevant)] for article in articles}


def with_word(articles: Mapping[int, str]) -> Findings:
    """Relevant is an article with the word, the surer the more often it has it."""
    numbers = {article: text.lower().count(WORD) for article, text in articles.items()}
    return {
        article: [Finding(Kind.CLASSIFICATION, number / (number + 1) if number else 0.5, relevant=number > 0)]
        for article, number in numbers.items()
    }


def most_frequent(right: Said, articles: Mapping[int, str]) -> Findings:
    """The most frequent methods of the training articles for every article, the most frequent first."""
    numbers = Counter((finding.database, finding.identifier) for own in right.values() for finding in own)
    ranked = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))[:MOST_METHODS]
    every = [
        Finding(Kind.METHOD, number / len(right), rank, database=database, identifier=identifier)
        for rank, ((database, identifier), number) in enumerate(ranked, 1)
    ]
    return dict.fromkeys(articles, every)


def all_pairs(proteins: Run | None, articles: Mapping[int, str]) -> tuple[str, Findings]:
    """Every two proteins that the run reports of an article, as sure as both together."""
    if proteins is None:
        raise ChallengeError("This baseline pairs the proteins of a run; choose a run of genes and proteins.")
    said = answers_of(proteins.producer_id, Kind.NORMALIZATION).findings
    # The run's name would tell whose it is where teams are not named yet.
    name = f"Baseline: all pairs of run {proteins.pk}"
    return name, {article: pairs_of(said.get(article, ())) for article in articles}


def pairs_of(findings: Sequence[Finding]) -> list[Finding]:
    """The pairs of the proteins of one database, each protein once, where it is surest."""
    sure: dict[tuple[str, str], float] = {}
    for finding in findings:
        key = (finding.database, finding.identifier)
        sure[key] = max(sure.get(key, 0.0), finding.confidence or 1.0)
    return [
        Finding(Kind.PAIR, sure[a] * sure[b], database=a[0], identifier=a[1], partner=b[1])
        for a, b in combinations(sorted(sure), 2)
        if a[0] == b[0]
    ]


def stored(task: Task, phase: Phase, name: str, findings: Findings) -> Run:
    """The run of that name, with these findings in the place of what it said before."""
    run = Run.objects.filter(task=task, phase=phase, sort=Run.Sort.BASELINE, name=name).first()
    if run is None:
        producer = Producer.objects.create(sort=Producer.Sort.RUN, name=name, public=phase.published is not None)
        run = Run.objects.create(task=task, phase=phase, producer=producer, name=name, sort=Run.Sort.BASELINE)
    store_many(run.producer, Kind(task.kind), findings)
    return run
