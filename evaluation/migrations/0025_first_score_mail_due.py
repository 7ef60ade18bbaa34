from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0024_audience_of_entered_teams")]

    operations = [
        migrations.AddField("run", "first_score_mail_due", models.BooleanField(default=False, db_default=False)),
    ]
