"""Read runs and gold standards of tasks with settings, with the readers of `python -m evaluation`.

Mentions, links, entities and relations are in any format of annotated text, such as PubTator, BioC, PubAnnotation,
NDJSON and Parquet; labels are in these, too, or in tab-separated values. What the phase demands is checked in
open_checks.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Literal

from annotations.entity_types import fold_type_spelling
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.result_sniffing import (
    ResultFormat,
    check_result_file_is_text_or_archive,
    sniff_result_format_else_tsv,
)
from annotations.formats.tsv.result_reader import LIBRARY_RULES, RunRules, read_tsv_gold, read_tsv_run
from annotations.formats.tsv.result_table import ResultTable
from annotations.schema import AnnotationData, Kind, Shape, make_entity, make_label
from evaluation.measures.items.concepts import map_concepts_to_confidence
from evaluation.measures.task_settings import EVERY_TYPE, TaskSettings
from evaluation.runs.files.text_annotations import TextAnnotation, describe_annotations, list_text_annotations

LABEL_TASK = "labels"
OpenFileRole = Literal["run", "gold"]


@dataclass(frozen=True, slots=True)
class OpenTaskFile:
    """A file that was read. documents: the names of all; annotations: those of the kind of the task.

    note: for people, how the file was interpreted, with the numbers of all of its annotations. texts: {name of a
    document: its text in the file}, for documents that have one.
    """

    source: str
    documents: Sequence[str]
    annotations: Sequence[TextAnnotation]
    form: ResultFormat
    note: str
    warnings: Sequence[FormatError] = ()
    texts: Mapping[str, str] = field(default_factory=dict)


def read_open_task_file(
    stream: BinaryIO,
    source: str,
    kind: Kind,
    settings: TaskSettings,
    *,
    role: OpenFileRole = "run",
    rules: RunRules = LIBRARY_RULES,
) -> OpenTaskFile:
    """Read a file of a task with settings from a seekable stream; mentions become entities in open_checks.

    rules: those of tab-separated runs. RefusedFileError with all faults: R601 to R612, R629, R651 to R695, R711.
    """
    check_result_file_is_text_or_archive(stream, source)
    file_format = sniff_result_format_else_tsv(stream)
    text_format = ANNOTATED_TEXT_FORMATS.get(file_format)
    if text_format is not None:
        annotated = text_format.read(stream, source, keeps_texts=True)
        found = list_text_annotations(annotated, settings.name_type)
        kept = [each for each in found if _is_of_task(each.annotation, kind, settings)]
        parts = len(annotated.individual_mentions)
        note = describe_annotations(text_format.name, [each.annotation for each in found], parts)
        return OpenTaskFile(source, annotated.documents, kept, file_format, note, annotated.warnings, annotated.texts)
    if kind is Kind.LABEL and settings.label_set is not None:
        return _read_label_table(stream, source, settings.label_set.name, role, rules)
    message = f"the format {file_format} cannot hold results of this task - use PubTator, BioC, PubAnnotation or NDJSON"
    raise RefusedFileError([FormatError(source, 0, 0, "R711", message)])


def leave_out_documents(file: OpenTaskFile, names: Collection[str]) -> OpenTaskFile:
    """The file without these documents; warnings and the note are still those of the whole file."""
    if not names:
        return file
    kept = [each for each in file.annotations if each.document not in names]
    return replace(file, documents=[name for name in file.documents if name not in names], annotations=kept)


def _is_of_task(annotation: AnnotationData, kind: Kind, settings: TaskSettings) -> bool:
    if kind is Kind.ENTITY:
        return annotation.shape in (Shape.MENTION, Shape.ENTITY) and any(True for _ in annotation.iter_entity_ids())
    if annotation.kind is not kind:
        return False
    if kind is not Kind.LABEL or settings.label_set is None:
        return True
    return fold_type_spelling(annotation.type) == fold_type_spelling(settings.label_set.name)


def _read_label_table(stream: BinaryIO, source: str, name: str, role: OpenFileRole, rules: RunRules) -> OpenTaskFile:
    """Tab-separated labels; lines in no known format are read as such, so that their faults are reported."""
    if role == "gold":
        table = read_tsv_gold(stream, LABEL_TASK, source)
    else:
        table = read_tsv_run(stream, LABEL_TASK, source, rules=rules)
    found = list(_iter_labels(table, name))
    note = f"tab-separated values; labels: {len(found):,}"
    return OpenTaskFile(source, list(table.article.names), found, ResultFormat.TSV, note, table.warnings)


def _iter_labels(table: ResultTable, name: str) -> Iterable[TextAnnotation]:
    values = table.item.names if table.item is not None else []
    codes = table.item.codes.tolist() if table.item is not None else []
    confidences = [None] * len(table) if table.confidence is None else table.confidence.tolist()
    rows = zip(table.article.codes.tolist(), codes, confidences, strict=True)
    for line, (article, code, confidence) in enumerate(rows, 1):
        label = make_label(name, str(values[code]), confidence=confidence)
        yield TextAnnotation(table.article.names[article], line, label)


def list_entities_of_mentions(annotations: Sequence[AnnotationData]) -> list[AnnotationData]:
    """The entities of an article, also those of its mentions, in the order in which they are scored, which is their
    rank.

    An entity of two types is given twice, with the same rank.
    """
    order = map_concepts_to_confidence(annotations, TaskSettings(entity_types=(EVERY_TYPE,)))
    ranks = {curie: rank for rank, curie in enumerate(order, 1)}
    entities: dict[tuple[str, str], AnnotationData] = {}
    for annotation in annotations:
        for entity in annotation.iter_entity_ids():
            curie = str(entity.curie)
            key = (curie, fold_type_spelling(annotation.type))
            if key not in entities:
                entities[key] = make_entity(
                    entity,
                    annotation.type,
                    taxon=annotation.taxon,
                    text=annotation.text,
                    confidence=order[curie],
                    rank=ranks[curie],
                )
    return sorted(entities.values(), key=lambda entity: entity.rank or 0)
