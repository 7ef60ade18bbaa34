"""What producers say of the articles of a corpus, side by side, so that they can be compared."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, F, Max, QuerySet, Sum

from annotations.kinds import Finding, Kind
from annotations.models import Annotation, Corpus, Producer, Result
from evaluation.labelling.models import Label

FIELDS = ("start", "end", "text", "database", "identifier", "partner", "relevant")
RELEVANT = "relevant"
# A curator's superseded labels are slips that were mended, and a gold standard's another edition.
NOT_ASKED_TWICE = (Producer.Sort.CURATOR, Producer.Sort.GOLD)
# {article: items}, of one producer. Of a classification the item is RELEVANT, or there is none; an article without a
# class is not there.
Items = Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A producer that has current Results of a kind in a corpus, and of how many articles."""

    id: int
    name: str
    sort: str
    kind: Kind
    articles: int


def candidates_in(corpus: Corpus, seen: QuerySet[Producer]) -> list[Candidate]:
    """By kind and name: one query."""
    rows = Result.objects.filter(superseded__isnull=True, article__corpora=corpus, producer__in=seen)
    counted = rows.values_list("producer", "producer__name", "producer__sort", "kind").annotate(Count("pk"))
    found = [Candidate(pk, name, sort, Kind(kind), number) for pk, name, sort, kind, number in counted]
    return sorted(found, key=lambda own: (list(Kind).index(own.kind), own.sort == "gold", own.name, own.id))


def answers_in(corpus: Corpus, kind: Kind, producers: Collection[int]) -> dict[int, Items]:
    """The current Results of these producers by article: two queries."""
    return items_of(results_in(corpus, kind, producers).filter(superseded__isnull=True), kind, producers)


def earlier_answers(corpus: Corpus, kind: Kind, producers: Collection[int]) -> dict[int, Items]:
    """What producers that answered twice said the time before, of the same text: three queries. Of a curator the second
    reading stands for it."""
    before = results_in(corpus, kind, producers).filter(
        superseded__isnull=False, text_version=F("article__text_version")
    )
    last = before.exclude(producer__sort__in=NOT_ASKED_TWICE).order_by("producer", "article", "-pk")
    found = items_of(last.distinct("producer", "article"), kind, producers)
    if kind == Kind.CLASSIFICATION:
        found |= second_readings(corpus, producers)
    return {producer: items for producer, items in found.items() if items}


def second_readings(corpus: Corpus, producers: Collection[int]) -> dict[int, Items]:
    rows = Label.objects.filter(
        labeller__producer__in=producers, article__corpora=corpus, again=True, superseded__isnull=True
    )
    found: dict[int, dict[int, frozenset[str]]] = {}
    for producer, article, relevant in rows.filter(relevant__isnull=False).values_list(
        "labeller__producer", "article", "relevant"
    ):
        found.setdefault(producer, {})[article] = called(bool(relevant))
    return dict(found)


def called(relevant: bool) -> frozenset[str]:
    return frozenset([RELEVANT] if relevant else [])


def state_of(corpus: Corpus, kind: Kind, producers: Collection[int]) -> object:
    """Another one whenever these producers say something else of the articles of the corpus: two queries."""
    said = results_in(corpus, kind, producers).values_list("producer", "producer__renewed").order_by("producer")
    counted = said.annotate(Count("pk"), Max("pk"), Count("superseded"), Sum("article"))
    labels = Label.objects.filter(labeller__producer__in=producers, article__corpora=corpus)
    return list(counted), labels.aggregate(Count("pk"), Max("pk"), Max("superseded"))


def results_in(corpus: Corpus, kind: Kind, producers: Collection[int]) -> QuerySet[Result]:
    rows = Result.objects.filter(producer__in=producers, kind=kind, article__corpora=corpus)
    # Places mean something in the text that they were found in alone.
    return rows.filter(text_version=F("article__text_version")) if kind == Kind.MENTION else rows


def items_of(results: QuerySet[Result], kind: Kind, producers: Collection[int]) -> dict[int, Items]:
    whose = {pk: (producer, article) for pk, producer, article in results.values_list("pk", "producer", "article")}
    said: dict[int, set[str]] = {pk: set() for pk in whose}
    no_class = set(whose) if kind == Kind.CLASSIFICATION else set()
    rows = Annotation.objects.filter(result__in=list(whose)).values_list("result", *FIELDS)
    known: dict[tuple[object, ...], Iterable[str]] = {}
    for result, *fields in rows.iterator(chunk_size=10_000):
        no_class.discard(result)
        one = tuple(fields)
        if one not in known:
            known[one] = words_of(Finding(kind, **dict(zip(FIELDS, fields, strict=True))))
        said[result].update(known[one])
    found: dict[int, dict[int, frozenset[str]]] = {producer: {} for producer in producers}
    for result, items in said.items():
        if result not in no_class:
            producer, article = whose[result]
            found[producer][article] = frozenset(items)
    return dict(found)


def words_of(finding: Finding) -> Iterable[str]:
    """What is said, as the text that is compared: a place, an identifier with its database, a pair in either order."""
    if finding.kind == Kind.CLASSIFICATION:
        return called(bool(finding.relevant))
    return [":".join(map(str, finding.key))]


def answered_by_all(answers: Iterable[Items]) -> list[int]:
    """The articles that each of them has an answer for, an empty one too."""
    first, *rest = answers
    return [article for article in first if all(article in own for own in rest)]
