"""Articles with their texts, corpora, requests for articles, and the state of imports."""

import secrets
from typing import TYPE_CHECKING, Any

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now, Upper

# Weights for ranking: a word in the title counts most, then one in the abstract, then one in other sections.
WEIGHTED_WORDS_SQL = """(
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[0].text'), '["string"]'), 'A') ||
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[1 to last] ? (@.type == "abstract").text'), '["string"]'), 'B') ||
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[1 to last] ? (@.type != "abstract").text'), '["string"]'), 'D'))"""


def make_opaque_identifier() -> str:
    """A random identifier for an article, which reveals nothing about its PMID (for blind test sets)."""
    return "B" + secrets.token_hex(8)


if TYPE_CHECKING:
    VectorField = SearchVectorField[Any, Any]
else:
    VectorField = SearchVectorField


class WordsField(VectorField):
    """A search vector for the database alone; selecting it returns NULL, so that loading an article stays cheap."""

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, tuple[str | int, ...]]:
        return "NULL", ()


class GeneratedWords(models.GeneratedField):
    """A generated column whose value is not returned after saving."""

    db_returning = False  # type: ignore[assignment]


class Article(models.Model):
    """An article with its current text."""

    pmid = models.BigIntegerField(null=True, blank=True, unique=True)
    doi = models.CharField(max_length=255, blank=True, db_index=True)
    pmcid = models.CharField(max_length=32, blank=True, db_index=True)
    opaque = models.CharField(max_length=17, unique=True, default=make_opaque_identifier, editable=False)
    # [{"type": "title" | "abstract" | section, "text": str}, ...]; the title is always first.
    passages = models.JSONField()
    # The canonical text: the passages joined by one newline. All positions count its Unicode code points.
    text = models.TextField()
    text_version = models.PositiveIntegerField(default=1)
    content_hash = models.CharField(max_length=64)
    journal = models.CharField(max_length=255, blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    # {"authors": [...], "volume": ..., "issue": ..., "pages": ..., "mesh": [...], "languages": [...]}
    metadata = models.JSONField(default=dict, blank=True)
    # With the number of its changes it is the version of the article (annotations/articles/versions.py). That increases
    # in every transaction that changes what everybody may see: the article, results of public producers, and database
    # entries of their identifiers. Pages poll it, so it must not reveal changes that are not public.
    counted_version = models.PositiveBigIntegerField(default=1, db_default=1, db_column="version")
    # Of articles from annotate_version.
    version: int
    added = models.DateTimeField(db_default=Now())
    # Not public: a snapshot for a blind test set, a text of its own without anything that names the article
    # (ArticleSnapshot), or a manuscript that is not published yet (annotations/curation/manuscripts).
    blind = models.BooleanField(default=False, db_default=False, editable=False)
    words = GeneratedWords(
        expression=models.Func("passages", template=WEIGHTED_WORDS_SQL), output_field=WordsField(), db_persist=True
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(blind=False)
                | Q(pmid__isnull=True, doi="", pmcid="", journal="", year__isnull=True, metadata={}),
                name="blind_article_has_no_names",
            )
        ]
        indexes = [
            GinIndex(fields=["words"], name="article_words"),
            GinIndex(SearchVector("journal", config="simple"), name="article_journal_words"),
            models.Index(Upper("doi"), name="article_doi"),
            models.Index(fields=["year"], name="article_year"),
            models.Index(Coalesce("pmid", 0), "id", name="article_newest"),
        ]

    def __str__(self) -> str:
        return f"PMID {self.pmid}" if self.pmid else self.opaque

    @property
    def title(self) -> str:
        return str(self.passages[0]["text"]) if self.passages else ""

    @property
    def abstract(self) -> str:
        return next((str(p["text"]) for p in self.passages if p["type"] == "abstract"), "")


class ArticleChange(models.Model):
    """A change of what everybody may see of an article, which is not in its counted version yet."""

    # Without a constraint, which would look at the article once more. Articles are deleted with their changes.
    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="changes", db_constraint=False)

    def __str__(self) -> str:
        return f"change of {self.article_id}"


class ArticleTakedown(models.Model):
    """An article that administrators hide from everybody else, and why."""

    article = models.OneToOneField(Article, on_delete=models.CASCADE, related_name="takedown")
    reason = models.CharField(max_length=500)
    at = models.DateTimeField(db_default=Now())
    by = models.ForeignKey("auth.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    def __str__(self) -> str:
        return self.reason


class OlderText(models.Model):
    """An earlier text of an article that has annotations, whose positions refer to it."""

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="older_texts")
    text_version = models.PositiveIntegerField()
    # The same form as Article.passages.
    passages = models.JSONField()
    # Whether a worker still has to move its current annotations to the article's text
    # (annotations/results/changed_texts/moving.py).
    unmoved = models.BooleanField(default=True, db_default=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["article", "text_version"], name="older_text_once")]
        indexes = [models.Index(fields=["id"], condition=Q(unmoved=True), name="older_text_unmoved")]

    def __str__(self) -> str:
        return f"text {self.text_version} of {self.article_id}"


class Corpus(models.Model):
    """An ordered set of articles."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    # A blind corpus has no public pages: its articles are an unpublished test set. It has snapshots only, and no other
    # corpus has any (annotations/articles/corpora.py).
    blind = models.BooleanField(default=False)
    # Whether the home page offers its articles to visitors. Staff decide; organizers cannot set it.
    featured = models.BooleanField(default=False, db_default=False)
    articles: "models.ManyToManyField[Article, Any]" = models.ManyToManyField(
        Article, through="CorpusArticle", related_name="corpora"
    )

    class Meta:
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.name


class CorpusArticle(models.Model):
    """The position of an article in a corpus."""

    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE)
    article = models.ForeignKey(Article, on_delete=models.PROTECT)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "article"], name="corpus_has_article_once"),
            models.UniqueConstraint(fields=["corpus", "position"], name="corpus_position_once"),
        ]


class ArticleSnapshot(models.Model):
    """What a snapshot in a blind corpus was taken of. Only organizers of the challenge that owns the corpus read it.

    A snapshot is a row of Article with a copy of the text. Its public article, if there is one, is not changed by it
    and nothing leads from one to the other until the test is published (annotations/articles/snapshot_release.py).
    """

    article = models.OneToOneField(Article, on_delete=models.CASCADE, primary_key=True, related_name="snapshot")
    # The corpus for which it was taken.
    corpus = models.ForeignKey(Corpus, null=True, blank=True, on_delete=models.SET_NULL, related_name="snapshots")
    pmid = models.BigIntegerField(null=True, blank=True, db_index=True)
    doi = models.CharField(max_length=255, blank=True)
    pmcid = models.CharField(max_length=32, blank=True)
    journal = models.CharField(max_length=255, blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    taken = models.DateTimeField(db_default=Now())
    # When its test was published. It then got its identifiers back, unless there is a public article.
    released = models.DateTimeField(null=True, blank=True)
    # The article with the same identifiers. If it has the same text, everything of the snapshot was moved to it, and
    # the snapshot stays blind and empty; if not, both are shown.
    public_article = models.ForeignKey(
        Article, null=True, blank=True, on_delete=models.SET_NULL, related_name="released_snapshots"
    )

    def __str__(self) -> str:
        return f"snapshot {self.article_id}"


class ArticleRequest(models.Model):
    """A request for an article that is not stored yet; a worker fetches it (bcms/article_requests/fetching.py)."""

    # A PMID, PMCID or DOI, as formats.read_article.name_of() writes it.
    ident = models.CharField(max_length=255)
    asked = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)
    # The fetched article; None while the request is open, and if it failed. An article that was fetched without the
    # requested full text has a problem, too.
    article = models.ForeignKey(Article, on_delete=models.SET_NULL, related_name="+", null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ident"], condition=Q(finished__isnull=True), name="one_open_request")
        ]

    def __str__(self) -> str:
        return f"PMID {self.ident}" if self.ident.isdigit() else self.ident


class ImportedFile(models.Model):
    """The progress of importing a PubMed file, so that an interrupted import can resume."""

    name = models.CharField(max_length=255, unique=True)
    checksum = models.CharField(max_length=64, help_text="SHA-256 of the file as downloaded, in hexadecimal")
    records = models.PositiveBigIntegerField(
        default=0, help_text="number of records from the start of the file that are stored"
    )
    began = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class Pace(models.Model):
    """When any worker may next query an outside service (annotations/articles/entrez/pacing.py)."""

    name = models.CharField(max_length=32, unique=True)
    free = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
