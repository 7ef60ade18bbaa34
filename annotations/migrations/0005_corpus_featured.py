from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0004_producer_raised_to'),
    ]

    operations = [
        migrations.AddField(
            model_name='corpus',
            name='featured',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
