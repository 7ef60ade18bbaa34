"""Who may curate what: everybody with an account the articles that everybody sees, and each person their own work."""

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import QuerySet
from django.http import Http404

from annotations.articles.models import Article
from annotations.articles.queries import filter_articles_by_pmid_or_opaque
from annotations.curation.models import Curation
from evaluation.curation.eligibility import list_curations_of_user
from evaluation.visibility import list_visible_articles


def list_own_curations(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Curation]:
    """The curations of the user's, those changed last first; which ones: evaluation/curation/eligibility.py.

    The texts of their articles, which may be long, are loaded when they are used.
    """
    rows = list_curations_of_user(user).defer("article__passages", "article__text", "article__metadata")
    related = rows.select_related("curator__producer", "curator__project", "article", "basis__curator__producer")
    return related.order_by("-changed", "-pk")


def get_own_curation_or_404(user: AbstractBaseUser | AnonymousUser, curation_id: int) -> Curation:
    """The curation if it is the user's; Http404 for everybody else, as if there were none."""
    curation = list_own_curations(user).filter(pk=curation_id).first()
    if curation is None:
        raise Http404
    return curation


def get_article_to_curate_or_404(user: AbstractBaseUser | AnonymousUser, identifier: str) -> Article:
    """A public article by its PMID or opaque id. Blind articles are curated where they are assigned."""
    article = filter_articles_by_pmid_or_opaque(list_visible_articles(user).filter(blind=False), identifier).first()
    if article is None:
        raise Http404
    return article
