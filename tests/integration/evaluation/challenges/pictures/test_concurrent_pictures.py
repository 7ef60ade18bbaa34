"""Two organizers change the pictures of a challenge at the same moment."""

from itertools import count

import pytest

from bcms.lib.pictures.page_picture import PagePicture
from evaluation.challenges.pictures import storage
from evaluation.errors import ChallengeError
from servers.audit.models import AuditEvent
from tests.integration.servers.notifications.test_concurrent_notifications import run_at_once

pytestmark = pytest.mark.django_db(transaction=True)


def make_picture(number):
    return storage.NewPicture(f"{number}.png", PagePicture(f"RIFF {number}".encode(), 1, 1))


def test_a_challenge_never_has_more_pictures_than_it_may(challenge, monkeypatch):
    monkeypatch.setattr(storage, "MOST_PICTURES", 2)
    numbers = count()

    def add_one():
        try:
            return len(storage.add_pictures(challenge, [make_picture(next(numbers))]))
        except ChallengeError:
            return 0

    assert sorted(run_at_once(add_one, 4)) == [0, 0, 1, 1]
    assert challenge.pictures.count() == 2


def test_the_same_picture_is_stored_once_and_deleted_once(challenge):
    assert run_at_once(lambda: len(storage.add_pictures(challenge, [make_picture(0)])), 3) == [1, 1, 1]
    picture = challenge.pictures.get()

    def delete():
        try:
            storage.delete_unused_picture(picture)
        except ChallengeError as error:
            return str(error)
        return "deleted"

    assert sorted(run_at_once(delete, 3)) == ["0.png was deleted in the meantime."] * 2 + ["deleted"]
    assert AuditEvent.objects.filter(challenge_id=challenge.pk, before__has_key="picture").count() == 1
