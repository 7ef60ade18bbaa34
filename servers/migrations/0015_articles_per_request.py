import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("servers", "0014_entity_types")]

    operations = [
        migrations.AddField(
            model_name="server",
            name="articles_per_request",
            field=models.PositiveSmallIntegerField(
                blank=True,
                db_default=1,
                default=1,
                help_text="the most that it takes in one request, at most 64",
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(64),
                ],
            ),
        ),
        migrations.AddField(
            model_name="server",
            name="batch_limit",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="server",
            name="batch_answers",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="attempt",
            name="articles_in_request",
            field=models.PositiveSmallIntegerField(db_default=1, default=1),
        ),
    ]
