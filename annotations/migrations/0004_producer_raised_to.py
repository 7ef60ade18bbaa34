from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0003_article_takedown'),
    ]

    operations = [
        migrations.AddField(
            model_name='producer',
            name='raised_to',
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name='producer',
            index=models.Index(condition=models.Q(('raised_to__isnull', False)), fields=['id'], name='producer_with_stale_articles'),
        ),
    ]
