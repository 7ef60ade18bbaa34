"""The tasks that the annotations of a corpus file suggest.

| in the file | task | its name |
|---|---|---|
| mentions | mentions of the types of the file | NER |
| identifiers of mentions or articles | entities of articles, in the databases of the file | NEN |
| relations | relations of the types of the file | RE |
| a set of labels | labels of articles | that of the set |
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from annotations.entity_types import fold_type_spelling, normalize_entity_type
from annotations.identifiers.namespaces import find_database_by_spelling, namespace_title_or_raw_name
from annotations.schema import Kind, Shape
from bcms.lib.text import replace_unstorable_characters
from evaluation.measures.open_tasks import complete_task_settings
from evaluation.measures.task_settings import (
    EVERY_TYPE,
    LONGEST_TEXT,
    MOST_TEXTS,
    LabelSet,
    TaskSettings,
    build_task_settings_json,
)
from evaluation.runs.files.text_annotations import TextAnnotation

# The most values of a set of labels, relations or types that a sentence names.
MOST_NAMED = 4
# The most sets of labels that become tasks, those with the most labels.
MOST_LABEL_SETS = 20
LONGEST_NAME, LONGEST_TITLE = 20, 200
# (noun, {name: number}) to what the file has, as a sentence without a full stop.
Describe = Callable[[str, Counter[str]], str]


@dataclass(frozen=True, slots=True)
class TaskProposal:
    """A task that the file has a gold standard for. settings: as build_task_settings_json writes them; found: what the
    file has, as a sentence without a full stop.
    """

    name: str
    title: str
    kind: str
    settings: Mapping[str, object]
    found: str


@dataclass(frozen=True, slots=True)
class CorpusProposal:
    """What a corpus file holds. format: for people; articles: their number; first: (name, title) of some; warnings:
    sentences.
    """

    format: str
    articles: int
    first: Sequence[tuple[str, str]]
    warnings: Sequence[str] = ()
    tasks: Sequence[TaskProposal] = ()

    def build_json(self) -> dict[str, object]:
        """Without characters that the database cannot store, such as NUL."""
        return {name: _clean(value) for name, value in asdict(self).items()}


def _clean(value: object) -> object:
    if isinstance(value, str):
        return replace_unstorable_characters(value)
    if isinstance(value, dict):
        return {name: _clean(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(each) for each in value]
    return value


def parse_corpus_proposal(stored: Mapping[str, object]) -> CorpusProposal:
    """The proposal that build_json wrote."""
    values = dict(stored)
    tasks = [TaskProposal(**task) for task in values.pop("tasks", ())]  # type: ignore[attr-defined]
    return CorpusProposal(**values, tasks=tasks)  # type: ignore[arg-type]


def propose_tasks(found: Sequence[TextAnnotation], *, with_numbers: bool = True) -> list[TaskProposal]:
    """The tasks for the annotations of a file; none for kinds of which there are no annotations.

    with_numbers: whether they say how many annotations of which type there are.
    """
    describe = _describe_counts if with_numbers else _describe_names
    proposals = [
        *_propose_mentions(found, describe),
        *_propose_entities(found, describe),
        *_propose_relations(found, describe),
    ]
    return [*proposals, *_propose_labels(found, {proposal.name for proposal in proposals}, describe)]


def _propose_mentions(found: Sequence[TextAnnotation], describe: Describe) -> Iterator[TaskProposal]:
    types = _count_types(each for each in found if each.annotation.shape is Shape.MENTION)
    if types:
        settings = TaskSettings(entity_types=_list_types_or_every(types))
        title = f"Mentions{_format_of_types(types)}"
        yield _build_proposal("NER", title, Kind.MENTION, settings, describe("mention", types))


def _propose_entities(found: Sequence[TextAnnotation], describe: Describe) -> Iterator[TaskProposal]:
    shapes = (Shape.MENTION, Shape.ENTITY)
    linked = [
        (each, entity.database)
        for each in found
        if each.annotation.shape in shapes
        for entity in each.annotation.iter_entity_ids()
    ]
    if linked:
        types, databases = _count_types(each for each, _ in linked), Counter(database for _, database in linked)
        known = all(find_database_by_spelling(name) == name for name in databases)
        namespaces = tuple(sorted(databases)) if known and len(databases) <= MOST_TEXTS else ()
        settings = TaskSettings(entity_types=_list_types_or_every(types), namespaces=namespaces)
        named = Counter({namespace_title_or_raw_name(name) or "no database": databases[name] for name in databases})
        title = f"Identifiers{_format_of_types(types)}"
        yield _build_proposal("NEN", title, Kind.ENTITY, settings, describe("identifier", named))


def _propose_relations(found: Sequence[TextAnnotation], describe: Describe) -> Iterator[TaskProposal]:
    relations = [each.annotation for each in found if each.annotation.kind is Kind.RELATION]
    if relations:
        types = Counter(each.relation_type for each in relations)
        named = _are_types_of_settings(types)
        settings = TaskSettings(
            relation="type" if named else "pair", relation_types=tuple(sorted(types)) if named else ()
        )
        title = f"Relations{_format_of_types(types)}"
        yield _build_proposal("RE", title, Kind.RELATION, settings, describe("relation", types))


def _propose_labels(found: Sequence[TextAnnotation], taken: set[str], describe: Describe) -> Iterator[TaskProposal]:
    values: dict[str, Counter[str]] = defaultdict(Counter)
    documents: dict[str, set[str]] = defaultdict(set)
    # Tasks compare the names of sets by their letters: "Topic" and "topic" are one set.
    spellings: dict[str, str] = {}
    for each in found:
        if each.annotation.kind is Kind.LABEL:
            name = spellings.setdefault(fold_type_spelling(each.annotation.type), each.annotation.type)
            values[name][each.annotation.text] += 1
            documents[name].add(each.document)
    named_sets = [each for key, each in spellings.items() if key and len(each) <= LONGEST_TEXT]
    for label_set in sorted(named_sets, key=lambda each: -values[each].total())[:MOST_LABEL_SETS]:
        counts = values[label_set]
        several = counts.total() > len(documents[label_set])
        named = tuple(sorted(counts)) if _fits_settings(counts) else ()
        settings = TaskSettings(label_set=LabelSet(label_set, named, several))
        name = _make_task_name(label_set, taken)
        taken.add(name)
        yield _build_proposal(name, f"Labels: {label_set}", Kind.LABEL, settings, describe("label", counts))


def _build_proposal(name: str, title: str, kind: Kind, settings: TaskSettings, found: str) -> TaskProposal:
    stored = build_task_settings_json(complete_task_settings(kind, settings))
    return TaskProposal(name, title[:LONGEST_TITLE], kind.value, stored, found)


def _count_types(found: Iterable[TextAnnotation]) -> Counter[str]:
    return Counter(normalize_entity_type(each.annotation.type) for each in found)


def _list_types_or_every(types: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(types)) if _are_types_of_settings(types) else (EVERY_TYPE,)


def _fits_settings(names: Counter[str]) -> bool:
    """Whether the settings of a task can name all of them."""
    return len(names) <= MOST_TEXTS and all(name.strip() and len(name) <= LONGEST_TEXT for name in names)


def _are_types_of_settings(names: Counter[str]) -> bool:
    """Whether the settings can name all of them as types, which have no comma and are compared by their letters."""
    return _fits_settings(names) and all("," not in name and fold_type_spelling(name) for name in names)


def _format_of_types(types: Counter[str]) -> str:
    """The end of a title, such as “ of Disease and Gene”; empty if there is no name or too many."""
    if not _fits_settings(types) or len(types) > MOST_NAMED:
        return ""
    *others, last = sorted(types)
    return f" of {', '.join(others)} and {last}" if others else f" of {last}"


def _describe_counts(noun: str, counts: Counter[str]) -> str:
    named = [f"{name[:LONGEST_TEXT] or 'no type'} {number:,}" for name, number in counts.most_common(MOST_NAMED)]
    rest = [f"{len(counts) - MOST_NAMED:,} more"] if len(counts) > MOST_NAMED else []
    return f"{counts.total():,} {noun}{'' if counts.total() == 1 else 's'}: {', '.join([*named, *rest])}"


def _describe_names(noun: str, counts: Counter[str]) -> str:
    """Without numbers, and in an order that does not depend on them."""
    named = sorted(name[:LONGEST_TEXT] or "no type" for name in counts)
    rest = ["and more"] * (len(named) > MOST_NAMED)
    return f"{noun.capitalize()}s: {', '.join([*named[:MOST_NAMED], *rest])}"


def _make_task_name(label_set: str, taken: set[str]) -> str:
    """A name that tasks may have, from that of a set of labels."""
    base = re.sub(r"[^A-Za-z0-9]+", "-", label_set).strip("-")[: LONGEST_NAME - 3].strip("-") or "LABELS"
    names = (base if number == 1 else f"{base}-{number}" for number in range(1, len(taken) + 2))
    lower = {name.lower() for name in taken}
    return next(name for name in names if name.lower() not in lower)
