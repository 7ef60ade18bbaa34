"""A draft is seen by its organizers and staff; to everybody else it is like a challenge that does not exist."""

import logging
import re

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.urls import URLPattern, get_resolver, resolve, reverse

from annotations.articles.models import Corpus
from annotations.schema import Kind
from bcms.lib.pictures.page_picture import PagePicture
from bcms.search.forms import SearchForm
from evaluation.challenges.announcements.models import AnnouncementAudience
from evaluation.challenges.announcements.publishing import publish_announcement
from evaluation.challenges.discussion.posts import begin_thread
from evaluation.challenges.models import Challenge, CorpusOwner, Phase
from evaluation.challenges.participants.admission import approve_team_without_organizers
from evaluation.challenges.phases.reminders import mail_teams_once_before_phase_ends
from evaluation.challenges.pictures.storage import NewPicture, add_pictures
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.labelling import curators
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.manual_annotations.file_import import ManualAnnotationFile, import_all_manual_annotations_or_refuse_file
from evaluation.pooling.models import Pool
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.notifications.models import Delivery, Webhook
from tests.integration.evaluation_cast import make_challenge, make_corpus

pytestmark = pytest.mark.django_db
# What is different in every page: the token of its forms.
TOKEN = re.compile(r'value="[A-Za-z0-9]{64}"')
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


@pytest.fixture
def draft(olga, team):
    """A challenge with everything that an address can name, back in the state that it began in."""
    challenge = make_challenge(olga, make_corpus())
    phase = challenge.phases.get()
    passages = creation.create_task(challenge, "ISS", Kind.PASSAGE, "Passages")
    Pool.objects.create(task=passages, phase=phase)
    for run in store_baseline_runs_replacing_earlier(challenge.tasks.get(name="ACT"), phase):
        compute_and_store_run_scores(run)
    labelling = curators.begin_labelling_claiming_blind_corpus(challenge, phase.corpus, order="given", again_every=0)
    assert labelling.pk
    authors = ManualAnnotationFile("author", "Authors", b"101\t9606\n", "authors.tsv")
    import_all_manual_annotations_or_refuse_file(challenge.tasks.get(name="TX"), phase.corpus, authors)
    approve_team_without_organizers(challenge, team, olga)
    CorpusOwner.objects.create(challenge=challenge, corpus=phase.corpus)
    begin_thread(challenge, olga, title="A question", text="When?")
    webhook = Webhook.objects.create(challenge_id=challenge.pk, url="http://127.0.0.1:9/", topics=["phase"])
    Delivery.objects.create(webhook=webhook, happening="test", body="{}")
    publish_announcement(challenge, olga, title="News", text="Now.", audience=AnnouncementAudience.TEAMS)
    add_pictures(challenge, [NewPicture("nothing.png", PagePicture(b"RIFF, a picture of nothing", 1, 1))])
    Challenge.objects.update(state="draft")
    challenge.refresh_from_db()
    return challenge


@pytest.fixture
def no_limits(settings):
    settings.API_PER_MINUTE_ADDRESS = settings.API_PER_MINUTE_ACCOUNT = settings.API_FILES_PER_MINUTE = 10**6
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def list_patterns(resolver=None, prefix=""):
    """(route, name) of every address of the site."""
    for pattern in (resolver or get_resolver()).url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern.name
        else:
            yield from list_patterns(pattern, route)


def list_challenge_addresses(draft):
    """(address of the draft, address of a challenge that does not exist) for every address below a challenge."""
    values = {"phase": "training", "corpus": "four", "file": "gold.tsv", "form": "tsv"}
    webhook = Webhook.objects.get(challenge_id=draft.pk)
    values |= {"webhook_id": webhook.pk, "delivery_id": webhook.deliveries.get().pk}
    values |= {"run": Run.objects.first().pk, "pk": draft.by_hand.get().pk, "name": draft.pictures.get().name}
    for route, name in list_patterns():
        if "challenges/<slug:slug>/" in route:
            task = "ISS" if "pool" in name else "ACT"
            own = {**values, "task": task, "number": find_number(draft, name)}
            if "<uuid:pk>" in route:
                own["pk"] = own["delivery_id"]
            known = {key: str(value) for key, value in own.items() if f":{key}>" in route}
            yield tuple(reverse(name, kwargs={**known, "slug": slug}) for slug in (draft.slug, "nothing"))


def find_number(draft, name):
    """Of the announcement, the post or the thread that an address names."""
    if "announcement" in name:
        return draft.announcements.get().pk
    return draft.threads.get().posts.get().pk if "post" in name else draft.threads.get().pk


def list_methods(address):
    """Those that the class of an address of the API has; pages are read and written to."""
    view = getattr(resolve(address).func, "cls", None)
    return [method for method in METHODS if hasattr(view, method.lower())] if view else ["GET", "POST"]


def find_differing_answers(client, addresses):
    """The addresses of the draft that answer in another way than those of a challenge that does not exist."""
    differing = []
    for address, unknown in addresses:
        for method in list_methods(address):
            got, expected = (getattr(client, method.lower())(where) for where in (address, unknown))
            texts = [TOKEN.sub("", reply.content.decode()).replace("nothing", "example") for reply in (got, expected)]
            if (got.status_code, texts[0]) != (expected.status_code, texts[1]):
                differing.append((method, address, got.status_code, expected.status_code))
    return differing


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["alice", *(pytest.param(name, marks=pytest.mark.long) for name in ("visitor", "carol", "cora"))]
)
def test_it_answers_everybody_else_as_for_an_unknown_challenge(name, draft, client, carol, no_limits):
    """alice manages an invited team, carol organizes another challenge, and cora labels a corpus of the draft."""
    creation.create_challenge("Other challenge", "other", "", carol)
    cora = User.objects.create_user("cora", "cora@example.org", "a-long-password")
    curators.add_and_mail_or_readmit_curator(draft.labellings.get(), cora)
    if name != "visitor":
        client.force_login(User.objects.get(username=name))
    addresses = list(list_challenge_addresses(draft))
    assert len(addresses) > 80
    assert find_differing_answers(client, addresses) == []


@pytest.mark.long
def test_it_opens_every_page_to_its_organizers(draft, olga, client, no_limits):
    client.force_login(olga)
    missing = []
    for address, _ in list_challenge_addresses(draft):
        reply = client.get(address)
        if reply.status_code == 404 and b"draft" in reply.content:
            missing.append(address)
    assert missing == []
    assert client.get("/challenges/example/").status_code == 200
    assert client.get("/api/v1/challenges/example/training/ACT/").status_code == 200


@pytest.mark.parametrize("path", ["/", "/challenges/", "/api/v1/challenges/", "/api/v1/corpora/", "/articles/"])
def test_it_is_in_the_lists_of_its_organizers_only(path, draft, client, alice, olga, admin_user):
    creation.create_challenge("Other challenge", "other", "", alice)
    shown = {}
    for user in (None, alice, olga, admin_user):
        client.logout()
        if user:
            client.force_login(user)
        text = client.get(path).content.decode()
        shown[user and user.username] = any(part in text for part in ("Example challenge", '"slug":"four"', ">Four<"))
    assert shown == {None: False, "alice": False, "olga": True, "admin": True}


def test_it_hides_its_corpora(draft, client, alice, olga):
    for user, status in ((alice, 404), (olga, 200)):
        client.force_login(user)
        assert client.get("/corpora/four/compare/").status_code == status
        assert client.get("/api/v1/corpora/four/").status_code == status
        assert SearchForm(QueryDict(), user).fields["corpus"].queryset.exists() == (status == 200)
    assert client.get("/articles/101/").status_code == 200
    client.logout()
    assert client.get("/articles/101/").status_code == 200


def test_its_corpora_are_seen_once_a_listed_challenge_uses_them(draft, client, olga):
    corpus = Corpus.objects.get(slug="four")
    second = Challenge.objects.create(name="Second", slug="second", state="draft")
    Phase.objects.create(challenge=second, sort="training", corpus=corpus)
    assert client.get("/corpora/four/compare/").status_code == 404
    Challenge.objects.filter(pk=second.pk).update(state="listed")
    assert client.get("/corpora/four/compare/").status_code == 200
    assert corpus.slug in {each["slug"] for each in client.get("/api/v1/corpora/").json()["results"]}


def test_it_does_not_let_others_load_its_corpora(draft, client, server, alice):
    client.force_login(alice)
    assert "Four" not in client.get(f"/servers/{server.slug}/").content.decode()
    load = f"/api/v1/servers/{server.slug}/load/"
    answers = [client.post(load, {"corpus": slug}, content_type="application/json") for slug in ("four", "nothing")]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert answers[0].content.replace(b"four", b"nothing") == answers[1].content
    corpus = draft.phases.get().corpus_id
    assert client.post(f"/servers/{server.slug}/load/", {"corpus": corpus}).status_code == 422
    assert not server.calls.exists()


def test_it_mails_nobody_about_its_phases(draft, django_capture_on_commit_callbacks):
    phase = draft.phases.get()
    Phase.objects.update(opens="2026-01-01T00:00Z", closes="2026-02-01T00:00Z")
    phase.refresh_from_db()
    assert mail_teams_once_before_phase_ends(phase.closes.replace(day=1, month=1)) == 0


def test_it_cannot_be_published(draft):
    with pytest.raises(ChallengeError, match="List it before you publish anything of it"):
        publish_phase_or_request_if_sealed(draft.phases.get())


def test_new_challenges_are_drafts(client, admin_user):
    client.force_login(admin_user)
    client.post("/challenges/new/", {"name": "By page", "slug": "by-page", "description": ""})
    body = {"name": "By REST", "slug": "by-rest"}
    answer = client.post("/api/v1/challenges/", body, content_type="application/json")
    assert answer.json()["state"] == "draft"
    assert set(Challenge.objects.values_list("slug", "state")) == {("by-page", "draft"), ("by-rest", "draft")}
