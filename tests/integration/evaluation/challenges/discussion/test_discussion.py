"""The discussion of a challenge: who reads and writes, what organizers can do, and the daily mail."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from evaluation import tasks
from evaluation.challenges.discussion import views
from evaluation.challenges.discussion.models import DiscussionPost, DiscussionThread
from evaluation.challenges.discussion.moderation import hide_post, lock_or_pin_thread
from evaluation.challenges.discussion.posts import (
    DAILY_THREADS,
    HOURLY_POSTS,
    begin_thread,
    remove_own_post,
    reply_in_thread,
)
from evaluation.challenges.followers.choices import MailChoice, store_mail_choice
from evaluation.challenges.followers.models import ChallengeFollower
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.repeated_texts import REPEATED_WITHIN
from evaluation.errors import ChallengeError
from servers.audit.models import AuditEvent
from servers.inbox.entries import mark_entries_read
from servers.inbox.models import InboxEntry

pytestmark = pytest.mark.django_db
PAGE = "/challenges/example/discussion/"
DAY = timedelta(days=1)


@pytest.fixture
def challenge(phase):
    return phase.challenge


@pytest.fixture
def thread(challenge, carol):
    return begin_thread(challenge, carol, title="Do strains count?", text="See *E. coli*.")


def read(client, thread):
    return client.get(f"{PAGE}{thread.pk}/").content.decode()


def test_an_account_begins_a_thread_and_everybody_reads_it(client, challenge, carol):
    client.force_login(carol)
    assert client.post(f"{PAGE}new/", {"title": "A question", "text": "When **exactly**?"}).status_code == 302
    client.logout()
    assert "A question" in client.get(PAGE).content.decode()
    page = read(client, DiscussionThread.objects.get())
    assert "<strong>exactly</strong>" in page
    assert "carol" in page
    assert "Log in</a> to reply" in page


def test_its_lists_have_pages(client, challenge, thread, olga, monkeypatch):
    monkeypatch.setattr(views, "THREADS_ON_A_PAGE", 1)
    monkeypatch.setattr(views, "POSTS_ON_A_PAGE", 1)
    reply_in_thread(thread, olga, "More.")
    begin_thread(challenge, olga, title="Another", text="x")
    for address, number in ((PAGE, "1"), (f"{PAGE}{thread.pk}/", "1")):
        page = client.get(f"{address}?page={number}").content.decode()
        assert "Page 1 of 2" in page and 'href="?page=2" rel="next"' in page
    for odd in ("0", "-1", "9" * 5000, "x", "1.5", "last"):
        for address in (PAGE, f"{PAGE}{thread.pk}/"):
            assert client.get(f"{address}?page={odd}").status_code == 200, odd


def test_a_visitor_does_not_write(client, thread):
    assert client.post(f"{PAGE}{thread.pk}/", {"text": "Buy now"}).status_code == 403
    assert client.post(f"{PAGE}new/", {"title": "x", "text": "x"}).status_code == 302
    assert DiscussionPost.objects.count() == 1


def test_a_reply_moves_its_thread_up(client, challenge, thread, alice):
    other = begin_thread(challenge, alice, title="Newer", text="x")
    client.force_login(alice)
    assert client.post(f"{PAGE}{thread.pk}/", {"text": "Yes."}).status_code == 302
    titles = [each.title for each in client.get(PAGE).context["listed"]]
    assert titles == ["Do strains count?", "Newer"]
    lock_or_pin_thread(other, locked=False, pinned=True)
    assert [each.title for each in client.get(PAGE).context["listed"]] == ["Newer", "Do strains count?"]


def test_an_empty_reply_is_refused_at_the_form(client, thread, alice):
    client.force_login(alice)
    assert client.post(f"{PAGE}{thread.pk}/", {"text": "  "}).status_code == 422


def test_nobody_writes_too_much(client, challenge, thread, alice):
    for number in range(HOURLY_POSTS):
        reply_in_thread(thread, alice, f"x{number}")
    client.force_login(alice)
    answer = client.post(f"{PAGE}{thread.pk}/", {"text": "My long text"})
    assert answer.status_code == 422
    assert "within an hour" in answer.content.decode()
    assert "My long text" in answer.content.decode()


def test_nobody_begins_too_many_threads(challenge, alice, olga):
    for number in range(DAILY_THREADS):
        begin_thread(challenge, alice, title=f"Thread {number}", text="x")
    with pytest.raises(ChallengeError, match="within a day"):
        begin_thread(challenge, alice, title="One more", text="x")
    assert begin_thread(challenge, olga, title="Of an organizer", text="x").pk


def test_an_organizer_hides_a_post_with_a_reason(client, organizer, thread, olga):
    post = thread.posts.get()
    address = f"{PAGE}posts/{post.pk}/hide/"
    organizer.post(address, {"reason": ""})
    assert not DiscussionPost.objects.get().hidden
    for _ in range(2):
        organizer.post(address, {"reason": "Off topic."})
    assert "E. coli" in read(organizer, thread)
    client.logout()
    page = read(client, thread)
    assert "Hidden by the organizers: Off topic." in page
    assert "E. coli" not in page
    api = client.get(f"/api/v1/challenges/example/discussion/{thread.pk}/posts/").json()["results"]
    assert [(each["text"], each["hidden"]) for each in api] == [("", "Off topic.")]
    client.force_login(olga)
    client.post(address, {"show": "1"})
    assert "E. coli" in read(client, thread)
    assert AuditEvent.objects.filter(action__startswith="challenge.post_").count() == 2


def list_titles(client, thread):
    """The title of a thread wherever readers see it."""
    listed = client.get("/api/v1/challenges/example/discussion/").json()["results"][0]["title"]
    assert listed in client.get(PAGE).content.decode()
    assert listed in read(client, thread)
    return listed


def test_a_title_is_hidden_with_the_post_that_begins_its_thread(client, organizer, thread, challenge, carol, alice):
    reply = reply_in_thread(thread, carol, "More.")
    organizer.post(f"{PAGE}posts/{reply.pk}/hide/", {"reason": "Off topic."})
    assert list_titles(organizer, thread) == "Do strains count?"
    organizer.post(f"{PAGE}posts/{thread.posts.earliest('pk').pk}/hide/", {"reason": "Off topic."})
    assert "Do strains count?" in read(organizer, thread)
    client.logout()
    assert list_titles(client, thread) == "Hidden thread"
    assert "Do strains count?" not in read(client, thread) + client.get(PAGE).content.decode()


def test_the_daily_mail_has_no_hidden_title(challenge, thread, alice, carol, mailoutbox):
    store_mail_choice(challenge, alice, MailChoice(announcements=False, discussion=True))
    ChallengeFollower.objects.update(digested=timezone.now() - 2 * DAY)
    reply_in_thread(thread, carol, "Shown.")
    hide_post(thread.posts.earliest("pk"), challenge.organizers.get(), "Off topic.")
    DiscussionPost.objects.update(at=F("at") - DAY / 2)
    tasks.mail_announcements_unless_busy()
    assert "Hidden thread\ncarol: Shown." in mailoutbox[-1].body
    assert "strains" not in mailoutbox[-1].body


def test_others_hide_and_lock_nothing(client, thread, alice):
    client.force_login(alice)
    post = thread.posts.get()
    assert client.post(f"{PAGE}posts/{post.pk}/hide/", {"reason": "x"}).status_code == 403
    assert client.post(f"{PAGE}{thread.pk}/change/", {"locked": "on"}).status_code == 403
    assert client.post(f"{PAGE}posts/{post.pk}/remove/").status_code == 403
    assert not DiscussionPost.objects.exclude(hidden=None, removed=None).exists()


def test_an_organizer_of_another_challenge_hides_nothing_here(client, thread, alice, django_user_model):
    other = Challenge.objects.create(name="Other", slug="other", state=ChallengeState.LISTED)
    other.organizers.add(alice)
    client.force_login(alice)
    address = f"/challenges/other/discussion/posts/{thread.posts.get().pk}/hide/"
    assert client.post(address, {"reason": "x"}).status_code == 404


def test_its_author_removes_a_post(client, thread, carol):
    client.force_login(carol)
    client.post(f"{PAGE}posts/{thread.posts.get().pk}/remove/")
    page = read(client, thread)
    assert "Removed by its author." in page
    assert "E. coli" not in page
    assert DiscussionPost.objects.get().text == ""
    assert DiscussionThread.objects.get().title == ""
    assert list_titles(client, thread) == "Removed thread"


def test_nobody_replies_in_a_locked_thread_but_organizers(client, organizer, thread, alice, olga):
    organizer.post(f"{PAGE}{thread.pk}/change/", {"locked": "on"})
    with pytest.raises(ChallengeError, match="locked"):
        reply_in_thread(thread, alice, "x")
    assert reply_in_thread(thread, olga, "Closing words.").pk
    client.force_login(alice)
    assert "The organizers have locked this thread." in read(client, thread)


@pytest.mark.parametrize("state", [ChallengeState.DRAFT, ChallengeState.ARCHIVED])
def test_nobody_writes_in_a_challenge_that_is_a_draft_or_archived(challenge, thread, olga, state):
    Challenge.objects.update(state=state)
    with pytest.raises(ChallengeError):
        reply_in_thread(thread, olga, "x")


def test_a_thread_of_a_draft_is_not_found(client, thread):
    Challenge.objects.update(state=ChallengeState.DRAFT)
    assert client.get(f"{PAGE}{thread.pk}/").status_code == 404
    assert client.get(f"/api/v1/challenges/example/discussion/{thread.pk}/posts/").status_code == 404


def test_pages_take_as_many_queries_whatever_they_show(client, challenge, thread, alice, django_assert_num_queries):
    with django_assert_num_queries(3):
        client.get(PAGE)
    with django_assert_num_queries(5):
        read(client, thread)
    for number in range(5):
        reply_in_thread(thread, alice, f"x{number}")
        begin_thread(challenge, alice, title=f"Thread {number}", text="x")
    with django_assert_num_queries(3):
        client.get(PAGE)
    with django_assert_num_queries(5):
        read(client, thread)


def list_notifications(account):
    return list(InboxEntry.objects.filter(user=account).order_by("pk").values_list("text", "path"))


def test_who_wrote_in_a_thread_is_notified_of_replies_once_until_they_read(challenge, thread, alice, carol, olga):
    for text in ("One.", "Two."):
        reply_in_thread(thread, alice, text)
    expected = ("Example challenge: new replies in a thread in which you wrote.", f"{PAGE}{thread.pk}/")
    assert list_notifications(carol) == [expected]
    assert list_notifications(alice) == list_notifications(olga) == []
    mark_entries_read(carol.pk, InboxEntry.objects.latest("pk").pk)
    reply_in_thread(thread, olga, "Three.")
    assert list_notifications(carol) == [expected, expected]
    assert list_notifications(alice) == [expected]


def test_who_took_everything_back_or_is_deactivated_is_not_notified(challenge, thread, alice, carol, olga):
    post = reply_in_thread(thread, alice, "One.")
    InboxEntry.objects.all().delete()
    remove_own_post(post, alice)
    type(carol).objects.filter(pk=carol.pk).update(is_active=False)
    reply_in_thread(thread, olga, "Two.")
    assert not InboxEntry.objects.exists()


def test_one_mail_a_day_tells_followers_of_new_posts(challenge, thread, alice, carol, mailoutbox):
    store_mail_choice(challenge, alice, MailChoice(announcements=False, discussion=True))
    mailoutbox.clear()
    own = reply_in_thread(thread, alice, "My own words.")
    shown, hidden, gone = (reply_in_thread(thread, carol, text) for text in ("**New** words.", "Spam.", "Oops."))
    hide_post(hidden, challenge.organizers.get(), "Off topic.")
    remove_own_post(gone, carol)
    tasks.mail_announcements_unless_busy()
    assert mailoutbox == []
    DiscussionPost.objects.update(at=own.at - DAY / 2)
    ChallengeFollower.objects.update(digested=own.at - 2 * DAY)
    DiscussionPost.objects.filter(pk=thread.posts.earliest("pk").pk).update(at=own.at - 3 * DAY)
    tasks.mail_announcements_unless_busy()
    tasks.mail_announcements_unless_busy()
    (mail,) = mailoutbox
    assert mail.to == ["alice@example.org"]
    assert mail.subject == "[BCMS] Example challenge: 1 new post"
    assert "carol: New words." in mail.body
    for words in ("My own words", "Spam", "Oops", "coli"):
        assert words not in mail.body
    assert shown.pk


def test_whoever_begins_to_follow_is_told_of_later_posts(challenge, thread, alice):
    store_mail_choice(challenge, alice, MailChoice(announcements=True, discussion=False))
    ChallengeFollower.objects.update(digested=timezone.now() - 9 * DAY)
    store_mail_choice(challenge, alice, MailChoice(announcements=True, discussion=True))
    assert ChallengeFollower.objects.get().digested > timezone.now() - DAY


def test_programs_write_and_read(client, challenge, carol):
    address = "/api/v1/challenges/example/discussion/"
    assert client.post(address, {"title": "x", "text": "x"}).status_code in (401, 403)
    client.force_login(carol)
    thread = client.post(address, {"title": "By a program", "text": "x"}).json()["id"]
    assert client.post(f"{address}{thread}/posts/", {"text": "more"}).status_code == 201
    assert [each["text"] for each in client.get(f"{address}{thread}/posts/").json()["results"]] == ["x", "more"]
    Challenge.objects.update(state=ChallengeState.ARCHIVED)
    assert client.post(f"{address}{thread}/posts/", {"text": "late"}).status_code == 409


@pytest.mark.parametrize(
    ("title", "text", "status"), [("a\x07b", "x", 422), ("a", "b\x07c", 422), ("a\nb", "c\nd", 302)]
)
def test_titles_are_one_line_and_nothing_has_control_characters(client, challenge, carol, title, text, status):
    client.force_login(carol)
    assert client.post(f"{PAGE}new/", {"title": title, "text": text}).status_code == status
    sent = client.post("/api/v1/challenges/example/discussion/", {"title": title, "text": text})
    assert sent.status_code == (201 if status == 302 else 400)
    assert {each.title for each in DiscussionThread.objects.all()} == ({"a b"} if status == 302 else set())


def test_what_is_sent_twice_is_stored_once(client, challenge, thread, alice, carol):
    client.force_login(alice)
    address = "/api/v1/challenges/example/discussion/"
    begun = [client.post(address, {"title": "Offsets?", "text": "In characters?"}).json()["id"] for _ in range(2)]
    posts = f"{address}{thread.pk}/posts/"
    replies = [client.post(posts, {"text": "Yes."}).json()["id"] for _ in range(2)]
    assert len({*begun}) == len({*replies}) == 1
    reply_in_thread(thread, carol, "Yes.")
    reply_in_thread(thread, alice, "Yes.")
    assert [post.author for post in thread.posts.order_by("pk")] == [carol, alice, carol, alice]
    old = timezone.now() - REPEATED_WITHIN
    DiscussionPost.objects.update(at=old)
    DiscussionThread.objects.update(created=old)
    reply_in_thread(thread, alice, "Yes.")
    begin_thread(challenge, alice, title="Offsets?", text="In characters?")
    assert (thread.posts.count(), challenge.threads.filter(title="Offsets?").count()) == (5, 2)


def test_a_reply_that_was_removed_can_be_written_again(thread, alice):
    remove_own_post(reply_in_thread(thread, alice, "Yes."), alice)
    reply_in_thread(thread, alice, "Yes.")
    assert list(thread.posts.order_by("pk").values_list("text", flat=True)[1:]) == ["", "Yes."]
