"""Workers that read archives at the same moment: one at a time, so that all of them become drafts."""

from itertools import count

import pytest

from bcms.draft_archives.processing import store_draft_archive
from bcms.tasks import create_draft_from_archive_unless_busy
from evaluation.archives.models import DraftArchive
from evaluation.challenges.models import Challenge
from tests.integration.archive_cast import write_challenge_archive
from tests.integration.servers.notifications.test_concurrent_notifications import run_at_once

# Committed, so that all workers see it.
pytestmark = pytest.mark.django_db(transaction=True)


def test_archives_of_the_same_name_get_names_of_their_own(challenge, django_user_model, tmp_path):
    content = write_challenge_archive(challenge, tmp_path / "example.zip").read_bytes()
    organizers = [django_user_model.objects.create_superuser(f"organizer-{number}") for number in range(3)]
    archives = [store_draft_archive(content, "example.zip", organizer, {}).pk for organizer in organizers]
    numbers = count()
    outcomes = run_at_once(lambda: create_draft_from_archive_unless_busy(archives[next(numbers)]), 3)
    assert set(outcomes) <= {"busy", "finished"} and "finished" in outcomes
    for archive in archives:
        create_draft_from_archive_unless_busy(archive)
    assert [archive.state for archive in DraftArchive.objects.all()] == ["finished"] * 3
    assert set(Challenge.objects.values_list("slug", flat=True)) == {"example", "example-2", "example-3", "example-4"}


def test_workers_with_the_same_archive_create_one_draft(challenge, dora, tmp_path):
    content = write_challenge_archive(challenge, tmp_path / "example.zip").read_bytes()
    archive = store_draft_archive(content, "example.zip", dora, {})
    outcomes = run_at_once(lambda: create_draft_from_archive_unless_busy(archive.pk), 3)
    assert outcomes.count("finished") == 1 and set(outcomes) <= {"busy", "finished", "nothing"}
    assert set(Challenge.objects.values_list("slug", flat=True)) == {"example", "example-2"}
