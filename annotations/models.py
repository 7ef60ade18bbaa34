"""Every model of this app, imported from its topic, because Django looks for models here."""

from annotations.articles.models import (
    Article,
    ArticleRequest,
    ArticleSnapshot,
    ArticleTakedown,
    Corpus,
    CorpusArticle,
    ImportedFile,
    OlderText,
    Pace,
)
from annotations.data_sets.models import DataSet, DataSetArticle
from annotations.identifiers.models import Entry
from annotations.results.models import AnnotatedTerm, Annotation, ArticleSummary, Producer, Reply, Result

__all__ = [
    "AnnotatedTerm",
    "Annotation",
    "Article",
    "ArticleRequest",
    "ArticleSnapshot",
    "ArticleSummary",
    "ArticleTakedown",
    "Corpus",
    "CorpusArticle",
    "DataSet",
    "DataSetArticle",
    "Entry",
    "ImportedFile",
    "OlderText",
    "Pace",
    "Producer",
    "Reply",
    "Result",
]
