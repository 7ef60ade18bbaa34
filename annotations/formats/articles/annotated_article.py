"""An article with the annotations of all producers, as every export format writes it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields

from annotations.formats.articles.open_members import build_nonempty_open_members
from annotations.formats.articles.parsed_article import ArticleIds, TextPassage
from annotations.identifiers.curies import list_reported_identifiers
from annotations.schema import FLAT_ANNOTATION_FIELDS, AnnotationData, Kind


@dataclass(frozen=True, slots=True)
class UpdatedAnnotation(AnnotationData):
    """An annotation with current identifiers.

    reported: the identifiers that the producer gave, separated by spaces: both of a pair; as CURIEs, the links of a
    mention, and those of all arguments of a relation.
    """

    reported: str = ""


EXPORTED_ANNOTATION_FIELDS = (*FLAT_ANNOTATION_FIELDS, "reported")


def attach_reported_identifiers_if_updated(
    updated_annotation: AnnotationData, reported_annotation: AnnotationData
) -> AnnotationData:
    """The annotation with current identifiers, together with the reported identifiers if they differ."""
    if updated_annotation is reported_annotation:
        return reported_annotation
    values = {each.name: getattr(updated_annotation, each.name) for each in fields(AnnotationData)}
    return UpdatedAnnotation(**values, reported=" ".join(list_reported_identifiers(reported_annotation)))


@dataclass(frozen=True, slots=True)
class ExportedProducer:
    """The producer of a result.

    producer_kind: server, author, gold, ...; server: the slug of an annotation server, empty for other producers;
    stated_version: the version of its system at that time, empty if not stated.
    """

    name: str
    producer_kind: str
    server: str = ""
    stated_version: str = ""

    def export_fields(self) -> dict[str, str]:
        """The fields written beside each annotation, by the names in PRODUCER_FIELDS; unknown values are empty."""
        return {
            "producer": self.name,
            "sort": self.producer_kind,
            "server": self.server,
            "stated_version": self.stated_version,
        }


PRODUCER_FIELDS = tuple(ExportedProducer("", "").export_fields())


@dataclass(frozen=True, slots=True)
class ProducerResult:
    """The annotations of one kind that one producer gave an article; empty if it looked for them and found none."""

    producer: ExportedProducer
    kind: Kind
    annotations: Sequence[AnnotationData]


@dataclass(frozen=True, slots=True)
class Interactor:
    """What the database of a pair's identifier says about it; empty or None if unknown. taxon: NCBI Taxonomy."""

    symbol: str = ""
    name: str = ""
    taxon: int | None = None


@dataclass(frozen=True, slots=True)
class AnnotatedArticle:
    """An article to export. id: its ID on the site; positions of annotations count code points of `text`.

    interactors: of the identifiers in its pairs, by (database, identifier).
    """

    id: str
    ids: ArticleIds
    passages: Sequence[TextPassage]
    text_version: int = 1
    journal: str = ""
    year: int | None = None
    authors: Sequence[str] = ()
    results: Sequence[ProducerResult] = ()
    interactors: Mapping[tuple[str, str], Interactor] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The canonical text: passages joined by one newline."""
        return "\n".join(passage.text for passage in self.passages)

    def iter_passage_offsets(self) -> Iterator[tuple[int, TextPassage]]:
        """Each passage with its start in the text, in code points."""
        start = 0
        for passage in self.passages:
            yield start, passage
            start += len(passage.text) + 1

    def iter_annotations(self, *kinds: Kind) -> Iterator[tuple[ExportedProducer, AnnotationData]]:
        """The annotations of these kinds with their producers, result by result."""
        for result in self.results:
            if result.kind in kinds:
                for annotation in result.annotations:
                    yield result.producer, annotation

    def find_only_class(self) -> bool | None:
        """Whether the article is relevant, if exactly one classification says so; None otherwise."""
        classes = [annotation.relevant for _, annotation in self.iter_annotations(Kind.CLASSIFICATION)]
        return classes[0] if len(classes) == 1 else None


def build_nonempty_export_fields(annotation: AnnotationData) -> Mapping[str, str | int | float | bool]:
    """The fields of an annotation by name, without empty ones."""
    values = ((name, getattr(annotation, name, None)) for name in EXPORTED_ANNOTATION_FIELDS)
    return {name: value for name, value in values if value is not None and value != ""}


def build_nonempty_export_members(annotation: AnnotationData) -> Mapping[str, object]:
    """The fields of an annotation and its open members by name, without empty ones."""
    return {**build_nonempty_export_fields(annotation), **build_nonempty_open_members(annotation)}


def format_field_value_with_yes_no(value: str | int | float | bool) -> str:
    """A value as text: yes or no for a truth value, the shortest digits that give the same number for a number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


ANNOTATION_COLUMNS = ("article", "text_version", *PRODUCER_FIELDS, "kind", *EXPORTED_ANNOTATION_FIELDS)


def iter_annotations_with_flat_nonempty_fields(
    article: AnnotatedArticle,
) -> Iterator[tuple[AnnotationData, Mapping[str, str | int | float | bool]]]:
    """Each annotation with its values by the names in ANNOTATION_COLUMNS, without empty ones."""
    article_fields: dict[str, str | int | float | bool] = {"article": article.id, "text_version": article.text_version}
    for result in article.results:
        result_fields = {**article_fields, **result.producer.export_fields(), "kind": result.kind.value}
        for annotation in result.annotations:
            yield annotation, {**result_fields, **build_nonempty_export_fields(annotation)}
