"""What of the annotations in a file was kept, what was mapped to a known type or database, and what was left out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotations.entity_types import normalize_entity_type
from annotations.formats.annotated_text.left_out import LeftOutCounts
from annotations.formats.annotated_text.open_annotations import build_open_content
from annotations.formats.articles.parsed_article import ParsedArticle
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


@dataclass(slots=True)
class ContentReport:
    """Numbers of annotations in the articles of a file.

    kept: by part, one of PARTS. types: of mentions, by the type as in the file and the name of the known type, or the
    same text again. databases: of identifiers, "" where none is known.
    """

    kept: Counter[str] = field(default_factory=Counter)
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    databases: Counter[str] = field(default_factory=Counter)
    left_out: LeftOutCounts = field(default_factory=LeftOutCounts)

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
        for _, text in self.left_out.iter_lines():
            yield f"Left out: {text}."

    def format_kept(self) -> str:
        return ", ".join(f"{part} {self.kept[part]:,}" for part in PARTS if self.kept[part])


def build_content_report(articles: Iterable[ParsedArticle]) -> ContentReport:
    """What is kept and left out of the annotations of all articles of a file."""
    report = ContentReport()
    for article in articles:
        content = build_open_content(article)
        for annotations in content.annotations.values():
            report.add_annotations(annotations)
        report.left_out.add(content.left_out)
    return report


def _format_counts(counts: Mapping[str, int]) -> str:
    """`3,112 GeneOrGeneProduct as Gene, 4 more`, the most frequent first."""
    ordered = Counter(counts).most_common()
    listed = [f"{number:,} {name}" for name, number in ordered[:MOST_TYPES_LISTED]]
    remaining = len(ordered) - len(listed)
    return ", ".join([*listed, f"and {remaining:,} more"] if remaining else listed)
