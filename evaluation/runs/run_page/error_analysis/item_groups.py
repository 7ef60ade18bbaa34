"""The items of a run in groups: those of a task with settings by type, those of lists by organism or by name."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from annotations.identifiers.queries import find_named_entries
from annotations.schema import AnnotationData, Kind, Shape
from evaluation.analyses.item_groups import GroupCounter, ItemGroup
from evaluation.challenges.models import Task
from evaluation.measures.task_settings import TaskSettings
from evaluation.runs.run_page.open_comparison import match_open_items
from evaluation.scoring.accession_tables import KINDS_WITH_ORGANISMS, find_taxa_by_accession
from evaluation.scoring.answers import AnnotationsByArticle

TAXONOMY = "ncbitaxon"
UNKNOWN_ORGANISM = "organism not known here"
NamedGroups = tuple[str, Sequence[ItemGroup]]


def count_open_items_by_type(
    task: Task,
    settings: TaskSettings,
    articles: Collection[int],
    gold_annotations: AnnotationsByArticle,
    run_annotations: AnnotationsByArticle,
) -> NamedGroups:
    """By type of entity or relation, or by label, as the run and the gold standard name them."""
    counter = GroupCounter()
    for article in articles:
        matched = match_open_items(task, settings, gold_annotations[article], run_annotations.get(article, ()))
        counter.add(*(map(_name_type, part) for part in (matched.found, matched.missed, matched.false)))
    title = {"label": "Label", "relation": "Type of relation"}.get(task.kind, "Type of entity")
    return title, counter.list_largest_groups()


def _name_type(annotation: AnnotationData) -> str:
    match annotation.shape:
        case Shape.RELATION:
            return annotation.relation_type
        case Shape.LABEL if annotation.label:
            return annotation.label[1]
    return annotation.type or "no type"


def count_listed_items_by_organism_or_name(
    kind: Kind,
    articles: Collection[int],
    gold_annotations: AnnotationsByArticle,
    run_annotations: AnnotationsByArticle,
) -> NamedGroups:
    """Genes and pairs by organism, others each by its own name."""
    sides = (gold_annotations, run_annotations)
    both = [each for side in sides for article in articles for each in side.get(article, ())]
    has_organisms = kind in KINDS_WITH_ORGANISMS
    name = _name_organisms(both) if has_organisms else _name_entries(both)
    counter = GroupCounter()
    for article in articles:
        gold = {each.key: each for each in gold_annotations[article]}
        # As in scores, predictions for an article without gold items cost nothing.
        run = {each.key: each for each in run_annotations.get(article, ())} if gold else {}
        counter.add(
            [name(each) for key, each in gold.items() if key in run],
            [name(each) for key, each in gold.items() if key not in run],
            [name(each) for key, each in run.items() if key not in gold],
        )
    title = "Organism" if has_organisms else {Kind.TAXON: "Organism", Kind.METHOD: "Method"}.get(kind, "Entry")
    return title, counter.list_largest_groups()


def _name_organisms(annotations: Iterable[AnnotationData]) -> Callable[[AnnotationData], str]:
    """A function that names the organism of a gene, or those of a pair joined by a plus."""
    accessions: dict[str, set[str]] = {}
    for each in annotations:
        accessions.setdefault(each.database, set()).update(filter(None, (each.identifier, each.partner)))
    taxa = {
        (database, accession): taxon
        for database, listed in accessions.items()
        for accession, taxon in find_taxa_by_accession(database, sorted(listed)).items()
    }
    names = _find_names((TAXONOMY, taxon) for taxon in taxa.values())

    def name(annotation: AnnotationData) -> str:
        keys = [(annotation.database, each) for each in (annotation.identifier, annotation.partner) if each]
        of_each = {taxa.get(key, "") for key in keys}
        return " + ".join(sorted(names.get((TAXONOMY, taxon), taxon) or UNKNOWN_ORGANISM for taxon in of_each))

    return name


def _name_entries(annotations: Iterable[AnnotationData]) -> Callable[[AnnotationData], str]:
    names = _find_names({(each.database, each.identifier) for each in annotations})

    def name(annotation: AnnotationData) -> str:
        return names.get((annotation.database, annotation.identifier)) or annotation.identifier

    return name


def _find_names(identifiers: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    return {key: entry.symbol or entry.name for key, entry in find_named_entries(identifiers).items()}
