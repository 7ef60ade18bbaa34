from django.db import migrations, models


def counts_of(model: str) -> list[migrations.AddField]:
    """Hours and days that are counted already keep what they have, and leave the figures with the windows."""
    trips = models.FloatField(default=0.0, help_text="seconds, of each answer no more than its response time")
    return [
        migrations.AddField(model, "round_trips", trips),
        migrations.AddField(model, "acknowledged", models.PositiveIntegerField(default=0)),
        migrations.AddField(model, "acknowledgement_seconds", models.FloatField(default=0.0)),
    ]


class Migration(migrations.Migration):
    dependencies = [("servers", "0011_trial_callback")]

    operations = [*counts_of("hourtally"), *counts_of("daytally"), *counts_of("figures")]
