"""Which decisions of curators agree with the outcome of their project. They are kept when the outcome is published."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from django.db.models import Q

from annotations.curation.contents import build_content_identity
from annotations.curation.models import Curation, DecidedItem, PublishedAbstract
from annotations.curation.projects.comparison import CuratedItem, build_shared_key
from annotations.curation.projects.models import AgreedDecision, CurationProject
from annotations.curation.states import CurationState, ItemKind, ItemState
from annotations.schema import Kind

ARTICLES_PER_BATCH, ROWS_PER_INSERT = 50, 5000


def list_agreeing_items(outcome: Iterable[CuratedItem], decided: Iterable[CuratedItem]) -> list[CuratedItem]:
    """The items on which a curator decided as the outcome did. outcome: its accepted items. Pure.

    An accepted item agrees if the outcome has it with the same identifiers, types and participants, whatever its
    methods and evidence are. A rejected one agrees if the outcome does not have it. A correction of what the outcome
    accepts without it does not agree.
    """
    accepted: dict[tuple[ItemKind, str], list[object]] = defaultdict(list)
    for item in outcome:
        accepted[item.kind, build_shared_key(item)].append(build_content_identity(item.kind, item.content))
    return [item for item in decided if _agrees(item, accepted)]


def _agrees(item: CuratedItem, accepted: dict[tuple[ItemKind, str], list[object]]) -> bool:
    name = item.kind, build_shared_key(item)
    if item.state == ItemState.REJECTED:
        return name not in accepted
    if item.key != name[1] and (item.kind, item.key) in accepted:
        return False
    return build_content_identity(item.kind, item.content) in accepted.get(name, ())


def keep_decisions_of_publication(published: PublishedAbstract) -> None:
    """Keep the decisions that agree with a published outcome; nothing for the record of a curator: 1 query then."""
    project = CurationProject.objects.filter(outcome=published.curation.curator_id).first()
    if project is None:
        return
    items = _iter_agreeing_items(project, [published.article_id])
    _store(AgreedDecision(item_id=item.id, publication=published) for item in items)


def keep_decisions_of_gold(project: CurationProject, gold_id: int, kind: Kind) -> None:
    """Keep the decisions that agree with an outcome of which a gold standard of this kind was made.

    They replace those of an earlier gold standard with this id. 3 queries for each ARTICLES_PER_BATCH articles.
    """
    AgreedDecision.objects.filter(gold=gold_id).delete()
    outcomes = Curation.objects.filter(curator=project.outcome_id, state=CurationState.FINISHED)
    articles = list(outcomes.order_by("article").values_list("article", flat=True))
    for start in range(0, len(articles), ARTICLES_PER_BATCH):
        items = _iter_agreeing_items(project, articles[start : start + ARTICLES_PER_BATCH])
        _store(AgreedDecision(item_id=item.id, gold=gold_id) for item in items if _find_gold_kind(item) is kind)


def _find_gold_kind(item: CuratedItem) -> Kind:
    """The kind of annotation that an item becomes in a gold standard."""
    return Kind.PAIR if item.kind is ItemKind.INTERACTION else Kind(item.content["kind"])


def _iter_agreeing_items(project: CurationProject, article_ids: Sequence[int]) -> Iterator[CuratedItem]:
    """Those of the finished curations of the articles that somebody else proposed: 2 queries."""
    own = Q(curator__project=project) | Q(curator=project.outcome_id)
    curations = Curation.objects.filter(own, article__in=article_ids, state=CurationState.FINISHED)
    outcomes: dict[int, int] = {}
    curated: dict[int, list[int]] = defaultdict(list)
    for pk, article, curator in curations.order_by("pk").values_list("pk", "article", "curator"):
        if curator == project.outcome_id:
            outcomes[article] = pk
        else:
            curated[article].append(pk)
    items = _load_items([*outcomes.values(), *(pk for pks in curated.values() for pk in pks)])
    for article, outcome in outcomes.items():
        accepted = [item for item in items[outcome] if item.state == ItemState.ACCEPTED]
        for curation in curated[article]:
            proposed = [item for item in items[curation] if item.producers and item.state != ItemState.SKIPPED]
            yield from list_agreeing_items(accepted, proposed)


def _load_items(curation_ids: Sequence[int]) -> dict[int, list[CuratedItem]]:
    items: dict[int, list[CuratedItem]] = defaultdict(list)
    rows = DecidedItem.objects.filter(curation__in=curation_ids, superseded_by__isnull=True).order_by("pk")
    for row in rows:
        item = CuratedItem(ItemKind(row.kind), ItemState(row.state), row.content, row.producers, row.pk, row.key)
        items[row.curation_id].append(item)
    return items


def _store(rows: Iterable[AgreedDecision]) -> None:
    AgreedDecision.objects.bulk_create(rows, batch_size=ROWS_PER_INSERT)
