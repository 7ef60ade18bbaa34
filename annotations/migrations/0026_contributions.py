import django.db.models.deletion
from django.db import migrations, models


def name_contributors(apps, schema_editor):
    """Those who were named until now: the curator, and those of the two records that it continues."""
    Contribution = apps.get_model("annotations", "Contribution")
    rows = apps.get_model("annotations", "PublishedAbstract").objects.values_list(
        "pk", "curation__basis__basis__curator", "curation__basis__curator", "curation__curator"
    )
    contributions = []
    for published, *curators in rows.order_by("pk"):
        named = dict.fromkeys(curator for curator in curators if curator is not None)
        contributions += [
            Contribution(published_id=published, curator_id=curator, position=position)
            for position, curator in enumerate(named)
        ]
    Contribution.objects.bulk_create(contributions, batch_size=1000)


class Migration(migrations.Migration):

    dependencies = [
        ('annotations', '0025_agreed_decisions'),
    ]

    operations = [
        migrations.CreateModel(
            name='Contribution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('curator', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='contributions', to='annotations.curator')),
                ('published', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contributions', to='annotations.publishedabstract')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('published', 'curator'), name='contribution_once')],
            },
        ),
        migrations.RunPython(name_contributors, migrations.RunPython.noop, elidable=True),
    ]
