"""What organizers and authors change in the discussion and the announcements, by REST."""

import pytest

from evaluation.challenges.announcements.models import Announcement, AnnouncementAudience
from evaluation.challenges.announcements.publishing import publish_announcement
from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.discussion.posts import begin_thread, reply_in_thread
from servers.audit.models import AuditEvent
from tests.integration.evaluation_cast import create_listed_challenge, make_challenge, make_corpus

pytestmark = pytest.mark.django_db
ROOT = "/api/v1/challenges/example/"


@pytest.fixture
def challenge(olga):
    return make_challenge(olga, make_corpus())


@pytest.fixture
def thread(challenge, carol):
    return begin_thread(challenge, carol, title="Do strains count?", text="See *E. coli*.")


def put(client, path, **sent):
    return client.put(ROOT + path, sent, content_type="application/json")


def test_organizers_lock_and_pin_a_thread(client, thread, olga, carol):
    client.force_login(olga)
    answer = put(client, f"discussion/{thread.pk}/state/", locked=True, pinned=True)

    assert (answer.status_code, answer.json()["locked"], answer.json()["pinned"]) == (200, True, True)
    assert answer.json()["posts"] == 1
    event = AuditEvent.objects.get(action="challenge.thread_changed")
    assert (event.actor_id, event.after) == (olga.pk, {"locked": True, "pinned": True})
    assert put(client, f"discussion/{thread.pk}/state/", locked=True).status_code == 400
    assert put(client, "discussion/999/state/", locked=True, pinned=True).status_code == 404
    client.force_login(carol)
    assert put(client, f"discussion/{thread.pk}/state/", locked=False, pinned=False).status_code == 403
    assert DiscussionThread.objects.get().locked


def test_organizers_hide_a_post_with_a_reason_and_show_it_again(client, thread, olga, carol):
    post = reply_in_thread(thread, carol, "Buy now")
    path = f"posts/{post.pk}/hidden/"
    client.force_login(olga)

    assert put(client, path, reason=" ").status_code == 400
    assert put(client, path, reason="Off\u202etopic").status_code == 400
    assert put(client, path, reason="Off topic.").json() | {"at": ""} == {
        "id": post.pk,
        "author": "carol",
        "at": "",
        "text": "",
        "hidden": "Off topic.",
    }
    assert put(client, path, reason="Another.").json()["hidden"] == "Off topic."
    shown = client.delete(ROOT + path)
    assert (shown.status_code, shown.json()["text"], shown.json()["hidden"]) == (200, "Buy now", "")
    client.force_login(carol)
    assert put(client, path, reason="Mine.").status_code == client.delete(ROOT + path).status_code == 403


def test_authors_remove_their_posts(client, thread, olga, carol, alice):
    post = thread.posts.get()
    for user in (alice, olga):
        client.force_login(user)
        refused = client.delete(f"{ROOT}posts/{post.pk}/")
        assert (refused.status_code, refused.json()["detail"]) == (
            403,
            "Only its author can remove a post. Organizers can hide it.",
        )
    client.force_login(carol)
    assert client.delete(f"{ROOT}posts/{post.pk}/").status_code == 204
    assert DiscussionPost.objects.get().text == DiscussionThread.objects.get().title == ""


def test_organizers_remove_an_announcement(client, challenge, olga, carol):
    audience = AnnouncementAudience.TEAMS
    news = publish_announcement(challenge, olga, title="News", text="Read this.", audience=audience)
    client.force_login(carol)
    assert client.delete(f"{ROOT}announcements/{news.pk}/").status_code == 403
    client.force_login(olga)
    assert client.delete(f"{ROOT}announcements/{news.pk}/").status_code == 204
    assert not Announcement.objects.exists()
    assert client.delete(f"{ROOT}announcements/{news.pk}/").status_code == 404


def test_nothing_of_another_challenge_is_changed(client, thread, olga):
    create_listed_challenge("Second", "second", "", olga)
    client.force_login(olga)
    for path in (f"posts/{thread.posts.get().pk}/hidden/", f"discussion/{thread.pk}/state/"):
        sent = {"reason": "x", "locked": True, "pinned": True}
        assert client.put(f"/api/v1/challenges/second/{path}", sent, content_type="application/json").status_code == 404
    assert DiscussionPost.objects.get().hidden is None
