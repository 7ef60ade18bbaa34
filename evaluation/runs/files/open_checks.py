"""Check that a run or a gold standard of a task with settings fits its articles, and convert it for storage.

Positions are checked against the texts of the articles (R721, R722), names, lengths, arguments and qualifiers by the
rules for the annotations of servers, and roles and labels by what the task declares (R724, R725).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import annotations.annotation_rules  # noqa: F401 - registers the rules
from annotations.articles.text_parts import is_text_of_parts, join_text_of_parts
from annotations.entity_types import fold_type_spelling
from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.errors import FormatError, RefusedFileError, quote_file_text
from annotations.results.misplaced_mentions import IndexedText, PositionClaims
from annotations.rule_registry import ANNOTATION_RULES, LocatedFault, RuleContext
from annotations.schema import KIND_LABELS, AnnotationData, Kind, Span
from evaluation.measures.task_settings import LabelSet, TaskSettings
from evaluation.runs.files.carried_texts import CarriedTexts
from evaluation.runs.files.mention_reader import (
    FIX_OFFSETS,
    MAX_MISMATCH_SHARE,
    MAX_REPORTED_MISMATCHES,
    is_text_at_span,
)
from evaluation.runs.files.open_files import OpenTaskFile, list_entities_of_mentions
from evaluation.runs.files.text_annotations import TextAnnotation

# What breaks one of these cannot be stored.
STORAGE_RULES = ("R106", "R108", "R109", "R117", "R119", "R125", "R126", "R127", "R129", "R130")
# The form of identifiers and the values of qualifiers: scores count what breaks them anyway, with a warning.
WARNED_RULES = ("R118", "R131")


@dataclass(frozen=True, slots=True)
class LocatedAnnotations:
    """{key of the article: its annotations}, also of articles that the file names without any; and warnings.

    moved: {key of the article: number of annotations that could not be moved}, for articles with a slightly different
    text in the file; not_movable: these annotations (R726).
    """

    by_article: Mapping[int, Sequence[AnnotationData]]
    warnings: Sequence[FormatError]
    moved: Mapping[int, int] = field(default_factory=dict)
    not_movable: Sequence[FormatError] = ()


def locate_annotations_or_refuse_file(
    file: OpenTaskFile,
    kind: Kind,
    settings: TaskSettings,
    article_by_name: Mapping[str, int],
    text_by_article: Mapping[int, str] | None,
) -> LocatedAnnotations:
    """The annotations of the articles of a phase; those of other articles are dropped.

    article_by_name: {name in the file: key of the article}; text_by_article: {key: text}, None if the texts are not
    known. RefusedFileError with every fault.
    """
    placement = _Placement(file, kind, settings, text_by_article)
    found: dict[int, list[AnnotationData]] = {
        article_by_name[name]: [] for name in file.documents if name in article_by_name
    }
    for each in file.annotations:
        article = article_by_name.get(each.document)
        if article is not None and (placed := placement.locate(each, article)) is not None:
            found[article].append(placed)
    placement.check_several_labels(found, article_by_name)
    warnings = placement.list_warnings_or_refuse_file()
    distinct = {article: list(dict.fromkeys(placed)) for article, placed in found.items()}
    if kind is Kind.ENTITY:
        distinct = {article: list_entities_of_mentions(placed) for article, placed in distinct.items()}
    if placement.carried is None:
        return LocatedAnnotations(distinct, warnings)
    return LocatedAnnotations(distinct, warnings, placement.carried.moved, placement.carried.not_movable.list_faults())


def check_results_per_article(
    source: str,
    kind: Kind,
    annotations_by_article: Mapping[int, Sequence[AnnotationData]],
    article_by_name: Mapping[str, int],
    cap: int | None,
) -> None:
    """R714: no article has more results than the phase accepts. RefusedFileError with all faults."""
    faults = PositionedFaults(source)
    for name, article in article_by_name.items():
        number = len(annotations_by_article.get(article, ()))
        if cap is not None and number > cap:
            results = f"{number:,} {KIND_LABELS[kind].lower()}, more than the {cap:,} that the phase accepts"
            faults.add("R714", 0, 0, f"article {quote_file_text(name)} has {results} - leave out the least certain")
    if faults:
        raise RefusedFileError(faults.list_faults())


class _Placement:
    """Places annotations in the texts of their articles, and collects what is wrong with them."""

    def __init__(
        self, file: OpenTaskFile, kind: Kind, settings: TaskSettings, text_by_article: Mapping[int, str] | None
    ) -> None:
        self.file, self.kind, self.settings = file, kind, settings
        self.carried = None if text_by_article is None else CarriedTexts(file.source, file.texts, text_by_article)
        self.faults = PositionedFaults(file.source)
        self.mismatches = PositionedFaults(file.source, MAX_REPORTED_MISMATCHES)
        self.warnings = PositionedFaults(file.source, MAX_REPORTED_MISMATCHES)
        self.contexts: dict[str, RuleContext] = {}
        self.number_of_places = 0
        self.roles = frozenset(map(fold_type_spelling, settings.roles))

    def locate(self, found: TextAnnotation, article: int) -> AnnotationData | None:
        """The annotation with the text at its position in the article; None if it has a fault, or no such place."""
        text = (
            None if self.carried is None else self.carried.get_annotated_text(found.annotation, found.document, article)
        )
        annotation: AnnotationData | None = found.annotation
        if text is not None:
            annotation = self.locate_in_text(found, text)
        if annotation is None or not self.check_declarations(found) or not self.check_rules(found, annotation, text):
            return None
        # Entities of an article have no positions, so their mentions may be anywhere.
        if self.carried is None or self.kind is Kind.ENTITY:
            return annotation
        place = (found.line, min(found.line, 1))
        return self.carried.move_annotation(annotation, found.document, article, place)

    def locate_in_text(self, found: TextAnnotation, text: str) -> AnnotationData | None:
        annotation = found.annotation
        if annotation.parts:
            if not self.check_position(found, annotation.parts, annotation.text, text):
                return None
            annotation = replace(annotation, text=join_text_of_parts(annotation.parts, text))
        if annotation.relation is None:
            return annotation
        arguments = []
        for argument in annotation.arguments:
            if not argument.spans:
                arguments.append(argument)
                continue
            if not self.check_position(found, argument.spans, argument.text, text):
                return None
            arguments.append(replace(argument, text=join_text_of_parts(argument.spans, text)))
        return replace(annotation, relation=replace(annotation.relation, arguments=tuple(arguments)))

    def check_position(self, found: TextAnnotation, parts: Sequence[Span], mention: str, text: str) -> bool:
        """Whether the parts lie in the text (R721); another text there is noted (R722)."""
        name, end = quote_file_text(found.document), parts[-1].end
        if end > len(text):
            problem = f"the mention {quote_file_text(mention)} of {name} ends at {end}, beyond the end of the text"
            self.faults.add("R721", found.line, min(found.line, 1), f"{problem} - {FIX_OFFSETS}")
            return False
        self.number_of_places += 1
        covered = text[parts[0].start : end]
        if not is_text_of_parts(mention, parts, text) and not is_text_at_span(mention, covered):
            problem = f"in {name} the text at these offsets is {quote_file_text(covered)}, not"
            message = f"{problem} {quote_file_text(mention)} - {FIX_OFFSETS}"
            self.mismatches.add("R722", found.line, min(found.line, 1), message)
        return True

    def check_declarations(self, found: TextAnnotation) -> bool:
        """Whether the label is one of the task (R724), and the roles of a relation are (R725)."""
        annotation, label_set = found.annotation, self.settings.label_set
        place = (found.line, min(found.line, 1))
        if annotation.kind is Kind.LABEL and label_set and label_set.values and annotation.text not in label_set.values:
            known = ", ".join(map(quote_file_text, label_set.values[:20]))
            problem = f"{_name_article(found)}{quote_file_text(annotation.text)} is not a label of the task"
            self.faults.add("R724", *place, f"{problem} - write one of {known}")
            return False
        for argument in annotation.arguments if self.roles else ():
            if fold_type_spelling(argument.role) not in self.roles:
                known = ", ".join(map(quote_file_text, self.settings.roles[:20]))
                problem = f"{_name_article(found)}{quote_file_text(argument.role)} is not a role of the task"
                self.faults.add("R725", *place, f"{problem} - write one of {known}")
                return False
        return True

    def check_rules(self, found: TextAnnotation, annotation: AnnotationData, text: str | None) -> bool:
        """Whether the annotation keeps STORAGE_RULES; what breaks WARNED_RULES is noted."""
        context = self.make_context(text)
        for code in (*STORAGE_RULES, *WARNED_RULES):
            rule = ANNOTATION_RULES[code]
            if annotation.kind not in rule.kinds or (text is None and code in ("R126", "R129")):
                continue
            for _, fault in rule.find_faults([(0, annotation)], context):
                message = fault.message if isinstance(fault, LocatedFault) else fault
                faults = self.warnings if code in WARNED_RULES else self.faults
                hint = rule.hint[:1].lower() + rule.hint[1:]
                full = f"{_name_article(found)}{message.rstrip('.')} - {hint.rstrip('.')}"
                faults.add(code, found.line, min(found.line, 1), full)
                if code not in WARNED_RULES:
                    return False
        return True

    def make_context(self, text: str | None) -> RuleContext:
        """What the rules need; made once for the annotations of an article, which follow each other."""
        key = text or ""
        if key not in self.contexts:
            self.contexts = {key: RuleContext(PositionClaims(IndexedText(key, 0), []), None, types_count=True)}
        return self.contexts[key]

    def check_several_labels(
        self, found: Mapping[int, Sequence[AnnotationData]], article_by_name: Mapping[str, int]
    ) -> None:
        """R724: where an article has one label at most, none has more."""
        label_set = self.settings.label_set
        if label_set is None or label_set.several:
            return
        for name in self.file.documents:
            labels = {each.text for each in found.get(article_by_name.get(name, 0), ())}
            if len(labels) > 1:
                self.faults.add("R724", 0, 0, _format_several_labels_fault(name, len(labels), label_set))

    def list_warnings_or_refuse_file(self) -> list[FormatError]:
        is_other_text = self.mismatches.counts["R722"] > MAX_MISMATCH_SHARE * self.number_of_places
        faults = [*self.faults.list_faults(), *(self.mismatches.list_faults() if is_other_text else [])]
        if faults:
            raise RefusedFileError(faults)
        return [*self.mismatches.list_faults(), *self.warnings.list_faults()]


def _name_article(found: TextAnnotation) -> str:
    return "" if found.line else f"article {quote_file_text(found.document)}: "


def _format_several_labels_fault(name: str, number: int, label_set: LabelSet) -> str:
    problem = f"article {quote_file_text(name)} has {number} labels of {label_set.name}"
    return f"{problem}, of which an article has one - keep one of them"
