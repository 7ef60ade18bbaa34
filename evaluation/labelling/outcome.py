"""What came of a labelling: labels and pace of each curator, how far they agree, where they differ, what is right."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from statistics import median

from annotations.models import Article
from evaluation.labelling.models import Label, Labeller, Labelling, Ruling
from evaluation.measures.agreement import Agreement, defined, fleiss_kappa, label_agreement

Labels = Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Times:
    """Of all readings of a curator: the median of seconds and all hours; capped: readings that took longer than is
    measured."""

    median: float | None
    hours: float
    capped: int


@dataclass(frozen=True, slots=True)
class CuratorOutcome:
    """labels by article; itself: how far the second readings agree with the first, None before any."""

    labeller: Labeller
    labels: Labels
    skipped: int
    times: Times
    itself: Agreement | None

    @property
    def relevant(self) -> int:
        return sum(self.labels.values())


@dataclass(frozen=True, slots=True)
class Pair:
    first: CuratorOutcome
    second: CuratorOutcome
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Conflict:
    """An article of which curators differ: who says yes, who no, and what was ruled."""

    article: str
    yes: Sequence[str]
    no: Sequence[str]
    ruling: bool | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """names: what each article is called, in the order of the corpus; fleiss: kappa of more than two curators, over
    the articles that all labelled; classes: what is right of the articles that are decided."""

    names: Mapping[str, str]
    curators: Sequence[CuratorOutcome]
    pairs: Sequence[Pair]
    fleiss: float | None
    conflicts: Sequence[Conflict]
    classes: Labels

    @property
    def open_conflicts(self) -> int:
        return sum(conflict.ruling is None for conflict in self.conflicts)

    @property
    def unlabelled(self) -> int:
        return len(self.names) - len(self.classes) - self.open_conflicts

    @property
    def complete(self) -> bool:
        return bool(self.names) and len(self.classes) == len(self.names)

    @property
    def labelled_once(self) -> int:
        """How many decided articles rest on one curator alone."""
        return sum(sum(article in own.labels for own in self.curators) == 1 for article in self.classes)


def outcome_of(labelling: Labelling) -> Outcome:
    """Four queries. Articles are known by their opaque ids."""
    names = names_of(labelling)
    curators = curators_of(labelling)
    rulings = dict(
        Ruling.objects.filter(labelling=labelling, superseded__isnull=True).values_list("article__opaque", "relevant")
    )
    said = [own.labels for own in curators]
    conflicts = [conflict_of(own, curators, rulings) for own in names if differ(own, said)]
    return Outcome(
        names,
        curators,
        [Pair(a, b, label_agreement(a.labels, b.labels)) for a, b in combinations(curators, 2)],
        fleiss_of(said),
        conflicts,
        classes_of(names, said, conflicts),
    )


def names_of(labelling: Labelling) -> dict[str, str]:
    """By opaque id: the PMID or DOI, in a blind corpus the opaque id itself."""
    rows = Article.objects.filter(corpora=labelling.corpus_id).order_by("corpusarticle__position")
    blind = labelling.corpus.blind
    return {
        opaque: opaque if blind else str(pmid or doi or opaque)
        for opaque, pmid, doi in rows.values_list("opaque", "pmid", "doi")
    }


def curators_of(labelling: Labelling) -> list[CuratorOutcome]:
    """Two queries."""
    labels: dict[int, list[Label]] = defaultdict(list)
    rows = Label.objects.filter(labeller__labelling=labelling, superseded__isnull=True).order_by("pk")
    for label in rows.select_related("article").defer("article__passages", "article__text", "article__metadata"):
        labels[label.labeller_id].append(label)
    labellers = Labeller.objects.filter(labelling=labelling).select_related("user", "producer").order_by("pk")
    return [curator_of(own, labels[own.pk]) for own in labellers]


def curator_of(labeller: Labeller, labels: Sequence[Label]) -> CuratorOutcome:
    first = {own.article.opaque: own.relevant for own in labels if not own.again and own.relevant is not None}
    second = {own.article.opaque: own.relevant for own in labels if own.again and own.relevant is not None}
    skipped = sum(own.relevant is None for own in labels if not own.again)
    itself = label_agreement(first, second) if second else None
    return CuratorOutcome(labeller, first, skipped, times_of(labels), itself)


def times_of(labels: Sequence[Label]) -> Times:
    seconds = [own.seconds for own in labels]
    measured = [own.seconds for own in labels if not own.capped]
    return Times(median(measured) if measured else None, sum(seconds) / 3600, len(seconds) - len(measured))


def differ(article: str, said: Sequence[Labels]) -> bool:
    return len({own[article] for own in said if article in own}) > 1


def conflict_of(article: str, curators: Sequence[CuratorOutcome], rulings: Labels) -> Conflict:
    yes, no = (
        [str(own.labeller) for own in curators if own.labels.get(article) is relevant] for relevant in (True, False)
    )
    return Conflict(article, yes, no, rulings.get(article))


def fleiss_of(said: Sequence[Labels]) -> float | None:
    if len(said) < 3:
        return None
    shared = [[own[article] for own in said] for article in said[0] if all(article in own for own in said)]
    return defined(fleiss_kappa(shared, nan))


def classes_of(names: Mapping[str, str], said: Sequence[Labels], conflicts: Sequence[Conflict]) -> dict[str, bool]:
    """What all curators who labelled it say, and where they differ what was ruled, in the order of the corpus."""
    ruled = {conflict.article: conflict.ruling for conflict in conflicts}
    found: dict[str, bool] = {}
    for article in names:
        own = ruled[article] if article in ruled else next((each[article] for each in said if article in each), None)
        if own is not None:
            found[article] = own
    return found
