"""Reviewers accept and decline what challenges have published, and the organizers get a mail."""

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.core import mail

from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from servers.audit.models import AuditAction, AuditEvent
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from tests.integration.evaluation_cast import answer, create_listed_challenge, get_article, make_server, species

pytestmark = pytest.mark.django_db

PAGE, REST = "/challenges/example/review/", "/api/v1/challenges/example/review/"
LIST, REST_LIST = "/servers/review/challenges/", "/api/v1/challenge-reviews/"


@pytest.fixture
def reviewer(carol):
    """Not staff, but with the permission to review servers."""
    carol.user_permissions.add(Permission.objects.get(codename="review_server"))
    return carol


@pytest.fixture
def as_reviewer(client, reviewer):
    client.force_login(reviewer)
    return client


@pytest.fixture
def waiting(challenge, team, alice, olga):
    """Its training phase is published: a server's run, an upload, and two gold standards. Nobody has reviewed it."""
    Challenge.objects.update(review="unreviewed")
    EmailAddress.objects.get_or_create(user=olga, email="olga@example.org", verified=True, primary=True)
    phase = challenge.phases.get()
    for own in enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), phase):
        if own.task.name == "TX":
            answer(own, 101, species("9606", "10090"))
    line = RunSubmission("Balloon", "", "run.tsv", b"101\t9606\t1\t0.5\n101\t10116\t2\t0.5\n102\t9606\t1\t0.5\n")
    upload = intake.store_run_upload_and_process_or_enqueue(line, challenge.tasks.get(name="TX"), phase, team, alice)
    assert upload.run
    other = get_or_create_queue_and_producer(make_server(team, "other"), QueueMode.LIVE).producer
    store_results_superseding_earlier(get_article(101), other, {Kind.TAXON: species("9606")})
    publish_phase_or_request_if_sealed(phase)
    mail.outbox.clear()
    return challenge


def send(client, **fields):
    return client.post(REST, fields, content_type="application/json")


def get_review():
    return Challenge.objects.get(slug="example").review


def list_public(sort):
    return set(Producer.objects.filter(sort=sort, published=True).values_list("public", flat=True))


def test_the_list_shows_what_has_published_and_waits(as_reviewer, waiting, olga):
    create_listed_challenge("Silent", "silent", "", olga)
    text = as_reviewer.get(LIST).content.decode()
    assert "Example challenge" in text and "Unreviewed (1)" in text and "Accepted (0)" in text and "Silent" not in text
    assert "Example challenge" not in as_reviewer.get(f"{LIST}?state=accepted").content.decode()
    assert as_reviewer.get(f"{LIST}?state=private").status_code == 404
    [row] = as_reviewer.get(REST_LIST).json()["results"]
    assert (row["slug"], row["runs"]) == ("example", 3)
    assert LIST in as_reviewer.get("/servers/review/").content.decode()


def test_the_page_shows_articles_volumes_and_agreement(as_reviewer, waiting):
    text = as_reviewer.get(PAGE).content.decode()
    for part in ("Balloon, Team Alpha", "Reader", "Gold standard, TX training", "training,"):
        assert part in text, part
    assert 'Balloon, Team Alpha <span class="meta">training</span>' in text
    review = as_reviewer.get(REST).json()
    assert review["review"] == "unreviewed"
    assert [review[f"{key}articles"] for key in ("", "public_", "annotated_")] == [4, 4, 1]
    of_run = next(row for row in review["producers"] if row["name"].startswith("Balloon"))
    assert (of_run["team"], of_run["server"], of_run["kind"]) == ("Team Alpha", None, "taxon")
    assert (of_run["articles"], of_run["per_article"], of_run["usual"]) == (2, 1.5, 1.0)
    assert (round(of_run["f1"], 2), of_run["compared"]) == (0.67, 1)
    of_server = next(row for row in review["producers"] if row["server"] == "reader")
    assert (of_server["server_review"], of_server["per_article"]) == ("accepted", 2.0)
    assert next(row for row in review["producers"] if row["sort"] == "gold" and row["kind"] == "taxon")["team"] == ""


def test_the_page_of_a_challenge_that_has_published_nothing_says_so(as_reviewer, challenge):
    assert "has not published any results yet" in as_reviewer.get(PAGE).content.decode()
    assert as_reviewer.get(REST).json()["producers"] == []


def test_the_page_takes_a_fixed_number_of_queries(as_reviewer, waiting, team, alice, django_assert_max_num_queries):
    def count_queries():
        with django_assert_max_num_queries(30) as captured:
            assert as_reviewer.get(PAGE).status_code == 200
        return len(captured)

    before = count_queries()
    phase = waiting.phases.get()
    for number in (1, 2):
        submission = RunSubmission(f"More {number}", "", "run.tsv", f"101\t960{number}\t1\t0.5\n".encode())
        intake.store_run_upload_and_process_or_enqueue(submission, waiting.tasks.get(name="TX"), phase, team, alice)
        more = get_or_create_queue_and_producer(make_server(team, f"more-{number}"), QueueMode.LIVE).producer
        store_results_superseding_earlier(get_article(101), more, {Kind.TAXON: species("9606")})
    assert count_queries() == before


def test_it_accepts_with_an_audit_event_and_mails_the_organizers(as_reviewer, waiting, reviewer):
    assert (list_public("run"), list_public("gold"), list_public("server")) == ({False}, {False}, {True})
    reply = as_reviewer.post(PAGE, {"decision": "accepted", "note": "Well done."}, follow=True)
    assert "Example challenge is accepted. Its organizers are notified." in reply.content.decode()
    assert get_review() == "accepted"
    assert (list_public("run"), list_public("gold"), list_public("server")) == ({True}, {True}, {True})
    event = AuditEvent.objects.get(action=AuditAction.CHALLENGE_REVIEWED)
    assert (event.actor_id, event.before, event.after, event.reason) == (
        reviewer.pk,
        {"review": "unreviewed"},
        {"review": "accepted"},
        "Well done.",
    )
    assert event.challenge_id == waiting.pk
    [sent] = mail.outbox
    assert sent.to == ["olga@example.org"] and "accepted" in sent.subject and "Well done." in sent.body
    text = as_reviewer.get(PAGE).content.decode()
    assert "unreviewed to accepted: Well done." in text and ">Accept<" not in text and ">Decline<" in text


def test_it_needs_a_note_to_decline_and_can_change_its_mind(as_reviewer, waiting):
    reply = as_reviewer.post(PAGE, {"decision": "declined"})
    assert reply.status_code == 422 and "Tell the organizers why" in reply.content.decode()
    assert send(as_reviewer, decision="declined").status_code == 400
    assert get_review() == "unreviewed"
    reply = send(as_reviewer, decision="declined", note="Junk.")
    assert reply.status_code == 200 and reply.json()["decisions"][0]["note"] == "Junk."
    assert send(as_reviewer, decision="declined", note="Again.").status_code == 409
    assert send(as_reviewer, decision="private").status_code == 400
    assert send(as_reviewer, decision="unreviewed").status_code == 400
    assert as_reviewer.post(REST, "[1]", content_type="application/json").status_code == 400
    late = as_reviewer.post(PAGE, {"decision": "declined", "note": "Again."}, follow=True)
    assert "so nothing was changed" in late.content.decode()
    assert send(as_reviewer, decision="accepted").json()["review"] == "accepted"
    assert [each["after"] for each in send(as_reviewer, decision="declined", note="No.").json()["decisions"]] == [
        *("declined", "accepted", "declined"),
    ]


def test_organizers_see_the_state_and_decide_nothing(client, waiting, olga, alice):
    client.force_login(olga)
    assert "once they are published" in client.get("/challenges/example/organize/").content.decode()
    assert client.get(REST).json()["review"] == "unreviewed"
    assert client.get(PAGE).status_code == client.get(LIST).status_code == client.get(REST_LIST).status_code == 403
    assert client.post(PAGE, {"decision": "accepted"}).status_code == send(client, decision="accepted").status_code
    assert get_review() == "unreviewed"
    client.force_login(alice)
    assert client.get(REST).status_code == send(client, decision="accepted").status_code == 403


def test_a_draft_is_like_an_unknown_challenge_to_a_reviewer(as_reviewer, challenge):
    Challenge.objects.update(state="draft")
    assert as_reviewer.get(PAGE).status_code == as_reviewer.get(REST).status_code == 404
    assert send(as_reviewer, decision="accepted").status_code == 404
