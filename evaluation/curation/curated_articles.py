"""What the curators of a project decided, in the form in which their agreement is computed."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence

from django.db.models.functions import Length

from annotations.articles.models import Article
from annotations.curation.projection import AcceptedItem, build_digital_abstract, list_annotations_of_abstract
from annotations.curation.projects.comparison import CuratedItem
from annotations.curation.projects.finished_curations import ProjectArticle
from annotations.curation.states import ItemState
from annotations.digital_abstract import DigitalAbstract
from annotations.entity_types import get_type_key
from annotations.schema import AnnotationData, Kind
from evaluation.analyses.curators.level_agreement import AgreementLevel, CuratedArticle, CuratedArticles

LEVELS_BY_KIND = {
    Kind.TAXON: AgreementLevel.ORGANISM,
    Kind.NORMALIZATION: AgreementLevel.ENTITY,
    Kind.ENTITY: AgreementLevel.ENTITY,
    Kind.PAIR: AgreementLevel.PAIR,
    Kind.RELATION: AgreementLevel.RELATION,
    Kind.METHOD: AgreementLevel.METHOD,
    Kind.LABEL: AgreementLevel.LABEL,
    Kind.MENTION: AgreementLevel.MENTION,
}


def load_curated_articles(articles: Iterable[ProjectArticle]) -> dict[int, CuratedArticles]:
    """{id of the curator: {article: what they decided}} of the articles that two or more curators finished: 1 query."""
    shared = [article for article in articles if len(article.finished) > 1]
    lengths = load_text_lengths([article.id for article in shared])
    curated: dict[int, dict[int, CuratedArticle]] = defaultdict(dict)
    for article in shared:
        for finished in article.finished:
            curated[finished.curator][article.id] = build_curated_article(finished.items, lengths.get(article.id, 0))
    return dict(curated)


def load_text_lengths(article_ids: Iterable[int]) -> dict[int, int]:
    """{article: the length of its text in code points}: 1 query."""
    rows = Article.objects.filter(pk__in=list(article_ids))
    return dict(rows.annotate(length=Length("text")).values_list("pk", "length"))


def build_curated_article(items: Sequence[CuratedItem], length: int) -> CuratedArticle:
    """What one curator decided, from their items. length: of the text in code points."""
    accepted = _build_abstract(items, ItemState.ACCEPTED)
    annotations = list_annotations_of_abstract(accepted)
    kept = _collect_items(annotations)
    rejected = _collect_items(list_annotations_of_abstract(_build_abstract(items, ItemState.REJECTED)))
    mentions = [(get_type_key(each.type), each.parts) for each in annotations.get(Kind.MENTION, ()) if each.parts]
    left = {level: items - kept.get(level, frozenset()) for level, items in rejected.items()}
    return CuratedArticle(bool(accepted.interactions), kept, left, mentions, length)


def _build_abstract(items: Sequence[CuratedItem], state: ItemState) -> DigitalAbstract:
    return build_digital_abstract(AcceptedItem(item.kind, item.content) for item in items if item.state == state)


def _collect_items(
    annotations: Mapping[Kind, Sequence[AnnotationData]],
) -> Mapping[AgreementLevel, frozenset[Hashable]]:
    items: dict[AgreementLevel, set[Hashable]] = defaultdict(set)
    for kind, level in LEVELS_BY_KIND.items():
        items[level].update(_build_compared_key(each) for each in annotations.get(kind, ()))
    return {level: frozenset(keys) for level, keys in items.items() if keys}


def _build_compared_key(annotation: AnnotationData) -> Hashable:
    """A mention with its type, a relation with the type of the interaction."""
    if annotation.kind is Kind.RELATION and annotation.relation is not None:
        types = [each.value for each in annotation.relation.qualifiers if each.name == "interaction-type"]
        return (*annotation.typed_key, *types)
    return annotation.typed_key
