"""The outcome of a labelling: each curator's labels and pace, agreement, conflicts, and the decided classes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from statistics import median

from annotations.articles.models import Article
from annotations.articles.queries import annotate_recorded_ids
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.agreement_intervals import (
    IntervalsByFigure,
    WeightSource,
    bootstrap_label_agreement_intervals,
    build_weight_source,
)
from evaluation.labelling.models import Label, Labeller, Labelling, Ruling
from evaluation.measures.agreement import (
    PairwiseAgreement,
    convert_nan_to_none,
    fleiss_kappa,
    pairwise_agreement_on_shared_articles,
)

LabelsByArticle = Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class ReadingTimes:
    """Times of all readings of a curator. median: seconds; hours: total; capped: readings longer than is measured."""

    median: float | None
    hours: float
    capped: int


@dataclass(frozen=True, slots=True)
class CuratorOutcome:
    """One curator's labels. itself: agreement of second with first readings, None without second readings.

    itself_intervals: 95 % intervals of its figures.
    """

    labeller: Labeller
    labels: LabelsByArticle
    skipped: int
    times: ReadingTimes
    itself: PairwiseAgreement | None
    itself_intervals: IntervalsByFigure

    @property
    def relevant(self) -> int:
        return sum(self.labels.values())


@dataclass(frozen=True, slots=True)
class CuratorPair:
    """The agreement of two curators on the articles that both labelled, and 95 % intervals of its figures."""

    first: CuratorOutcome
    second: CuratorOutcome
    agreement: PairwiseAgreement
    intervals: IntervalsByFigure


@dataclass(frozen=True, slots=True)
class LabelConflict:
    """An article that curators labelled differently. yes and no: their names; ruling: None while open."""

    article: str
    yes: Sequence[str]
    no: Sequence[str]
    ruling: bool | None


@dataclass(frozen=True, slots=True)
class LabellingOutcome:
    """The outcome of a labelling; articles are identified by their opaque ids.

    names: of all articles, in the order of the corpus; fleiss: kappa of three or more curators over the articles that
    all labelled; classes: of the decided articles.
    """

    names: Mapping[str, str]
    curators: Sequence[CuratorOutcome]
    pairs: Sequence[CuratorPair]
    fleiss: float | None
    conflicts: Sequence[LabelConflict]
    classes: LabelsByArticle

    @property
    def open_conflicts(self) -> int:
        return sum(conflict.ruling is None for conflict in self.conflicts)

    @property
    def unlabelled(self) -> int:
        return len(self.names) - len(self.classes) - self.open_conflicts

    @property
    def complete(self) -> bool:
        return bool(self.names) and len(self.classes) == len(self.names)

    @property
    def labelled_once(self) -> int:
        """The number of decided articles that only one curator labelled."""
        return sum(sum(article in curator.labels for curator in self.curators) == 1 for article in self.classes)


def load_labelling_outcome(labelling: Labelling) -> LabellingOutcome:
    """Load the outcome in four queries."""
    names = _load_labelled_article_names(labelling)
    get_weights = build_weight_source(BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED)
    curators = _load_curator_outcomes(labelling, get_weights)
    rulings = dict(
        Ruling.objects.filter(labelling=labelling, superseded__isnull=True).values_list("article__opaque", "relevant")
    )
    labels = [article.labels for article in curators]
    conflicts = [
        _build_label_conflict(article, curators, rulings)
        for article in names
        if _has_conflicting_labels(article, labels)
    ]
    return LabellingOutcome(
        names,
        curators,
        [_compare_curators(first, second, get_weights) for first, second in combinations(curators, 2)],
        _compute_curators_kappa(labels),
        conflicts,
        _decide_article_classes(names, labels, conflicts),
    )


def _load_labelled_article_names(labelling: Labelling) -> dict[str, str]:
    """{opaque id: PMID or DOI; in a blind corpus the opaque id itself}, in the order of the corpus."""
    articles = Article.objects.filter(corpora=labelling.corpus_id).order_by("corpusarticle__position")
    blind = labelling.corpus.blind
    return {
        opaque: opaque if blind else str(pmid or doi or opaque)
        for opaque, pmid, doi in annotate_recorded_ids(articles).values_list("opaque", "recorded_pmid", "recorded_doi")
    }


def _load_curator_outcomes(labelling: Labelling, get_weights: WeightSource) -> list[CuratorOutcome]:
    """Load the labels of every curator, in the order in which they were added; two queries.

    Articles are in the order of their ids, as where the agreement of producers over a corpus is computed, so that
    intervals are the same there.
    """
    labels: dict[int, list[Label]] = defaultdict(list)
    rows = Label.objects.filter(labeller__labelling=labelling, superseded__isnull=True).order_by("article_id", "pk")
    for label in rows.select_related("article").defer("article__passages", "article__text", "article__metadata"):
        labels[label.labeller_id].append(label)
    labellers = Labeller.objects.filter(labelling=labelling).select_related("user", "producer").order_by("pk")
    return [_build_curator_outcome(labeller, labels[labeller.pk], get_weights) for labeller in labellers]


def _build_curator_outcome(labeller: Labeller, labels: Sequence[Label], get_weights: WeightSource) -> CuratorOutcome:
    first = {label.article.opaque: label.relevant for label in labels if not label.again and label.relevant is not None}
    second = {label.article.opaque: label.relevant for label in labels if label.again and label.relevant is not None}
    skipped = sum(label.relevant is None for label in labels if not label.again)
    itself = pairwise_agreement_on_shared_articles(first, second) if second else None
    intervals = bootstrap_label_agreement_intervals(first, second, get_weights)
    return CuratorOutcome(labeller, first, skipped, _compute_reading_times(labels), itself, intervals)


def _compare_curators(first: CuratorOutcome, second: CuratorOutcome, get_weights: WeightSource) -> CuratorPair:
    return CuratorPair(
        first,
        second,
        pairwise_agreement_on_shared_articles(first.labels, second.labels),
        bootstrap_label_agreement_intervals(first.labels, second.labels, get_weights),
    )


def _compute_reading_times(labels: Sequence[Label]) -> ReadingTimes:
    seconds = [label.seconds for label in labels]
    measured = [label.seconds for label in labels if not label.capped]
    return ReadingTimes(median(measured) if measured else None, sum(seconds) / 3600, len(seconds) - len(measured))


def _has_conflicting_labels(article: str, labels_by_curator: Sequence[LabelsByArticle]) -> bool:
    return len({labels[article] for labels in labels_by_curator if article in labels}) > 1


def _build_label_conflict(article: str, curators: Sequence[CuratorOutcome], rulings: LabelsByArticle) -> LabelConflict:
    yes, no = (
        [str(curator.labeller) for curator in curators if curator.labels.get(article) is relevant]
        for relevant in (True, False)
    )
    return LabelConflict(article, yes, no, rulings.get(article))


def _compute_curators_kappa(labels_by_curator: Sequence[LabelsByArticle]) -> float | None:
    if len(labels_by_curator) < 3:
        return None
    shared = [
        [labels[article] for labels in labels_by_curator]
        for article in labels_by_curator[0]
        if all(article in labels for labels in labels_by_curator)
    ]
    return convert_nan_to_none(fleiss_kappa(shared, nan))


def _decide_article_classes(
    names: Mapping[str, str], labels_by_curator: Sequence[LabelsByArticle], conflicts: Sequence[LabelConflict]
) -> dict[str, bool]:
    """Return {article: class}, unanimous or by ruling, in the order of the corpus; undecided articles are left out."""
    ruling_by_article = {conflict.article: conflict.ruling for conflict in conflicts}
    classes: dict[str, bool] = {}
    for article in names:
        relevant = (
            ruling_by_article[article]
            if article in ruling_by_article
            else next((labels[article] for labels in labels_by_curator if article in labels), None)
        )
        if relevant is not None:
            classes[article] = relevant
    return classes
