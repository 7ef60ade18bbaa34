"""A journal that has lost its right to submit manuscripts: it reads, administrators manage, authors go on."""

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.models import Curation
from bcms.administration.account_rights import grant_right, withdraw_right
from bcms.manuscripts.queries import RIGHT_LOST
from bcms.tasks import publish_due_manuscripts_unless_busy, remind_authors_unless_busy
from tests.integration.manuscript_cast import TEXT, TITLE, URL, open_as, submit, use_token

pytestmark = pytest.mark.django_db
RIGHT = "annotations.submit_manuscript"
CHANGES = {
    "links": {"role": "author"},
    "curators": {"person": "carol"},
    "refuse": {"reason": "No time."},
    "remind": {},
    "withdraw": {},
    "publish": {"pmid": 77},
}


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_superuser("root", "root@example.org", "a-long-password")


@pytest.fixture
def sent(program, queues, carol, submitted):
    """A manuscript with the address of its author and an assigned curator, and the answer with its links."""
    manuscript = submitted[0]
    change(program, manuscript, "curators")
    Manuscript.objects.update(author_mail="ada@example.org", reminded=timezone.now() - timedelta(days=8))
    mail.outbox.clear()
    return submitted


@pytest.fixture
def lost(sent, journal, staff):
    """The manuscript, after an administrator has withdrawn the journal's right."""
    withdraw_right(journal, RIGHT, staff)
    return sent[0]


def change(program, manuscript, action):
    return program.post(f"{URL}{manuscript.pk}/{action}/", CHANGES[action], content_type="application/json")


def test_it_reads_what_it_has_sent(program, lost):
    (listed,) = program.get(URL).json()["results"]
    assert (listed["title"], listed["state"], listed["journal"]) == (TITLE, "invited", "ember")
    assert program.get(f"{URL}{lost.pk}/").json()["curators"][0]["curator"] == "carol"


@pytest.mark.parametrize("logs_in", [False, True])
def test_it_changes_and_discloses_nothing(program, journal, lost, logs_in):
    if logs_in:
        program = Client()
        program.force_login(journal)
    before = program.get(f"{URL}{lost.pk}/").json()
    answers = [change(program, lost, action) for action in CHANGES]
    curation, link = before["curators"][0]["curation"], before["links"][0]["id"]
    answers += [program.delete(f"{URL}{lost.pk}/{path}/") for path in (f"links/{link}", f"curators/{curation}")]
    assert {(each.status_code, each.json()["detail"]) for each in answers} == {(403, RIGHT_LOST)}
    assert program.post(URL, TEXT, content_type="application/json").status_code == 403
    assert (program.get(f"{URL}{lost.pk}/").json(), Manuscript.objects.count(), mail.outbox) == (before, 1, [])


def test_it_attaches_no_identifiers_after_publication(program, journal, staff, manuscript):
    change(program, manuscript, "publish")
    withdraw_right(journal, RIGHT, staff)
    refused = program.post(f"{URL}{manuscript.pk}/publish/", {"doi": "10.1000/1"}, content_type="application/json")
    manuscript.article.refresh_from_db()
    assert (refused.status_code, manuscript.article.doi) == (403, "")


def test_nothing_happens_in_its_name_until_it_has_the_right_again(journal, staff, lost):
    Manuscript.objects.update(public_on=timezone.now().date())
    assert (publish_due_manuscripts_unless_busy(), remind_authors_unless_busy(), mail.outbox) == (0, 0, [])
    grant_right(journal, RIGHT, staff)
    assert (remind_authors_unless_busy(), publish_due_manuscripts_unless_busy(), len(mail.outbox)) == (1, 1, 1)


def test_its_author_and_curators_go_on(sent, lost, carol):
    page = f"/curation/{lost.curation_id}/"
    author = open_as(sent[1]["author_link"])
    assert author.get(page).status_code == 200
    as_carol = Client()
    as_carol.force_login(carol)
    own = Curation.objects.get(curator__user=carol)
    assert as_carol.get(f"/curation/{own.pk}/").status_code == 200


def test_administrators_manage_it_instead(staff, lost, django_user_model):
    for name, is_staff in (("ada", True), ("bob", False)):
        django_user_model.objects.create_user(name, f"{name}@example.org", "a-long-password", is_staff=is_staff)
    as_bob = use_token(django_user_model.objects.get(username="bob"))
    assert (as_bob.get(f"{URL}{lost.pk}/").status_code, as_bob.get(URL).json()["results"]) == (404, [])
    assert change(as_bob, lost, "links").status_code == 404
    as_ada = use_token(django_user_model.objects.get(username="ada"))
    assert [each["id"] for each in as_ada.get(URL).json()["results"]] == [lost.pk]
    curation = as_ada.get(f"{URL}{lost.pk}/").json()["curators"][0]["curation"]
    assert as_ada.delete(f"{URL}{lost.pk}/curators/{curation}/").status_code == 204
    assert [change(as_ada, lost, action).status_code for action in ("links", "publish")] == [201, 200]


def test_administrators_see_those_of_other_journals_no_more_than_before(staff, sent, program):
    as_staff = use_token(staff)
    assert as_staff.get(URL).json()["results"] == []
    assert as_staff.get(f"{URL}{sent[0].pk}/").status_code == 404
    mine, _ = submit(as_staff, reference="S-1")
    assert [each["id"] for each in as_staff.get(URL).json()["results"]] == [mine.pk]
    assert program.get(f"{URL}{mine.pk}/").status_code == 404
