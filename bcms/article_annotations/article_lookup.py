"""The article of an address, if the user may see it."""

from django.db.models import Exists, OuterRef
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from annotations.articles.models import Article, CorpusArticle
from annotations.articles.queries import filter_articles_by_pmid_or_opaque
from evaluation.visibility import list_visible_articles


def get_visible_article(request: Request, pmid_or_opaque_id: str) -> Article:
    """The article with this PMID or opaque id; Http404 if there is none that the user may see."""
    return get_object_or_404(filter_articles_by_pmid_or_opaque(list_visible_articles(request.user), pmid_or_opaque_id))


def find_visible_article_with_blind_flag(request: HttpRequest, pmid_or_opaque_id: str) -> Article | None:
    """The article with this PMID or opaque id, annotated for is_in_blind_corpus_or_unchecked; None if the user may see
    none.
    """
    in_blind_corpus = CorpusArticle.objects.filter(article=OuterRef("pk"), corpus__blind=True)
    articles = list_visible_articles(request.user).annotate(in_blind_corpus=Exists(in_blind_corpus))
    return filter_articles_by_pmid_or_opaque(articles, pmid_or_opaque_id).first()


def is_in_blind_corpus_or_unchecked(article: Article) -> bool:
    """Whether an article from find_visible_article_with_blind_flag is in a blind test set.

    Servers are asked to annotate such an article in its phase only: a LIVE request would reveal its PMID.
    """
    return bool(getattr(article, "in_blind_corpus", True))
