"""Count the attempts of open calls. The column was added before, so that this does not lock the table."""

from django.db import migrations

# Calls that have ended are not attempted again.
COUNT_ATTEMPTS_OF_OPEN_CALLS = """
UPDATE servers_call SET begun_attempts = counted.number
FROM (
    SELECT call_id, count(*) AS number
    FROM servers_attempt JOIN servers_call ON servers_call.id = call_id
    WHERE state IN ('waiting', 'asking', 'pending') GROUP BY call_id
) counted
WHERE servers_call.id = counted.call_id
"""


class Migration(migrations.Migration):
    dependencies = [("servers", "0020_begun_attempts")]

    operations = [migrations.RunSQL(COUNT_ATTEMPTS_OF_OPEN_CALLS, migrations.RunSQL.noop)]
