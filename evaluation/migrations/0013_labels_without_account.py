import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    """Labels that come out of an archive are nobody's here."""

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("evaluation", "0012_corpus_owner"),
    ]

    operations = [
        migrations.AlterField(
            "labeller",
            "user",
            models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="labellers",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
