"""Build the consensus of a data set for some of its articles, and store it as Results of its producer."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from annotations.articles.models import Article
from annotations.articles.versions import raise_article_versions
from annotations.data_sets.changes import ArticleState, load_article_states
from annotations.data_sets.models import DataSet, DataSetArticle, DataSetState
from annotations.identifiers.entries import NamedEntry
from annotations.identifiers.name_links import replace_outdated_identifiers
from annotations.identifiers.queries import add_stored_or_copied_successor_entries, find_named_entries
from annotations.results.bulk_storage import supersede_results_in_bulk_counting_annotations
from annotations.results.consensus.methods import (
    ConsensusRule,
    ListCutoff,
    MentionMatching,
    SpanMatching,
    make_consensus_rule,
)
from annotations.results.consensus.voting import build_consensus
from annotations.results.models import Result
from annotations.results.queries import load_annotations_of_many_results
from annotations.schema import AnnotationData, Kind

ProducerLists = dict[int, list[AnnotationData]]
ListsByArticleAndKind = Mapping[tuple[int, Kind], ProducerLists]


class ArticleTextChangedError(Exception):
    """The text of an article changed while its consensus was built; build it again."""


@transaction.atomic
def build_articles_unless_stopped(data_set_id: int, article_keys: Sequence[int]) -> bool:
    """Build the consensus of these articles anew; False if the data set is no longer being built.

    A fixed number of queries, and six more for each kind. Raises ArticleTextChangedError.
    """
    data_set = lock_data_set_if_building(data_set_id)
    if data_set is None:
        return False
    states = load_article_states(data_set, article_keys)
    consensus = _compute_consensus(data_set, article_keys)
    _supersede_results(data_set, article_keys)
    for kind in map(Kind, data_set.kinds):
        of_kind = {article: lists[kind] for article, lists in consensus.items() if kind in lists}
        if of_kind:
            supersede_results_in_bulk_counting_annotations(data_set.producer, kind, of_kind)
    _check_texts_unchanged(states)
    members = [
        DataSetArticle(data_set=data_set, article_id=pk, fingerprint=own.fingerprint) for pk, own in states.items()
    ]
    DataSetArticle.objects.bulk_create(
        members, update_conflicts=True, unique_fields=["data_set", "article"], update_fields=["fingerprint"]
    )
    if data_set.producer.public:
        raise_article_versions(article_keys)
    DataSet.objects.filter(pk=data_set_id).update(done=F("done") + len(article_keys))
    return True


@transaction.atomic
def remove_articles_unless_stopped(data_set_id: int, article_keys: Sequence[int]) -> bool:
    """Take articles out of a data set that is being built; False if it no longer is."""
    data_set = lock_data_set_if_building(data_set_id)
    if data_set is None:
        return False
    _supersede_results(data_set, article_keys)
    DataSetArticle.objects.filter(data_set=data_set, article__in=article_keys).delete()
    if data_set.producer.public:
        raise_article_versions(article_keys)
    DataSet.objects.filter(pk=data_set_id).update(done=F("done") + len(article_keys))
    return True


def lock_data_set_if_building(data_set_id: int) -> DataSet | None:
    """The data set, locked until the end of the transaction, so that nobody publishes or withdraws it meanwhile."""
    building = DataSet.objects.select_for_update(of=("self",), no_key=True).select_related("producer")
    return building.filter(pk=data_set_id, state=DataSetState.BUILDING).first()


def build_rules_by_kind(data_set: DataSet) -> dict[Kind, ConsensusRule]:
    """The rule of the data set for each of its kinds, with the cut-offs of the lists of that kind."""
    weights = {int(source): float(weight) for source, weight in data_set.weights.items()}
    return {
        kind: make_consensus_rule(
            data_set.method,
            data_set.threshold,
            spans=SpanMatching(data_set.spans),
            match=MentionMatching(data_set.match),
            weights=weights,
            cuts={
                source: ListCutoff(criterion, value)
                for source, of_kind, criterion, value in data_set.cuts
                if of_kind == kind
            },
        )
        for kind in map(Kind, data_set.kinds)
    }


def _compute_consensus(data_set: DataSet, article_keys: Collection[int]) -> dict[int, dict[Kind, list[AnnotationData]]]:
    """{article: {kind: its annotations}}, without kinds that no source annotated: 4 queries at most."""
    rules = build_rules_by_kind(data_set)
    lists, entries = _load_source_annotations(data_set, article_keys)
    consensus: dict[int, dict[Kind, list[AnnotationData]]] = defaultdict(dict)
    for (article, kind), by_source in lists.items():
        agreed = build_consensus(kind, by_source, rules[kind], entries)
        consensus[article][kind] = [each.annotation for each in agreed]
    return consensus


def _load_source_annotations(
    data_set: DataSet, article_keys: Collection[int]
) -> tuple[ListsByArticleAndKind, dict[tuple[str, str], NamedEntry]]:
    """The annotations with current identifiers, {(article, kind): {source: list}}, and the known entries of these."""
    rows = Result.objects.filter(
        article__in=article_keys,
        text_version=F("article__text_version"),
        producer__in=data_set.sources.values("pk"),
        kind__in=data_set.kinds,
        superseded__isnull=True,
    ).values_list("pk", "article_id", "producer_id", "kind")
    results = [(pk, article, source, Kind(kind)) for pk, article, source, kind in rows.order_by("pk")]
    annotations = load_annotations_of_many_results({pk: kind for pk, _, _, kind in results})
    reported = {each for of_result in annotations.values() for one in of_result for each in one.iter_entity_ids()}
    entries = find_named_entries((each.database, each.identifier) for each in reported)
    lists: dict[tuple[int, Kind], ProducerLists] = defaultdict(dict)
    for pk, article, source, kind in results:
        current = [replace_outdated_identifiers(each, entries) for each in annotations.get(pk, ())]
        lists[article, kind][source] = current
    return lists, add_stored_or_copied_successor_entries(entries)


def _supersede_results(data_set: DataSet, article_keys: Collection[int]) -> None:
    """Supersede what the data set has on these articles, also of kinds that no source annotates any more."""
    current = Result.objects.filter(producer=data_set.producer_id, superseded__isnull=True)
    current.filter(article__in=article_keys).update(superseded=Now())


def _check_texts_unchanged(states: Mapping[int, ArticleState]) -> None:
    """Raise ArticleTextChangedError if positions may have been stored with a later text than they refer to."""
    versions = dict(Article.objects.filter(pk__in=states).values_list("pk", "text_version"))
    if versions != {pk: state.text_version for pk, state in states.items()}:
        raise ArticleTextChangedError
