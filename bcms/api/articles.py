"""Articles, what is said of them, and corpora. Who sees which article and producer: bcms/visibility.py."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Max, Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.decorators import method_decorator
from django.views.decorators.gzip import gzip_page
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotations.kinds import Kind
from annotations.models import KIND_CHOICES, Article, Corpus, CorpusArticle, Producer, Standing
from annotations.older_texts import kept_versions
from annotations.querysets import by_identifier
from bcms.api.conditional import unless_known
from bcms.api.conventions import Pages, word_of, words_of
from bcms.api.older_texts import TEXT, Shown, shown_with_text
from bcms.calibrated import of_servers, with_calibrated
from bcms.said import Said, said_of
from bcms.visibility import articles_seen_by, corpora_seen_by, producers_seen_by
from servers.models import Server

KIND = OpenApiParameter("kind", OpenApiTypes.STR, enum=[kind.value for kind in Kind], description="Only this kind.")
SERVER = OpenApiParameter("server", OpenApiTypes.STR, description="Only what the server with this slug says.")


def identifier_of(article: Article) -> str:
    """What the API calls an article. The opaque id is never shown beside a PMID: the pair would undo a blind test."""
    return article.opaque if article.pmid is None else str(article.pmid)


class ArticleInList(serializers.ModelSerializer):
    id = serializers.SerializerMethodField(help_text="the PMID, or the opaque id of an article without one")
    title = serializers.CharField(read_only=True)

    class Meta:
        model = Article
        fields = ["id", "pmid", "doi", "pmcid", "title", "journal", "year"]

    def get_id(self, article: Article) -> str:
        return identifier_of(article)


class StandingOfArticle(serializers.ModelSerializer):
    """What public servers make of the article; some seconds behind its annotations."""

    class Meta:
        model = Standing
        fields = ["servers", "yes", "no", "balance", "disagreement"]
        extra_kwargs = {
            "servers": {"help_text": "servers that annotated it"},
            "yes": {"help_text": "servers that say that it is about protein interactions"},
            "no": {"help_text": "servers that say that it is not"},
            "balance": {"help_text": "from a certain no by all, 0, to a certain yes by all, 1; null: nobody says"},
            "disagreement": {
                "help_text": "mean over all different annotations of the share of the other servers that do not make "
                "it too; null: no two servers looked for the same"
            },
        }


class WithStanding(serializers.Serializer):
    standing = serializers.SerializerMethodField(help_text="null for some seconds after the article came in")

    @extend_schema_field(StandingOfArticle(allow_null=True))
    def get_standing(self, article: Article) -> dict[str, Any] | None:
        standing = getattr(article, "standing", None)
        return None if standing is None else StandingOfArticle(standing).data


class PassageInArticle(serializers.Serializer):
    type = serializers.CharField(help_text="title, abstract or the name of a section")
    text = serializers.CharField()


class ArticleInFull(WithStanding, ArticleInList):
    authors = serializers.SerializerMethodField()
    passages = PassageInArticle(many=True, read_only=True)
    text = serializers.CharField(
        help_text="the canonical text, the passages joined by one newline; positions count its Unicode code points"
    )

    older_texts = serializers.SerializerMethodField(
        help_text="versions of its text that were annotated and are kept, the newest first: ?text=VERSION"
    )

    class Meta(ArticleInList.Meta):
        fields = [*ArticleInList.Meta.fields, "authors", "standing", "text_version", "older_texts", "passages", "text"]

    def get_authors(self, article: Article) -> list[str]:
        return [str(name) for name in article.metadata.get("authors", ())]

    def get_older_texts(self, article: Article) -> list[int]:
        return kept_versions(article)


@extend_schema_view(get=extend_schema(summary="Read an article", parameters=[TEXT]))
@method_decorator(gzip_page, name="dispatch")
class ArticleDetail(generics.RetrieveAPIView):
    """One article by its PMID or opaque id, with its text or one that it had."""

    serializer_class = ArticleInFull
    queryset = Article.objects.none()

    def get_object(self) -> Article:
        seen = articles_seen_by(self.request.user).select_related("standing")
        return get_object_or_404(by_identifier(seen, self.kwargs["identifier"]))

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        article = shown_with_text(request, self.get_object()).article
        standing = getattr(article, "standing", None)
        state = (article.version, standing and standing.version)
        return unless_known(request, state, lambda: Response(self.get_serializer(article).data))


def article_seen(request: Request, identifier: str) -> Article:
    return get_object_or_404(by_identifier(articles_seen_by(request.user), identifier))


@dataclass(frozen=True, slots=True)
class Annotated:
    """An article with all that is said of it."""

    id: str
    text_version: int
    results: Sequence[Said] = field(default_factory=list)


class ProducerOfResult(serializers.ModelSerializer):
    class Meta:
        model = Producer
        fields = ["id", "sort", "name", "public"]


class FieldsOfAnnotation(serializers.Serializer):
    """The fields that are used depend on the kind; positions are half-open."""

    confidence = serializers.FloatField(
        source="finding.confidence", allow_null=True, help_text="in (0, 1]; null when none was given"
    )
    rank = serializers.IntegerField(source="finding.rank", allow_null=True)
    start = serializers.IntegerField(source="finding.start", allow_null=True)
    end = serializers.IntegerField(source="finding.end", allow_null=True)
    text = serializers.CharField(source="finding.text")
    type = serializers.CharField(source="finding.type")
    database = serializers.CharField(source="finding.database")
    identifier = serializers.CharField(source="finding.identifier", help_text="as its database has it today")
    partner = serializers.CharField(source="finding.partner", help_text="of a pair, as its database has it today")
    taxon = serializers.IntegerField(source="finding.taxon", allow_null=True)
    relevant = serializers.BooleanField(source="finding.relevant", allow_null=True)


class AnnotationOfProducer(FieldsOfAnnotation):
    reported = serializers.ListField(
        child=serializers.CharField(),
        help_text="the identifiers as they were reported, of a pair both, where they mean others today; else empty",
    )
    calibrated = serializers.FloatField(
        allow_null=True,
        help_text="how often this server is right when it is so sure, learned in training; null where not known",
    )


class ResultOfProducer(serializers.Serializer):
    producer = ProducerOfResult()
    server = serializers.CharField(help_text="slug of the server that said it, empty for other producers")
    mode = serializers.CharField(help_text="mode of the server's queue: live, training or test")
    id = serializers.IntegerField(source="result.id", help_text="names this answer at .../results/ID/")
    kind = serializers.ChoiceField(choices=KIND_CHOICES, source="result.kind")
    stated_version = serializers.CharField(
        source="result.stated_version", help_text="of the server's system then, as far as it was stated"
    )
    received = serializers.DateTimeField(source="result.received")
    duration = serializers.FloatField(source="result.duration", allow_null=True, help_text="seconds")
    empty_reason = serializers.CharField(source="result.empty_reason", help_text="why it is empty, if it is")
    annotations = AnnotationOfProducer(many=True, source="stated")


class AnnotationsOfArticle(serializers.Serializer):
    id = serializers.CharField(help_text="the PMID, or the opaque id of an article without one")
    text_version = serializers.IntegerField(help_text="version of the text that the positions count in")
    results = ResultOfProducer(many=True)


@method_decorator(gzip_page, name="dispatch")
class ArticleAnnotations(APIView):
    """What everybody says of one article now, for each producer and kind, with confidence and provenance; of an older
    text what each said of it last."""

    @extend_schema(
        summary="Read an article's annotations", parameters=[KIND, SERVER, TEXT], responses=AnnotationsOfArticle
    )
    def get(self, request: Request, identifier: str) -> Response:
        article = article_seen(request, identifier)
        shown = shown_with_text(request, article)
        kind = word_of(request, "kind", Kind)
        refuse_unknown_server(request)
        state = (article.version, state_of_producers(request, article))
        return unless_known(request, state, lambda: self.answer(request, shown, kind))

    def answer(self, request: Request, shown: Shown, kind: Kind | None) -> Response:
        article = shown.article
        said = with_calibrated(said_of(article, producers_asked_for(request), older=shown.older), request.user)
        results = [each for each in said if kind in (None, each.result.kind)]
        annotated = Annotated(identifier_of(article), article.text_version, results)
        return Response(AnnotationsOfArticle(annotated).data)


def state_of_producers(request: Request, article: Article) -> object:
    """What may change of annotations without a new version of their article: who is heard of those that spoke, under
    which name, what of it is not public, and what their confidences are worth. 2 queries."""
    heard = producers_asked_for(request).filter(results__article=article, results__superseded__isnull=True)
    said = heard.annotate(newest=Max("results"), number=Count("results")).order_by("pk")
    named = ("pk", "name", "public", "queue__mode", "queue__server__slug")
    rows = list(said.values_list("newest", "number", "renewed", *named))
    learned = of_servers(request.user, (slug for *_, slug in rows if slug))
    return rows, list(learned.values_list("pk", "knots").order_by("pk"))


def refuse_unknown_server(request: Request) -> None:
    slug = words_of(request, "server")
    if slug and not Server.objects.filter(slug=slug).exists():
        raise ValidationError({"server": f"There is no server “{slug}” here; take one of those at /api/v1/servers/."})


def producers_asked_for(request: Request) -> QuerySet[Producer]:
    producers = producers_seen_by(request.user)
    slug = words_of(request, "server")
    return producers.filter(queue__server__slug=slug) if slug else producers


class CorpusInList(serializers.ModelSerializer):
    number_of_articles = serializers.IntegerField(read_only=True)

    class Meta:
        model = Corpus
        fields = ["slug", "name", "description", "blind", "number_of_articles"]


class CorpusInFull(CorpusInList):
    articles = serializers.SerializerMethodField(help_text="identifiers of the articles in the corpus' order")

    class Meta(CorpusInList.Meta):
        fields = [*CorpusInList.Meta.fields, "articles"]

    def get_articles(self, corpus: Corpus) -> list[str]:
        return [identifier_of(member.article) for member in corpus.corpusarticle_set.all()]


@extend_schema_view(get=extend_schema(summary="List corpora"))
class CorpusList(generics.ListAPIView):
    """The corpora that you may see; blind ones are for the organizers of their challenge."""

    serializer_class = CorpusInList
    pagination_class = Pages
    queryset = Corpus.objects.none()

    def get_queryset(self) -> QuerySet[Corpus]:
        return counted(corpora_seen_by(self.request.user)).order_by("slug")


@extend_schema_view(get=extend_schema(summary="Read a corpus"))
class CorpusDetail(generics.RetrieveAPIView):
    """One corpus with the identifiers of its articles; articles that are hidden in another corpus are left out."""

    serializer_class = CorpusInFull
    lookup_field = "slug"
    queryset = Corpus.objects.none()

    def get_queryset(self) -> QuerySet[Corpus]:
        user = self.request.user
        members = CorpusArticle.objects.filter(article__in=articles_seen_by(user)).select_related("article")
        members = members.only("corpus_id", "position", "article__pmid", "article__opaque")
        return counted(corpora_seen_by(user)).prefetch_related(Prefetch("corpusarticle_set", members))


def counted(corpora: QuerySet[Corpus]) -> QuerySet[Corpus]:
    return corpora.annotate(number_of_articles=Count("corpusarticle"))
