"""Reads of data sets for pages and REST, with a fixed number of queries."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import F, QuerySet

from annotations.data_sets.models import DataSet, DataSetState, Licence
from annotations.results.consensus.methods import (
    CONSENSUS_METHODS,
    DEFAULT_THRESHOLDS,
    ConsensusMethod,
    SpanMatching,
)
from annotations.results.models import Producer
from annotations.schema import KIND_LABELS, Kind
from bcms.data_sets.publication import (
    can_change_data_set,
    can_read_annotations,
    find_publication_obstacles,
    list_visible_data_sets,
)
from bcms.data_sets.recipes import list_possible_sources
from evaluation.visibility import list_visible_corpora
from servers.calls.states import QueueMode
from servers.review.decisions import can_review_servers
from servers.teams.permissions import User

LICENCE_URLS = {
    Licence.CC0: "https://creativecommons.org/publicdomain/zero/1.0/",
    Licence.CC_BY: "https://creativecommons.org/licenses/by/4.0/",
    Licence.CC_BY_SA: "https://creativecommons.org/licenses/by-sa/4.0/",
    Licence.CC_BY_NC: "https://creativecommons.org/licenses/by-nc/4.0/",
}


@dataclass(frozen=True, slots=True)
class KindSize:
    """The size of a data set in one kind: its articles, including those without an annotation, and annotations."""

    kind: Kind
    articles: int
    annotations: int

    @property
    def label(self) -> str:
        return KIND_LABELS[self.kind]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A producer that votes. server: the slug of its server if the votes are live annotations; weight: None for 1."""

    id: int
    name: str
    server: str
    weight: float | None
    cuts: Sequence[str]


@dataclass(frozen=True, slots=True)
class SourcePair:
    first: str
    second: str
    instances: int
    f1: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class SourceAgreement:
    """The agreement of sources in one kind, or of those that report one type of it, over the articles that all of them
    annotated. type: "" for all types; types: the agreement in each type that two of them report.
    """

    kind: Kind
    type: str
    articles: int
    fleiss: float | None
    pairs: Sequence[SourcePair]
    types: Sequence["SourceAgreement"] = ()

    @property
    def label(self) -> str:
        return f"{KIND_LABELS[self.kind]}: {self.type}" if self.type else KIND_LABELS[self.kind]

    @property
    def mean_f1(self) -> float | None:
        figures = [pair.f1 for pair in self.pairs if pair.f1 is not None]
        return sum(figures) / len(figures) if figures else None


@dataclass(frozen=True, slots=True)
class DataSetView:
    """A data set as one user sees it.

    readable: the user may read its annotations; sizes, agreements are empty otherwise. sources: those that the user
    sees, of which hidden_sources are not. corpus_visible: its corpus is there and the user sees it.
    """

    data_set: DataSet
    readable: bool
    may_change: bool
    may_review: bool
    sources: Sequence[SourceRow]
    hidden_sources: int
    corpus_visible: bool
    sizes: Sequence[KindSize] = ()
    agreements: Sequence[SourceAgreement] = ()
    obstacles: Sequence[str] = ()

    @property
    def agreements_with_types(self) -> list[SourceAgreement]:
        """Those of the kinds, each followed by those of its types."""
        return [own for of_kind in self.agreements for own in (of_kind, *of_kind.types)]

    @property
    def method(self) -> ConsensusMethod:
        return CONSENSUS_METHODS[self.data_set.method]

    @property
    def threshold(self) -> float | None:
        """The threshold that is in force, None if the method has none."""
        parameter = next((each for each in self.method.parameters if each in DEFAULT_THRESHOLDS), None)
        if parameter is None:
            return None
        return DEFAULT_THRESHOLDS[parameter] if self.data_set.threshold is None else self.data_set.threshold

    @property
    def overlapping(self) -> bool:
        return self.data_set.spans == SpanMatching.OVERLAPPING

    @property
    def has_cuts(self) -> bool:
        """Whether the lists of sources may be cut off before they vote."""
        return self.method.cuts_lists

    @property
    def kind_labels(self) -> list[str]:
        return [KIND_LABELS[Kind(kind)] for kind in self.data_set.kinds]

    @property
    def licence_url(self) -> str:
        return LICENCE_URLS[Licence(self.data_set.licence)]

    @property
    def has_files(self) -> bool:
        return self.readable and self.data_set.built is not None

    @property
    def version(self) -> str:
        """Changes whenever the page looks different."""
        own = self.data_set
        return f"{own.state}-{own.done}-{own.total}-{bool(own.proposed)}-{bool(own.published)}"

    @property
    def building(self) -> bool:
        return self.data_set.state == DataSetState.BUILDING


def list_data_sets_newest_first(user: User) -> QuerySet[DataSet]:
    """The data sets that the user may see, without withdrawn ones: published ones first."""
    visible = list_visible_data_sets(user).filter(withdrawn__isnull=True)
    return visible.select_related("corpus", "owner", "producer").order_by(F("published").desc(nulls_last=True), "-pk")


def build_data_set_view(data_set: DataSet, user: User) -> DataSetView:
    """What a page and REST show of a data set that the user may see; a fixed number of queries."""
    readable = can_read_annotations(user, data_set)
    may_change = can_change_data_set(user, data_set)
    sources = list(data_set.sources.select_related("queue__server").order_by("name", "pk"))
    visible = set(list_possible_sources(user).filter(data_sets=data_set).values_list("pk", flat=True))
    if readable:
        visible = {source.pk for source in sources}
    rows = [_build_source_row(data_set, source) for source in sources if source.pk in visible]
    corpus = data_set.corpus
    corpus_visible = corpus is not None and list_visible_corpora(user).filter(pk=corpus.pk).exists()
    obstacles = find_publication_obstacles(data_set) if may_change and not data_set.published else []
    names = {source.pk: source.name for source in sources}
    return DataSetView(
        data_set,
        readable,
        may_change,
        can_review_servers(user) and data_set.proposed is not None,
        rows,
        len(sources) - len(rows),
        corpus_visible,
        _list_sizes(data_set) if readable else [],
        [_build_agreement(Kind(figures["kind"]), figures, names) for figures in data_set.agreement] if readable else [],
        obstacles,
    )


def _list_sizes(data_set: DataSet) -> list[KindSize]:
    return [KindSize(Kind(kind), *data_set.sizes[kind]) for kind in data_set.kinds if kind in data_set.sizes]


def _build_source_row(data_set: DataSet, source: Producer) -> SourceRow:
    queue = getattr(source, "queue", None)
    cuts = [
        f"{KIND_LABELS[Kind(kind)]}: {criterion} {value:g}"
        for own, kind, criterion, value in data_set.cuts
        if own == source.pk
    ]
    server = queue.server.slug if queue is not None and queue.mode == QueueMode.LIVE else ""
    return SourceRow(source.pk, source.name, server, data_set.weights.get(str(source.pk)), cuts)


def _build_agreement(kind: Kind, figures: dict[str, Any], names: dict[int, str]) -> SourceAgreement:
    """figures: as DataSet.agreement has them for a kind; data sets that were built before have no types."""
    pairs = [
        SourcePair(names.get(first, ""), names.get(second, ""), pair["instances"], pair["f1"], pair["kappa"])
        for pair in figures["pairs"]
        for first, second in [pair["sources"]]
    ]
    types = [_build_agreement(kind, own, names) for own in figures.get("types", ())]
    return SourceAgreement(kind, figures.get("type", ""), figures["articles"], figures["fleiss"], pairs, types)
