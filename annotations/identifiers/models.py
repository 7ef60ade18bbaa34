"""The local copy of entries of outside databases."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import Q

EMPTY_ARRAY = models.Value([], output_field=ArrayField(models.CharField(max_length=64)))
# All names and identifiers of an entry, including old ones, regularized (bcms/lib/text.py).
ENTRY_NAMES_EXPRESSION = models.Func(
    *("identifier", "symbol", "name", "synonyms", "successors"),
    function="annotations_names",
    output_field=ArrayField(models.TextField()),
)
# The same as lexemes, with each further word of a name after a space: an index finds those with a prefix.
ENTRY_LEXEMES_EXPRESSION = models.Func(
    *(ENTRY_NAMES_EXPRESSION, "name", "synonyms"),
    function="annotations_name_lexemes",
    output_field=SearchVectorField(),
)
# Suggestions look up hundreds of lexemes, and each look-up reads the whole pending list of the index.
PENDING_LIST_KILOBYTES = 256


class Entry(models.Model):
    """What an outside database says about one identifier."""

    database = models.CharField(max_length=32)
    identifier = models.CharField(max_length=64)
    # None: not known yet. False: it never was an entry, which breaks a rule.
    exists = models.BooleanField(null=True, blank=True)
    # It was an entry once. With one successor it is an alias of that entry (a secondary or merged accession; entry
    # names are aliases, too, but not withdrawn). With several, it was divided into them; with none, it was deleted.
    withdrawn = models.BooleanField(default=False, db_default=False)
    successors = ArrayField(models.CharField(max_length=64), default=list, db_default=EMPTY_ARRAY, blank=True)
    name = models.CharField(max_length=255, blank=True, help_text="preferred name")
    symbol = models.CharField(max_length=64, blank=True)
    synonyms = ArrayField(models.CharField(max_length=500), default=list, blank=True)
    taxon = models.PositiveIntegerField(null=True, blank=True)
    # These help to choose between entries of the same name; "" if unknown.
    location = models.CharField(max_length=255, blank=True, default="", db_default="")
    function = models.TextField(blank=True, default="", db_default="")
    # NCBI Gene identifiers of the genes that encode a protein; empty if unknown, and for other entries.
    genes = ArrayField(models.CharField(max_length=64), default=list, db_default=EMPTY_ARRAY, blank=True)
    # PSI-MI terms that a PSI-MI term is a kind of; empty for other entries, and for withdrawn ones.
    parents = ArrayField(models.CharField(max_length=64), default=list, db_default=EMPTY_ARRAY, blank=True)
    source = models.CharField(max_length=64, blank=True)
    checked = models.DateTimeField(null=True, blank=True)
    # When to look it up again; None: it has not been looked up yet.
    due = models.DateTimeField(null=True, blank=True)
    # Whether an annotation refers to it: only these are looked up, and looked up again when they are old.
    reported = models.BooleanField(default=False, db_default=False)
    # Whether a loaded table has it. Others are here because an annotation refers to them, which may not be public.
    listed = models.BooleanField(default=False, db_default=False)

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
            GinIndex(ENTRY_NAMES_EXPRESSION, name="entry_names"),
            GinIndex(ENTRY_LEXEMES_EXPRESSION, name="entry_lexemes", gin_pending_list_limit=PENDING_LIST_KILOBYTES),
        ]

    def __str__(self) -> str:
        return f"{self.database}:{self.identifier}"


class LoadedNamespace(models.Model):
    """A database of which tables of identifiers were loaded."""

    database = models.CharField(max_length=32, unique=True)
    title = models.CharField(max_length=64, help_text="kind of the last table")
    source = models.CharField(max_length=255, help_text="name of the last file")
    entries = models.PositiveIntegerField(help_text="entries in the last table")
    loaded = models.DateTimeField()
    # When a table was loaded that had every identifier there ever was, and how these begin: "" if it had all of the
    # database, "D" for the descriptors of MeSH.
    completed = models.DateTimeField(null=True, blank=True)
    complete_start = models.CharField(max_length=8, blank=True)

    def __str__(self) -> str:
        return f"{self.database}: {self.title}"
