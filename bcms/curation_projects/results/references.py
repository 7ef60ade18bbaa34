"""What the curators of a project are scored against, and what every producer has annotated of its articles."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass

from annotations.curation.projects.models import CurationProject
from annotations.results.annotation_rows import ANNOTATION_ROW_FIELDS, read_annotation_row
from annotations.results.models import Annotation, Result
from annotations.schema import Kind
from evaluation.analyses.curators.producer_scores import Items
from evaluation.gold.models import GoldStandard
from evaluation.visibility import list_visible_producers
from servers.teams.permissions import User

SCORED_KINDS = {
    Kind.NORMALIZATION: "Genes and proteins",
    Kind.PAIR: "Interaction pairs",
    Kind.METHOD: "Detection methods",
}
OUTCOME = "outcome"
# {kind: {producer: {article: its items}}}; an article without items was answered, one that is missing was not.
AnswersByKind = Mapping[Kind, Mapping[int, Mapping[int, Items]]]


@dataclass(frozen=True, slots=True)
class ResultsReference:
    """value: "outcome", or the id of a gold standard; kinds: those that it has."""

    value: str
    label: str
    producer: int
    kinds: Collection[Kind]


def list_references(project: CurationProject, reader: User) -> list[ResultsReference]:
    """The outcome, and the gold standards of the corpus that the reader sees: 1 query."""
    outcome = ResultsReference(OUTCOME, "the outcome of the project", project.outcome.producer_id, list(SCORED_KINDS))
    golds = GoldStandard.objects.filter(
        phase__corpus=project.corpus_id,
        producer__in=list_visible_producers(reader),
        task__kind__in=list(SCORED_KINDS),
        task__settings__isnull=True,
    )
    return [outcome] + [
        ResultsReference(
            str(gold.pk),
            f"the gold standard of {gold.task} in {gold.phase.challenge}, {gold.phase.sort}",
            gold.producer_id,
            [Kind(gold.task.kind)],
        )
        for gold in golds.select_related("task", "phase__challenge").defer("sealed").order_by("pk")
        if gold.producer_id is not None
    ]


def find_reference(references: Iterable[ResultsReference], value: str) -> ResultsReference | None:
    """The reference with this value; the first one for ""."""
    return next((reference for reference in references if value in ("", reference.value)), None)


def load_answers(producer_ids: Collection[int], article_ids: Collection[int]) -> AnswersByKind:
    """What these producers report in these articles, of SCORED_KINDS: 2 queries."""
    of_producers = {"producer__in": producer_ids, "article__in": article_ids, "kind__in": list(SCORED_KINDS)}
    results = Result.objects.filter(superseded__isnull=True, **of_producers)
    fields = ("pk", "kind", "producer", "article")
    rows = {pk: (Kind(kind), *others) for pk, kind, *others in results.values_list(*fields)}
    found: dict[int, set[Hashable]] = {pk: set() for pk in rows}
    annotations = Annotation.objects.filter(
        result__superseded__isnull=True, **{f"result__{name}": value for name, value in of_producers.items()}
    ).values_list("result_id", *ANNOTATION_ROW_FIELDS)
    for result, *row in annotations.iterator(chunk_size=10_000):
        # A Result that was stored since the first query is left out.
        if result in rows:
            found[result].add(read_annotation_row(rows[result][0], *row).key)
    answers: dict[Kind, dict[int, dict[int, Items]]] = {kind: {} for kind in SCORED_KINDS}
    for pk, (kind, producer, article) in rows.items():
        answers[kind].setdefault(producer, {})[article] = frozenset(found[pk])
    return answers


def keep_databases_of_reference(items: Items, reference: Mapping[int, Items]) -> Items:
    """Only items in the databases that the reference uses, as in the scores of runs: others cannot be right or wrong.

    The first part of an item is its database.
    """
    databases = {item[0] for known in reference.values() for item in known}  # type: ignore[index]
    return frozenset(item for item in items if item[0] in databases)  # type: ignore[index]
