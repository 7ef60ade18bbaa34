"""What of the annotations in a file was kept, what was mapped to a known type or database, and what was left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotations.entity_types import normalize_entity_type
from annotations.formats.annotated_text.left_out import LEFT_OUT, LeftOutCounts, format_file_place
from annotations.formats.annotated_text.open_annotations import (
    MalformedIdentifier,
    OddQualifier,
    OpenContent,
    build_open_content,
)
from annotations.formats.articles.parsed_article import ParsedArticle
from annotations.formats.errors import quote_file_text
from annotations.identifiers.namespaces import namespace_title_or_raw_name
from annotations.schema import AnnotationData, Kind

PARTS_BY_KIND = {
    Kind.MENTION: "mentions",
    Kind.ENTITY: "entities",
    Kind.PAIR: "pairs",
    Kind.PASSAGE: "passages",
    Kind.RELATION: "relations",
    Kind.LABEL: "labels",
    Kind.CLASSIFICATION: "labels",
}
PARTS = ("mentions", "identifiers", "relations", "pairs", "passages", "entities", "labels")
MOST_TYPES_LISTED = 20
# The rule about the form of identifiers in answers.
MALFORMED_RULE = "R118"
# The rule about the values of qualifiers in answers.
QUALIFIER_RULE = "R131"


@dataclass(slots=True)
class ContentReport:
    """Numbers of annotations in the articles of a file.

    kept: by part, one of PARTS. types: of mentions, by the type as in the file and the name of the known type, or the
    same text again. databases: of identifiers, "" where none is known. malformed: of identifiers that do not have the
    form of their database; first_malformed: the first of each database. odd_qualifiers: of qualifiers with a value that
    they do not have, by name; first_odd: the first of each.
    """

    kept: Counter[str] = field(default_factory=Counter)
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    databases: Counter[str] = field(default_factory=Counter)
    left_out: LeftOutCounts = field(default_factory=LeftOutCounts)
    malformed: Counter[str] = field(default_factory=Counter)
    first_malformed: dict[str, MalformedIdentifier] = field(default_factory=dict)
    odd_qualifiers: Counter[str] = field(default_factory=Counter)
    first_odd: dict[str, OddQualifier] = field(default_factory=dict)

    def add_content(self, content: OpenContent) -> None:
        for annotations in content.annotations.values():
            self.add_annotations(annotations)
        self.left_out.add(content.left_out)
        for each in content.malformed:
            self.malformed[each.entity.database] += 1
            self.first_malformed.setdefault(each.entity.database, each)
        for odd in content.odd_qualifiers:
            self.odd_qualifiers[odd.name] += 1
            self.first_odd.setdefault(odd.name, odd)

    def add_annotations(self, annotations: Iterable[AnnotationData]) -> None:
        for annotation in annotations:
            if part := PARTS_BY_KIND.get(annotation.kind):
                self.kept[part] += 1
            if annotation.kind is Kind.MENTION:
                self.types[annotation.type, normalize_entity_type(annotation.type)] += 1
                for database, _ in annotation.identifiers:
                    self.kept["identifiers"] += 1
                    self.databases[database] += 1

    def iter_lines(self) -> Iterator[str]:
        """The report as sentences."""
        if self.kept:
            yield f"Kept: {self.format_kept()}."
        types = Counter({f"{given} as {name}": number for (given, name), number in self.types.items() if given != name})
        if types:
            yield f"Types: {_format_counts(types)}."
        if self.databases:
            titles = {
                name: namespace_title_or_raw_name(name) if name else "no known database" for name in self.databases
            }
            yield f"Databases: {_format_counts(Counter({titles[n]: c for n, c in self.databases.items()}))}."
        for database, number in self.malformed.most_common():
            yield f"Malformed ({MALFORMED_RULE}): {_format_malformed(self.first_malformed[database], number)}."
        for name, number in self.odd_qualifiers.most_common():
            yield f"Qualifiers ({QUALIFIER_RULE}): {_format_odd_qualifiers(self.first_odd[name], number)}."
        for _, text in self.left_out.iter_lines():
            yield f"Left out ({LEFT_OUT}): {text}."

    def format_kept(self) -> str:
        return ", ".join(f"{part} {self.kept[part]:,}" for part in PARTS if self.kept[part])


def build_content_report(articles: Iterable[ParsedArticle]) -> ContentReport:
    """What is kept and left out of the annotations of all articles of a file."""
    report = ContentReport()
    for article in articles:
        report.add_content(build_open_content(article))
    return report


def _format_malformed(first: MalformedIdentifier, number: int) -> str:
    database, identifier = first.entity
    place = f"{quote_file_text(identifier)} in {format_file_place(first.line, first.document)}"
    refusal = f"that {namespace_title_or_raw_name(database)} does not have in this form"
    if number == 1:
        return f"1 identifier {refusal} is kept ({place}) - correct it in the file"
    return f"{number:,} identifiers {refusal} are kept (first {place}) - correct them in the file"


def _format_odd_qualifiers(first: OddQualifier, number: int) -> str:
    place = format_file_place(first.line, first.document)
    kept = "1 value is kept" if number == 1 else f"{number:,} values of {first.name} are kept; the first"
    explanation = first.explanation.rstrip(".")
    return f"{kept} in {place}: {explanation} - correct {'it' if number == 1 else 'them'} in the file"


def _format_counts(counts: Mapping[str, int]) -> str:
    """`3,112 GeneOrGeneProduct as Gene, 4 more`, the most frequent first."""
    ordered = Counter(counts).most_common()
    listed = [f"{number:,} {name}" for name, number in ordered[:MOST_TYPES_LISTED]]
    remaining = len(ordered) - len(listed)
    return ", ".join([*listed, f"and {remaining:,} more"] if remaining else listed)
