from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0009_marked_baselines")]

    operations = [
        migrations.AddField(
            model_name="phase",
            name="mean_rank_tasks",
            field=models.ManyToManyField(blank=True, related_name="+", to="evaluation.task"),
        ),
    ]
