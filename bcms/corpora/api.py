"""REST: the corpora, and the articles of each."""

from django.db.models import Count, Prefetch, QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.articles.queries import format_pmid_or_opaque
from bcms.lib.rest.negotiation import UrlFormatNegotiation
from bcms.lib.rest.pagination import OffsetPages
from bcms.search.exports.croissant import build_croissant_response, describe_corpus_exports
from evaluation.visibility import ANONYMOUS_READER, list_visible_articles, list_visible_corpora

ARTICLE_FIELDS = ("article__pmid", "article__opaque", "article__blind", "article__snapshot__pmid")


class CorpusInList(serializers.ModelSerializer[Corpus]):
    number_of_articles = serializers.IntegerField(read_only=True)

    class Meta:
        model = Corpus
        fields = ["slug", "name", "description", "blind", "number_of_articles"]


class CorpusInFull(CorpusInList):
    articles = serializers.SerializerMethodField(
        help_text="identifiers of the articles, in the order of the corpus; for its organizers, a blind corpus has the "
        "PMIDs of what its snapshots were taken of"
    )

    class Meta(CorpusInList.Meta):
        fields = [*CorpusInList.Meta.fields, "articles"]

    def get_articles(self, corpus: Corpus) -> list[str]:
        return [_format_recorded_pmid_or_opaque(member.article) for member in corpus.corpusarticle_set.all()]


@extend_schema_view(get=extend_schema(summary="List corpora"))
class CorpusList(generics.ListAPIView[Corpus]):
    """The corpora that you may see. Only the organizers of their challenge see blind corpora."""

    serializer_class = CorpusInList
    pagination_class = OffsetPages
    queryset = Corpus.objects.none()

    def get_queryset(self) -> QuerySet[Corpus]:
        return _annotate_article_counts(list_visible_corpora(self.request.user)).order_by("slug")


@extend_schema_view(get=extend_schema(summary="Read a corpus"))
class CorpusDetail(generics.RetrieveAPIView[Corpus]):
    """One corpus with the identifiers of its articles."""

    serializer_class = CorpusInFull
    lookup_field = "slug"
    queryset = Corpus.objects.none()

    def get_queryset(self) -> QuerySet[Corpus]:
        user = self.request.user
        members = CorpusArticle.objects.filter(article__in=list_visible_articles(user)).select_related(
            "article__snapshot"
        )
        members = members.only("corpus_id", "position", *ARTICLE_FIELDS)
        return _annotate_article_counts(list_visible_corpora(user)).prefetch_related(
            Prefetch("corpusarticle_set", members)
        )


class CorpusCroissant(APIView):
    """The Parquet exports of a corpus as a data set in Croissant 1.0, the same for every user."""

    authentication_classes = ()
    content_negotiation_class = UrlFormatNegotiation

    @extend_schema(
        summary="Describe a corpus in Croissant", responses={(200, "application/ld+json"): OpenApiTypes.OBJECT}
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        corpus = get_object_or_404(list_visible_corpora(ANONYMOUS_READER), slug=slug)
        return build_croissant_response(describe_corpus_exports(corpus.slug, corpus.name, corpus.description))


def _format_recorded_pmid_or_opaque(article: Article) -> str:
    """The name of an article in a corpus that the reader may see."""
    if article.blind and article.snapshot.pmid:
        return str(article.snapshot.pmid)
    return format_pmid_or_opaque(article)


def _annotate_article_counts(corpora: QuerySet[Corpus]) -> QuerySet[Corpus]:
    return corpora.annotate(number_of_articles=Count("corpusarticle"))
