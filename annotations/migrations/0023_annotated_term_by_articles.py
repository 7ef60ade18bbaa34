from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("annotations", "0022_curator_profiles")]

    operations = [
        migrations.AddIndex(
            model_name="annotatedterm",
            index=models.Index(fields=["category", "-articles"], name="annotated_term_by_articles"),
        ),
    ]
