from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0003_articles_wanted"),
    ]

    operations = [
        migrations.AddField(
            model_name="entry",
            name="location",
            field=models.CharField(blank=True, db_default="", default="", max_length=255),
        ),
        migrations.AddField(
            model_name="entry",
            name="function",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
