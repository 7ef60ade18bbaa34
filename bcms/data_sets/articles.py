"""The articles that a data set is about: those of its corpus or search that everybody sees."""

from django.db.models import QuerySet
from django.http import QueryDict

from annotations.articles.models import Article, Corpus
from annotations.data_sets.models import DataSet
from annotations.search.article_search import filter_articles
from bcms.data_sets.errors import DataSetError
from bcms.lib.text import clip_text_replacing_unprintable
from bcms.search.forms import SearchForm
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles, list_visible_corpora
from servers.teams.permissions import User

MOST_ARTICLES = 50_000
# What addresses of searches in REST have besides the search.
PAGE_PARAMETERS = ("limit", "format")
LONGEST_SHOWN_NAME = 40


def list_articles_of_corpus_or_search(owner: User, corpus: Corpus | None, search: str) -> QuerySet[Article]:
    """Blind articles and those that administrators took down are not among them; DataSetError if there is no such set.

    A search is that of a visitor, who finds nothing by what only teams see.
    """
    public = list_visible_articles(ANONYMOUS_READER)
    if corpus is not None:
        if not list_visible_corpora(owner).filter(pk=corpus.pk, blind=False).exists():
            raise DataSetError("You can no longer see this corpus, or it is blind. Choose another one.", "corpus")
        return public.filter(pk__in=corpus.corpusarticle_set.values("article"))
    return filter_articles(public, parse_search(search).build_search_criteria())


def parse_search(search: str) -> SearchForm:
    """The valid form of the query string of a search; DataSetError otherwise."""
    form = SearchForm(QueryDict(search.lstrip("?")), ANONYMOUS_READER)
    if not form.is_valid():
        problems = "; ".join(f"{name}: {' '.join(map(str, errors))}" for name, errors in form.errors.items())
        raise DataSetError(f"The search is not valid. {problems}", "search")
    return form


def format_search(search: str) -> str:
    """The query string without its order and page; DataSetError if it is not valid, or finds every article.

    An unknown parameter, such as a misspelled one, would be ignored, and the data set would have too many articles.
    """
    form = parse_search(search)
    if unknown := [name for name in form.data if name not in form.fields and name not in PAGE_PARAMETERS]:
        known = ", ".join(name for name in form.fields if name not in ("sort", "cursor"))
        shown = clip_text_replacing_unprintable(unknown[0], LONGEST_SHOWN_NAME)
        raise DataSetError(f'The search has no parameter "{shown}". Its parameters are {known}.', "search")
    if not form.cleaned_data.get("q") and not any(form.iter_chips()):
        raise DataSetError("The search has no words and no filter, so that it finds every article. Add one.", "search")
    return form.build_query_string(sort="").removeprefix("?")


def load_article_keys(data_set: DataSet) -> list[int]:
    """The primary keys of the articles that the data set should have now; DataSetError if it can have none."""
    if data_set.corpus is None and not data_set.search:
        raise DataSetError("Its corpus was deleted. Withdraw it, or keep it as it is.")
    articles = list_articles_of_corpus_or_search(data_set.owner, data_set.corpus, data_set.search)
    keys = list(articles.order_by("pk").values_list("pk", flat=True)[: MOST_ARTICLES + 1])
    if len(keys) > MOST_ARTICLES:
        raise DataSetError(f"A data set has at most {MOST_ARTICLES:,} articles, and there are more by now.", "corpus")
    return keys
