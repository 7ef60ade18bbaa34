"""The results of a project as tables: one line for each curation, each score, and each level of an agreement."""

from collections.abc import Iterator, Mapping, Sequence

from annotations.curation.projects.questions import SCALED_QUESTIONS
from annotations.schema import Kind
from bcms.curation_projects.results.counted_curations import COUNTED_ACTIONS, CountedCuration
from bcms.curation_projects.results.queries import ProjectResults, find_answer
from bcms.curation_projects.results.questionnaire_summary import GivenReply
from evaluation.analyses.curators.producer_scores import ArticleMeans, Items, ReferenceScore, count_items
from evaluation.analyses.significance.agreement_intervals import AGREEMENT_FIGURES
from evaluation.analyses.significance.confidence_intervals import ConfidenceInterval
from evaluation.measures.confusion_counts import ConfusionCounts

COUNTS = ("tp", "fp", "fn")
FIGURES = ("precision", "recall", "f1")
CURATION_HEAD = (
    *("curation", "article", "curator", "role", "arm", "finished", "seconds", "decisions"),
    *COUNTED_ACTIONS,
    "undone",
)
ANSWER_HEAD = (*(question.name for question in SCALED_QUESTIONS), "comment")
SCORE_HEAD = (
    *("kind", "reference", "producer", "unit", "articles", *COUNTS),
    *(f"{figure}{end}" for figure in FIGURES for end in ("", "_low", "_high")),
    "macro_articles",
    *(f"macro_{figure}{end}" for figure in FIGURES for end in ("", "_low", "_high")),
)

AGREEMENT_HEAD = (
    *("first", "second", "level", "articles", "pairs", "items", "joint", "kappa", "alpha", "set_alpha", "f1"),
    *(f"{figure}{end}" for figure in AGREEMENT_FIGURES for end in ("_low", "_high")),
)


def iter_curation_rows(results: ProjectResults) -> Iterator[Sequence[object]]:
    """A head, then the curations; seconds in sight; the counts of each kind are empty without a reference."""
    kinds = [scores.kind for scores in results.scores]
    yield (*CURATION_HEAD, *(f"{kind}_{count}" for kind in kinds for count in COUNTS), *ANSWER_HEAD)
    for curation in results.curations:
        counts = [_count_curation(curation, results, kind) for kind in kinds]
        yield (
            *_list_curation_cells(curation),
            *(cell for each in counts for cell in ((each.tp, each.fp, each.fn) if each else ("", "", ""))),
            *_list_answer_cells(results.replies.get(curation.id)),
        )


def iter_own_rows(
    curations: Sequence[CountedCuration], replies: Mapping[int, GivenReply]
) -> Iterator[Sequence[object]]:
    """What curators see of their own curations: without scores."""
    yield (*CURATION_HEAD, *ANSWER_HEAD)
    for curation in curations:
        yield (*_list_curation_cells(curation), *_list_answer_cells(replies.get(curation.id)))


def _list_curation_cells(curation: CountedCuration) -> Sequence[object]:
    return (
        curation.id,
        curation.article_name,
        curation.name,
        curation.role.value,
        str(curation.arm),
        curation.finished.isoformat(),
        round(curation.seconds, 1),
        curation.decision_count,
        *curation.decisions,
        curation.undone,
    )


def _list_answer_cells(reply: GivenReply | None) -> Sequence[object]:
    if reply is None:
        return [""] * len(ANSWER_HEAD)
    return [*("" if answer is None else answer for answer in reply.answers), reply.comment]


def _count_curation(curation: CountedCuration, results: ProjectResults, kind: Kind) -> ConfusionCounts | None:
    """None if the reference does not have the article."""
    reference: Mapping[int, Items] = results.answers[kind].get(results.reference.producer, {})
    answer = find_answer(curation, results.answers[kind], reference)
    if answer is None or curation.article not in reference:
        return None
    return count_items(answer, reference[curation.article])


def iter_score_rows(results: ProjectResults) -> Iterator[Sequence[object]]:
    """A head, then every score with its 95 % intervals: the micro-average, then the macro-average."""
    yield SCORE_HEAD
    for scores in results.scores:
        for producer in scores.producers:
            score, counts = producer.score, producer.score.counts
            yield (
                *(scores.kind.value, results.reference.value, producer.name, producer.unit.value),
                *(score.articles, counts.tp, counts.fp, counts.fn),
                *_list_score_cells(score),
                score.macro.articles,
                *_list_score_cells(score.macro),
            )


def iter_agreement_rows(results: ProjectResults) -> Iterator[Sequence[object]]:
    """A head, then the agreement of every two groups at each level; figures are empty where they are 0/0. The bounds of
    95 % intervals come last.
    """
    yield AGREEMENT_HEAD
    for groups in results.agreements:
        for level in groups.levels:
            agreement = level.agreement
            figures = (agreement.instances, agreement.joint, agreement.kappa) if agreement else ("", "", "")
            f1 = agreement.f1 if agreement else ""
            cells = (groups.first, groups.second, level.level.value, groups.articles, groups.pairs, *figures)
            bounds = (bound for figure in AGREEMENT_FIGURES for bound in level.intervals.get(figure, ("", "")))
            yield (*cells, level.alpha, level.set_alpha, f1, *bounds)


def _list_score_cells(score: ReferenceScore | ArticleMeans) -> Sequence[object]:
    return [
        *_list_figure_cells(score.precision, score.precision_interval),
        *_list_figure_cells(score.recall, score.recall_interval),
        *_list_figure_cells(score.f1, score.f1_interval),
    ]


def _list_figure_cells(value: float | None, interval: ConfidenceInterval | None) -> Sequence[object]:
    return [value, *(interval or ("", ""))]
