"""An article with what everybody says of it, as it is written to files of any format."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

from annotations.formats.pubmed import Passage
from annotations.formats.read_article import Name
from annotations.kinds import Finding, Kind


@dataclass(frozen=True, slots=True)
class Renewed(Finding):
    """A finding under the identifiers of today; reported: those that the producer gave, of a pair both, a blank
    between."""

    reported: str = ""


SAID = tuple(field.name for field in fields(Renewed) if field.name != "kind")


def renewed(today: Finding, given: Finding) -> Finding:
    """The finding of today with the identifiers that it was given with, where they are others."""
    if today is given:
        return given
    values = {field.name: getattr(today, field.name) for field in fields(Finding)}
    return Renewed(**values, reported=" ".join(filter(None, (given.identifier, given.partner))))


@dataclass(frozen=True, slots=True)
class NamedProducer:
    """Who says it. sort: server, author, gold, ...; server: the slug of an annotation server, empty for others;
    stated_version: of its system then, empty when nobody stated it."""

    name: str
    sort: str
    server: str = ""
    stated_version: str = ""

    def told(self) -> dict[str, str]:
        """As it is told beside each thing that it says, by the names of BY; what is not known is empty."""
        own = {"producer": self.name, "sort": self.sort, "server": self.server}
        return {**own, "stated_version": self.stated_version}


BY = tuple(NamedProducer("", "").told())


@dataclass(frozen=True, slots=True)
class Statement:
    """What one producer says of an article in one kind; no findings say something too."""

    producer: NamedProducer
    kind: Kind
    findings: Sequence[Finding]


@dataclass(frozen=True, slots=True)
class AnnotatedArticle:
    """id is how the site calls it; positions of findings count code points of `text`, as everywhere."""

    id: str
    name: Name
    passages: Sequence[Passage]
    text_version: int = 1
    journal: str = ""
    year: int | None = None
    authors: Sequence[str] = ()
    statements: Sequence[Statement] = ()

    @property
    def text(self) -> str:
        """The canonical text: passages joined by one newline."""
        return "\n".join(passage.text for passage in self.passages)

    def placed(self) -> Iterator[tuple[int, Passage]]:
        """Each passage with where it starts, in code points."""
        start = 0
        for passage in self.passages:
            yield start, passage
            start += len(passage.text) + 1

    def of_kind(self, *kinds: Kind) -> Iterator[tuple[NamedProducer, Finding]]:
        """The findings of these kinds with who says them, statement by statement."""
        for statement in self.statements:
            if statement.kind in kinds:
                for finding in statement.findings:
                    yield statement.producer, finding

    def only_class(self) -> bool | None:
        """Whether the article is relevant, if just one producer says so or not; None otherwise."""
        said = [finding.relevant for _, finding in self.of_kind(Kind.CLASSIFICATION)]
        return said[0] if len(said) == 1 else None


def said_in(finding: Finding) -> Mapping[str, str | int | float | bool]:
    """What a finding says by the names of its fields, without those that it leaves empty."""
    values = ((name, getattr(finding, name, None)) for name in SAID)
    return {name: value for name, value in values if value is not None and value != ""}


def words_of(value: str | int | float | bool) -> str:
    """A value as formats write it that know text only: yes and no, and the shortest digits that give the number."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)
