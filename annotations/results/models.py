"""Producers, their Results with annotations, and the summary of each article."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce, Mod, Now
from django.db.models.lookups import Exact, GreaterThanOrEqual

from annotations.articles.models import Article
from annotations.schema import KIND_LABELS, SEVEN_KINDS, SHAPES, Kind, Shape

KIND_CHOICES = [(kind.value, KIND_LABELS[kind]) for kind in SEVEN_KINDS]
RESULT_KIND_CHOICES = [(kind.value, KIND_LABELS[kind]) for kind in Kind]
# The text of a mention without case, spaces and dashes, for comparing (bcms/lib/text.py).
FOLDED_TEXT = models.Func("text", function="annotations_folded_text", output_field=models.TextField())
NO_TERMS = models.Value([], output_field=ArrayField(models.TextField()))
KINDS_WITH_IDENTIFIERS = [kind.value for kind in Kind if SHAPES[kind] is not Shape.LABEL]
SPANS_LENGTH = models.Func("spans", function="cardinality", output_field=models.IntegerField())
LAST_END = models.Func(
    "spans", template="(%(expressions)s)[cardinality(%(expressions)s)]", output_field=models.IntegerField()
)


class ArticleSummary(models.Model):
    """Figures about the public annotations of one article, for searching, counting and sorting.

    A worker refreshes it when the version of the article has changed (annotations/results/article_summaries.py), so it
    may be some seconds behind the article's page. Gold standards and producers that are not public do not contribute.

    servers: the number of servers that annotated the article. As on the page, a server counts once for each kind, with
    the Result of its first queue, which is the LIVE one, even if those of its phases are public, too. producers: all
    producers, including servers. named: the identifiers in any annotation, such as "uniprot:P04637", including
    organisms of genes, such as "ncbitaxon:9606", and methods of relations, "psi-mi:MI:0018". terms: the types of
    entities and relations as their producers wrote them, such as "type:Disease" and "relation:Association".
    best_confidences: the highest confidence of an annotation with each of these, {"type:Disease": 0.9}.

    yes, no: the numbers of servers that classify it as about protein interactions, or not. balance: 0 is a certain no
    by all, 1 a certain yes by all (annotations/results/collation.py), None if no server classified it.

    disagreement: over the kinds that two or more servers annotated, the mean over all different annotations of the
    share of the other servers that do not make the same annotation; as on the page, identifiers of one gene are the
    same. Mentions and entities of a type count for the servers that look for it: those that are registered for it, and
    those that report it in the article; one without a type counts for those that its servers look for. A server looks
    for every type if it is registered for none, and reports none of the kind or some without a type, and if these are
    more than MOST_SOUGHT_TYPES. Sets of labels are compared as types. 0: all servers agree; 1: no two servers agree on
    anything. For two servers, it is the share of annotations that only one of them makes. None if nothing can be
    compared.
    """

    article = models.OneToOneField(Article, on_delete=models.CASCADE, primary_key=True, related_name="standing")
    # The counted version of the article that the other fields were computed from, and by which rules.
    version = models.PositiveBigIntegerField()
    rules = models.PositiveSmallIntegerField(default=1, db_default=1)
    servers = models.PositiveIntegerField(default=0)
    producers: "models.Field[list[int], list[int]]" = ArrayField(models.BigIntegerField(), default=list)
    named: "models.Field[list[str], list[str]]" = ArrayField(models.TextField(), default=list)
    terms: "models.Field[list[str], list[str]]" = ArrayField(models.TextField(), default=list, db_default=NO_TERMS)
    best_confidences = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    yes = models.PositiveIntegerField(default=0)
    no = models.PositiveIntegerField(default=0)
    balance = models.FloatField(null=True, blank=True)
    disagreement = models.FloatField(null=True, blank=True)

    class Meta:
        indexes = [
            GinIndex(fields=["named"], name="standing_named"),
            GinIndex(fields=["terms"], name="standing_terms"),
            GinIndex(fields=["producers"], name="standing_producers"),
            models.Index(fields=["servers", "article"], name="standing_servers"),
            # Articles without a value come after all others.
            models.Index(Coalesce("balance", -1.0), "article", name="standing_balance"),
            models.Index(Coalesce("disagreement", -1.0), "article", name="standing_disagreement"),
        ]

    def __str__(self) -> str:
        return f"summary of {self.article_id}"


class AnnotatedTerm(models.Model):
    """A type of entities, a type of relations or an entity in the summaries of public articles, and in how many.

    It is here as soon as a summary has it; a worker counts the articles from time to time
    (annotations/results/annotated_terms.py).
    """

    class Category(models.TextChoices):
        TYPE = "type"
        RELATION = "relation"
        ENTITY = "entity"

    category = models.CharField(max_length=8, choices=Category.choices)
    # As in ArticleSummary: a type as its producer wrote it, or the stored CURIE of an entity.
    value = models.TextField()
    articles = models.PositiveIntegerField(default=1, db_default=1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["category", "value"], name="annotated_term_once")]
        indexes = [models.Index(fields=["category", "-articles"], name="annotated_term_by_articles")]

    def __str__(self) -> str:
        return f"{self.category} {self.value}"


class Producer(models.Model):
    """Whatever produces annotations: a server, run, gold standard, consensus, curator or author."""

    class Type(models.TextChoices):
        SERVER = "server"
        RUN = "run"
        GOLD = "gold"
        CONSENSUS = "consensus"
        CURATOR = "curator"
        AUTHOR = "author"

    sort = models.CharField(max_length=10, choices=Type.choices)
    name = models.CharField(max_length=200)
    # Everybody sees the annotations of public producers by default; who may see others depends on their roles.
    public = models.BooleanField(default=False)
    # For producers in a challenge: its organizers have published the annotations. They are public as well once a review
    # has accepted their server or, of producers that are not servers, the challenge (evaluation/runs/disclosure.py).
    published = models.BooleanField(default=False, db_default=False)
    # Increases with changes that do not raise the version of an article: new database entries for identifiers in its
    # Results while it is not public, and new calibrations of its confidences.
    renewed = models.PositiveBigIntegerField(default=0, db_default=0)
    # After its annotations were made public or hidden, the id of the last article of which a worker has raised the
    # version; None once it has raised them all (annotations/results/producers.py).
    raised_to = models.PositiveBigIntegerField(null=True, blank=True)
    # The id of the servers.Server that it stands for, which has one producer for each of its queues and counts once; no
    # foreign key, because this app does not depend on servers.
    server = models.BigIntegerField(null=True, blank=True)
    # The types of entities that this server is registered for, empty if its team does not say.
    entity_types: "models.Field[list[str], list[str]]" = ArrayField(
        models.TextField(), default=list, db_default=NO_TERMS, blank=True
    )

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=Q(raised_to__isnull=False), name="producer_with_stale_articles")
        ]

    def __str__(self) -> str:
        return self.name


class Reply(models.Model):
    """The unchanged body of a server's answer, once per call, for provenance and for validating again."""

    body = models.BinaryField()  # zlib
    size = models.PositiveIntegerField(help_text="bytes before compression")


# What moved_from is if annotations came with a text of their own, which is no version of the article's.
CARRIED_TEXT = 0


class Result(models.Model):
    """The annotations of one kind of one article by one producer. It may be empty: the producer found nothing."""

    article = models.ForeignKey(Article, on_delete=models.PROTECT, related_name="results")
    text_version = models.PositiveIntegerField()
    kind = models.CharField(max_length=14, choices=RESULT_KIND_CHOICES)
    producer = models.ForeignKey(Producer, on_delete=models.PROTECT, related_name="results")
    # The id of the servers.Call that produced it; no foreign key, because this app does not depend on servers.
    call = models.BigIntegerField(null=True, blank=True)
    reply = models.ForeignKey(Reply, null=True, blank=True, on_delete=models.PROTECT)
    received = models.DateTimeField(db_default=Now())
    duration = models.FloatField(null=True, blank=True, help_text="seconds")
    empty_reason = models.CharField(max_length=200, blank=True)
    # The version of the producing system: as stated by its server then, otherwise by its team.
    stated_version = models.CharField(max_length=100, blank=True, default="", db_default="")
    superseded = models.DateTimeField(null=True, blank=True)
    # The version of the text that was annotated, if its annotations have been moved from there to text_version, or
    # CARRIED_TEXT if they came with their text; and how many could not be, because that text does not have their words
    # (annotations/results/changed_texts/moving.py).
    moved_from = models.PositiveIntegerField(null=True, blank=True)
    not_movable = models.PositiveIntegerField(null=True, blank=True)
    # Whether the look-up of its identifiers has been queued (Entry.reported), or it was stored without any.
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
            models.Index(
                fields=["superseded"],
                name="superseded_with_reply",
                condition=Q(superseded__isnull=False, reply__isnull=False),
            ),
            models.Index(
                fields=["-id"], name="result_not_noted", condition=Q(noted=False, kind__in=KINDS_WITH_IDENTIFIERS)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.article_id} by {self.producer_id}"

    @property
    def came_with_text(self) -> bool:
        """Whether the annotations came with a text of their own and were moved from it."""
        return self.moved_from == CARRIED_TEXT


class Annotation(models.Model):
    """One annotation; annotations/results/annotation_rows.py documents which columns each kind uses.

    The table is in partitions by the id of the result, with which the primary key of the database begins: look for
    annotations by their result, or by an indexed column.
    """

    result = models.ForeignKey(Result, on_delete=models.CASCADE, related_name="annotations", db_index=False)
    rank = models.PositiveIntegerField(null=True, blank=True)
    confidence = models.FloatField(null=True, blank=True)
    start = models.PositiveIntegerField(null=True, blank=True)
    end = models.PositiveIntegerField(null=True, blank=True)
    text = models.TextField(blank=True)
    type = models.CharField(max_length=100, blank=True)
    database = models.CharField(max_length=32, blank=True)
    identifier = models.CharField(max_length=200, blank=True)
    partner = models.CharField(max_length=64, blank=True)
    taxon = models.PositiveIntegerField(null=True, blank=True)
    relevant = models.BooleanField(null=True, blank=True)
    spans = ArrayField(models.IntegerField(), null=True, blank=True)
    curies = ArrayField(models.TextField(), null=True, blank=True)
    detail = models.JSONField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["database", "identifier"], name="annotation_of_identifier", condition=~Q(identifier="")
            ),
            models.Index(FOLDED_TEXT, name="annotation_of_text", condition=Q(start__isnull=False)),
            models.Index(fields=["database", "partner"], name="annotation_of_partner", condition=~Q(partner="")),
            GinIndex(
                fields=["curies"], name="annotation_of_curies", condition=Q(curies__isnull=False), fastupdate=False
            ),
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
            models.CheckConstraint(
                condition=Q(spans__isnull=True)
                | Q(
                    GreaterThanOrEqual(SPANS_LENGTH, 4),
                    Exact(Mod(SPANS_LENGTH, 2), 0),
                    Exact(LAST_END, models.F("end")),
                    spans__0=models.F("start"),
                ),
                name="parts_within_mention",
            ),
        ]
