"""Articles, who says something of them, and what they say."""

import secrets
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Now, Upper

from annotations.kinds import LABELS, Kind

KIND_CHOICES = [(kind.value, LABELS[kind]) for kind in Kind]
WITH_IDENTIFIERS = [kind.value for kind in Kind if kind not in (Kind.MENTION, Kind.CLASSIFICATION)]


EMPTY_ARRAY = models.Value([], output_field=ArrayField(models.CharField(max_length=64)))
# Every way to write an entry, regularized (bcms/lib/text.py): its names and identifiers, the old ones of it too.
NAMES = models.Func(
    *("identifier", "symbol", "name", "synonyms", "successors"),
    function="annotations_names",
    output_field=ArrayField(models.TextField()),
)
# A word in the title weighs more than one in the abstract, and that more than one in a section of a full text.
WEIGHTED = """(
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[0].text'), '["string"]'), 'A') ||
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[1 to last] ? (@.type == "abstract").text'), '["string"]'), 'B') ||
    setweight(jsonb_to_tsvector('english'::regconfig, jsonb_path_query_array(%(expressions)s,
        '$[1 to last] ? (@.type != "abstract").text'), '["string"]'), 'D'))"""


def opaque_identifier() -> str:
    """The name of an article in a blind test set: says nothing of its PMID and never changes."""
    return "B" + secrets.token_hex(8)


class WordsField(SearchVectorField):
    """Words are searched by the database and never read: each reader of an article would get them with it."""

    def select_format(self, compiler: Any, sql: str, params: Any) -> tuple[str, tuple[str | int, ...]]:
        return "NULL", ()


class GeneratedWords(models.GeneratedField):
    # Nor does whoever stores an article get them back.
    db_returning = False  # type: ignore[assignment]


class Article(models.Model):
    pmid = models.BigIntegerField(null=True, blank=True, unique=True)
    doi = models.CharField(max_length=255, blank=True, db_index=True)
    pmcid = models.CharField(max_length=32, blank=True, db_index=True)
    opaque = models.CharField(max_length=17, unique=True, default=opaque_identifier, editable=False)
    # [{"type": "title" | "abstract" | section, "text": str}, ...]; the title is always the first.
    passages = models.JSONField()
    # The canonical text: the passages joined by one newline. All positions count its Unicode code points.
    text = models.TextField()
    text_version = models.PositiveIntegerField(default=1)
    content_hash = models.CharField(max_length=64)
    journal = models.CharField(max_length=255, blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    # {"authors": [...], "volume": ..., "issue": ..., "pages": ..., "mesh": [...], "languages": [...]}
    metadata = models.JSONField(default=dict, blank=True)
    # Goes up in the transaction that changes what everybody may see of it: its record, Results of public producers and
    # what databases tell of their identifiers. Pages poll it, and nobody learns from it of what is not public.
    version = models.PositiveBigIntegerField(default=1, db_default=1)
    added = models.DateTimeField(db_default=Now())
    words = GeneratedWords(
        expression=models.Func("passages", template=WEIGHTED), output_field=WordsField(), db_persist=True
    )

    class Meta:
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


class OlderText(models.Model):
    """A text that an article had when it was annotated: the positions of those annotations count in it."""

    article = models.ForeignKey(Article, on_delete=models.CASCADE, related_name="older_texts")
    text_version = models.PositiveIntegerField()
    # As Article.passages.
    passages = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["article", "text_version"], name="older_text_once")]

    def __str__(self) -> str:
        return f"text {self.text_version} of {self.article_id}"


class Standing(models.Model):
    """What the public producers make of one article in a few figures, for lists: found, counted and sorted by it.

    A worker makes it anew when the article's version is another (annotations/standings.py), so it may be some seconds
    behind the article's page. Nothing of it comes from producers that are not public, and nothing from gold standards.

    servers: the number of servers that annotated it. producers: those, and everybody else. named: identifiers in any
    annotation, as "uniprot:P04637"; organisms of genes are among them, as "ncbitaxon:9606".

    yes, no: servers that say that it is about protein interactions, or not. balance: 0 is a certain no by all, 1 a
    certain yes by all (annotations/collation.py), None when no server classified it.

    disagreement: of the kinds that two or more servers looked for, the mean over all different annotations of the share
    of the other servers that do not make it too. 0: whatever one says, all say; 1: no two say the same of anything. Of
    two servers it is the share of annotations that only one makes. None when there is nothing to agree about.
    """

    article = models.OneToOneField(Article, on_delete=models.CASCADE, primary_key=True, related_name="standing")
    # That of the article, of which the rest was made.
    version = models.PositiveBigIntegerField()
    servers = models.PositiveIntegerField(default=0)
    producers: "models.Field[list[int], list[int]]" = ArrayField(models.BigIntegerField(), default=list)
    named: "models.Field[list[str], list[str]]" = ArrayField(models.TextField(), default=list)
    yes = models.PositiveIntegerField(default=0)
    no = models.PositiveIntegerField(default=0)
    balance = models.FloatField(null=True, blank=True)
    disagreement = models.FloatField(null=True, blank=True)

    class Meta:
        indexes = [
            GinIndex(fields=["named"], name="standing_named"),
            GinIndex(fields=["producers"], name="standing_producers"),
            models.Index(fields=["servers", "article"], name="standing_servers"),
            # Articles of which nothing is known stand below all others.
            models.Index(Coalesce("balance", -1.0), "article", name="standing_balance"),
            models.Index(Coalesce("disagreement", -1.0), "article", name="standing_disagreement"),
        ]

    def __str__(self) -> str:
        return f"standing of {self.article_id}"


class Corpus(models.Model):
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    # A blind corpus has no public pages: its articles are a test set that is not published.
    blind = models.BooleanField(default=False)
    articles: "models.ManyToManyField[Article, Any]" = models.ManyToManyField(
        Article, through="CorpusArticle", related_name="corpora"
    )

    class Meta:
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.name


class CorpusArticle(models.Model):
    corpus = models.ForeignKey(Corpus, on_delete=models.CASCADE)
    article = models.ForeignKey(Article, on_delete=models.PROTECT)
    position = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "article"], name="corpus_has_article_once"),
            models.UniqueConstraint(fields=["corpus", "position"], name="corpus_position_once"),
        ]


class Producer(models.Model):
    """Anything that says what is in an article."""

    class Sort(models.TextChoices):
        SERVER = "server"
        RUN = "run"
        GOLD = "gold"
        CONSENSUS = "consensus"
        CURATOR = "curator"
        AUTHOR = "author"

    sort = models.CharField(max_length=10, choices=Sort.choices)
    name = models.CharField(max_length=200)
    # Public producers are seen by everybody; the others only by those whom the pages' role table names.
    public = models.BooleanField(default=False)
    # Goes up with what raises no article's version: what databases tell of identifiers in its Results while it is not
    # public, and what is learned of its confidences.
    renewed = models.PositiveBigIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return self.name


class Reply(models.Model):
    """What a server answered, byte for byte, once per call: for provenance and for validating again."""

    body = models.BinaryField()  # zlib
    size = models.PositiveIntegerField(help_text="bytes before compression")


class Result(models.Model):
    """What one producer says of one article in one kind; it may be empty, which says something too."""

    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="results")
    text_version = models.PositiveIntegerField()
    kind = models.CharField(max_length=14, choices=KIND_CHOICES)
    producer = models.ForeignKey(Producer, on_delete=models.PROTECT, related_name="results")
    # The id of the servers.Call that brought it; no foreign key, as annotations know nothing of servers.
    call = models.BigIntegerField(null=True, blank=True)
    reply = models.ForeignKey(Reply, null=True, blank=True, on_delete=models.PROTECT)
    received = models.DateTimeField(db_default=Now())
    duration = models.FloatField(null=True, blank=True, help_text="seconds")
    empty_reason = models.CharField(max_length=200, blank=True)
    # Of the system that said it: what its server stated then, else what its team had stated.
    stated_version = models.CharField(max_length=100, blank=True, default="", db_default="")
    superseded = models.DateTimeField(null=True, blank=True)
    # Whether its identifiers are noted in Entry as reported: the task that asks for them looks for those that are not.
    noted = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["call", "kind"], name="result_once_per_call_and_kind"),
            models.UniqueConstraint(
                fields=["article", "kind", "producer"],
                condition=Q(superseded__isnull=True),
                name="one_current_result",
            ),
        ]
        indexes = [
            models.Index(fields=["producer", "received"], name="result_of_producer_since"),
            models.Index(fields=["-id"], name="result_not_noted", condition=Q(noted=False, kind__in=WITH_IDENTIFIERS)),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.article_id} by {self.producer_id}"


class Annotation(models.Model):
    """One row per annotation; which fields a kind uses: annotations/kinds.py, Finding."""

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="annotations")
    rank = models.PositiveIntegerField(null=True, blank=True)
    confidence = models.FloatField(null=True, blank=True)
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField(blank=True)
    type = models.CharField(max_length=100, blank=True)
    database = models.CharField(max_length=32, blank=True)
    identifier = models.CharField(max_length=64, blank=True)
    partner = models.CharField(max_length=64, blank=True)
    taxon = models.PositiveIntegerField(null=True, blank=True)
    relevant = models.BooleanField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["database", "identifier"], name="annotation_of_identifier", condition=~Q(identifier="")
            ),
            models.Index(fields=["database", "partner"], name="annotation_of_partner", condition=~Q(partner="")),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gt=0, confidence__lte=1),
                name="confidence_in_0_1",
            ),
            models.CheckConstraint(condition=Q(rank__isnull=True) | Q(rank__gte=1), name="rank_positive"),
            models.CheckConstraint(
                condition=Q(start__isnull=True) | Q(end__gt=models.F("start")), name="mention_not_empty"
            ),
        ]


class Entry(models.Model):
    """What the outside database says of one identifier, asked once, whoever reports it."""

    database = models.CharField(max_length=32)
    identifier = models.CharField(max_length=64)
    # None: not known yet. False: known never to have been an entry, which breaks a rule.
    exists = models.BooleanField(null=True, blank=True)
    # It was an entry once. With one successor it is another name of that entry (secondary or merged accessions, and
    # entry names, which are not withdrawn); with several it was divided among them, with none it was taken away.
    withdrawn = models.BooleanField(default=False, db_default=False)
    successors = ArrayField(models.CharField(max_length=64), default=list, db_default=EMPTY_ARRAY, blank=True)
    name = models.CharField(max_length=255, blank=True, help_text="preferred name")
    symbol = models.CharField(max_length=64, blank=True)
    synonyms = ArrayField(models.CharField(max_length=500), default=list, blank=True)
    taxon = models.PositiveIntegerField(null=True, blank=True)
    # What helps to choose between entries of one name, where their database tells it.
    location = models.CharField(max_length=255, blank=True, default="", db_default="")
    function = models.TextField(blank=True, default="", db_default="")
    source = models.CharField(max_length=64, blank=True)
    checked = models.DateTimeField(null=True, blank=True)
    # When to ask again, None: not asked yet.
    due = models.DateTimeField(null=True, blank=True)
    # Whether an annotation names it: only these are asked for, and asked again when they are old.
    reported = models.BooleanField(default=False, db_default=False)

    class Meta:
        verbose_name_plural = "entries"
        constraints = [models.UniqueConstraint(fields=["database", "identifier"], name="entry_once")]
        indexes = [
            models.Index(
                "database",
                models.F("due").asc(nulls_first=True),
                models.F("id").desc(),
                name="entry_to_ask",
                condition=Q(reported=True),
            ),
            models.Index(
                fields=["database", "identifier"], name="entry_absent", condition=Q(exists=False, reported=True)
            ),
            GinIndex(NAMES, name="entry_names"),
        ]

    def __str__(self) -> str:
        return f"{self.database}:{self.identifier}"


class ArticleRequest(models.Model):
    """An article that somebody wants and that is not here yet: a worker fetches it (bcms/requesting.py)."""

    # A PMID, PMCID or DOI, as formats.read_article.name_of() writes it.
    ident = models.CharField(max_length=255)
    asked = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)
    # As which it came; None while it is open, and when it did not come. One that came without the full text that was
    # asked for has a problem, too.
    article = models.ForeignKey(Article, on_delete=models.SET_NULL, related_name="+", null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["ident"], condition=Q(finished__isnull=True), name="one_open_request")
        ]

    def __str__(self) -> str:
        return f"PMID {self.ident}" if self.ident.isdigit() else self.ident


class ImportedFile(models.Model):
    """How far a file of PubMed is imported, so that doing it again goes on where it broke off."""

    name = models.CharField(max_length=255, unique=True)
    checksum = models.CharField(max_length=64, help_text="SHA-256 of the file as it is, in hex")
    records = models.PositiveBigIntegerField(default=0, help_text="so many records from its beginning are stored")
    began = models.DateTimeField(db_default=Now())
    finished = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.name


class Pace(models.Model):
    """When an outside service may be asked next, by whichever worker (annotations/pacing.py)."""

    name = models.CharField(max_length=32, unique=True)
    free = models.DateTimeField()

    def __str__(self) -> str:
        return self.name
