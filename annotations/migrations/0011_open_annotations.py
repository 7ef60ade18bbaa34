from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models
from django.db.models.functions import Mod
from django.db.models.lookups import Exact, GreaterThanOrEqual

KINDS = [
    ("mention", "Mentions"),
    ("normalization", "Genes and proteins"),
    ("taxon", "Organisms"),
    ("classification", "Interaction article"),
    ("pair", "Interaction pairs"),
    ("method", "Methods"),
    ("passage", "Evidence passages"),
    ("entity", "Entities"),
    ("relation", "Relations"),
    ("label", "Labels"),
]
KINDS_WITH_IDENTIFIERS = [kind for kind, _ in KINDS if kind not in ("classification", "label")]
SPANS_LENGTH = models.Func("spans", function="cardinality", output_field=models.IntegerField())
LAST_END = models.Func(
    "spans", template="(%(expressions)s)[cardinality(%(expressions)s)]", output_field=models.IntegerField()
)


class Migration(migrations.Migration):
    # No row is rewritten: the new columns are NULL in rows without open annotations, and take no space there. The index
    # of identifiers is built again, as they may be longer. Stored Results of mentions come into the index of what may
    # have identifiers; a worker finds that they have none.
    dependencies = [("annotations", "0010_loaded_namespaces")]

    operations = [
        migrations.AddField(
            model_name="annotation",
            name="spans",
            field=ArrayField(base_field=models.IntegerField(), blank=True, null=True, size=None),
        ),
        migrations.AddField(
            model_name="annotation",
            name="curies",
            field=ArrayField(base_field=models.TextField(), blank=True, null=True, size=None),
        ),
        migrations.AddField(model_name="annotation", name="detail", field=models.JSONField(blank=True, null=True)),
        migrations.AlterField(
            model_name="annotation", name="identifier", field=models.CharField(blank=True, max_length=200)
        ),
        migrations.AddIndex(
            model_name="annotation",
            index=GinIndex(
                condition=models.Q(("curies__isnull", False)),
                fastupdate=False,
                fields=["curies"],
                name="annotation_of_curies",
            ),
        ),
        migrations.AddConstraint(
            model_name="annotation",
            constraint=models.CheckConstraint(
                condition=models.Q(spans__isnull=True)
                | models.Q(
                    GreaterThanOrEqual(SPANS_LENGTH, 4),
                    Exact(Mod(SPANS_LENGTH, 2), 0),
                    Exact(LAST_END, models.F("end")),
                    spans__0=models.F("start"),
                ),
                name="parts_within_mention",
            ),
        ),
        migrations.AlterField(model_name="result", name="kind", field=models.CharField(choices=KINDS, max_length=14)),
        migrations.RemoveIndex(model_name="result", name="result_not_noted"),
        migrations.AddIndex(
            model_name="result",
            index=models.Index(
                condition=models.Q(("kind__in", KINDS_WITH_IDENTIFIERS), ("noted", False)),
                fields=["-id"],
                name="result_not_noted",
            ),
        ),
    ]
