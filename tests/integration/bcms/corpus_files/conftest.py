import pytest

from evaluation.challenges.models import Challenge


@pytest.fixture
def challenge(db):
    return Challenge.objects.create(state="draft", name="Own", slug="own", description="Mine.")


@pytest.fixture
def organizer(client, olga, challenge):
    challenge.organizers.add(olga)
    client.force_login(olga)
    return client
