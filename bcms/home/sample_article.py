"""The beginning of an article with its heat map, which shows a visitor what this site is."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from django.db.models import F
from django.urls import reverse
from django.utils.safestring import SafeString

from annotations.articles.models import Article
from annotations.articles.queries import format_pmid_or_opaque
from annotations.articles.sentences import split_sentences
from annotations.formats.articles.parsed_article import HEADING
from annotations.results.heat_map import MentionParts
from annotations.results.models import Annotation, Result
from annotations.results.queries import list_current_results_on_current_text, load_annotations_by_result_id
from annotations.schema import AnnotationData, Kind
from bcms.article_annotations.current_annotations import list_public_producers_of_live_queues
from bcms.article_page.text.marked_text import (
    MarkedMentions,
    MarkedText,
    get_plain_parts,
    render_pieces_with_mention_links,
)
from bcms.search.hits import SearchHit

# Of the abstract.
MOST_CHARACTERS = 420
# Of the text, in which mentions are compared to choose the article: about what the page shows.
COMPARED_CHARACTERS = 600
# One server shows no heat.
LEAST_SERVERS = 2


@dataclass(frozen=True, slots=True)
class MarkedBeginning:
    """beginning: that of the passage after the title; more: whether the text goes on. servers: how many annotated its
    mentions.
    """

    ident: str
    journal: str
    year: int | None
    title: SafeString
    beginning: SafeString
    more: bool
    servers: int


def load_sample_article(articles: Sequence[int], hits: Sequence[SearchHit]) -> MarkedBeginning | None:
    """The article at whose beginning servers agree most: 5 queries, none without an article that two have annotated.

    Of each, the mentions of one server alone are subtracted from those of several; the first of equal ones is taken.
    articles: the primary keys of the hits, which are offered on the home page.
    """
    pairs = zip(articles, hits, strict=True)
    candidates = [article for article, hit in pairs if hit.opinion.servers >= LEAST_SERVERS]
    if not candidates:
        return None
    counts_by_article = _count_servers_by_mention(candidates)
    return _mark_beginning(max(candidates, key=lambda article: _rate_agreement(counts_by_article.get(article, ()))))


def _rate_agreement(server_counts: Iterable[int]) -> tuple[bool, int]:
    """For the numbers of servers that marked each mention: whether several marked any, and how much they agree."""
    counts = list(server_counts)
    several = sum(count >= LEAST_SERVERS for count in counts)
    return several > 0, several - (len(counts) - several)


def _count_servers_by_mention(articles: Sequence[int]) -> Mapping[int, Iterable[int]]:
    """How many servers marked each mention at the beginning of these articles, by article: 2 queries."""
    current = Result.objects.filter(
        article__in=articles,
        kind=Kind.MENTION,
        producer__in=list_public_producers_of_live_queues(),
        superseded__isnull=True,
        text_version=F("article__text_version"),
    )
    article_by_result = dict(current.values_list("pk", "article"))
    mentions = Annotation.objects.filter(result__in=list(article_by_result), end__lte=COMPARED_CHARACTERS)
    results: dict[int, dict[tuple[int | None, ...], set[int]]] = defaultdict(lambda: defaultdict(set))
    for result, start, end, spans in mentions.values_list("result", "start", "end", "spans"):
        results[article_by_result[result]][tuple(spans or (start, end))].add(result)
    return {article: [len(each) for each in own.values()] for article, own in results.items()}


def _mark_beginning(article_pk: int) -> MarkedBeginning | None:
    article = Article.objects.get(pk=article_pk)
    passages = [{**passage, "text": _cut(passage["text"])} for passage in article.passages[:2]]
    is_cut_title = passages and passages[0]["text"] != article.passages[0]["text"]
    if len(passages) < 2 or is_cut_title or passages[1]["type"] == HEADING:
        return None
    text = "\n".join(passage["text"] for passage in passages)
    producers = list_public_producers_of_live_queues().values_list("pk", flat=True)
    results = list_current_results_on_current_text(article, producers)
    marking = [result for result in results if result.kind == Kind.MENTION]
    annotations = load_annotations_by_result_id(marking)
    marked = {result.producer: _list_mentions(annotations.get(result.id, ()), len(text)) for result in marking}
    if not any(marked.values()):
        return None
    spans = {producer: list(chain.from_iterable(mentions)) for producer, mentions in marked.items()}
    marks = MarkedMentions(list(chain.from_iterable(marked.values())))
    ident = format_pmid_or_opaque(article)
    query = f"{reverse('article', args=[ident])}?kind=mention&mention="
    title, beginning = (
        render_pieces_with_mention_links(passage.pieces, query)
        for passage in MarkedText(text, passages, spans, marks).build_passages([0, 1])
    )
    more = len(text) < len(article.text)
    return MarkedBeginning(ident, article.journal, article.year, title, beginning, more, len(marking))


def _cut(text: str) -> str:
    """The sentences that end within MOST_CHARACTERS, or as many words of the first one."""
    ends = [end for _, end in split_sentences(text) if end <= MOST_CHARACTERS]
    if ends or len(text) <= MOST_CHARACTERS:
        return text[: max(ends, default=len(text))]
    words = text[:MOST_CHARACTERS]
    return words.rpartition(" ")[0] or words


def _list_mentions(mentions: Iterable[AnnotationData], length: int) -> list[MentionParts]:
    """Those in the first characters of the text."""
    return [parts for mention in mentions if (parts := get_plain_parts(mention)) and parts[-1][1] <= length]
