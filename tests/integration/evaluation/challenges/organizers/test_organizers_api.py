"""A challenge set up, tried out, steered and published by REST, by its organizers alone."""

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation import tasks
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.gold.models import GoldStandard
from tests.integration.evaluation_cast import end, make_corpus, make_server

pytestmark = pytest.mark.django_db

ROOT = "/api/v1/challenges/"
PHASE = ROOT + "example/phases/training/"


def send(client, address, data=None, method="post"):
    return getattr(client, method)(address, data or {}, content_type="application/json")


def test_it_sets_a_challenge_up_from_nothing(client, olga):
    make_corpus("articles", pmids=(11, 12))
    client.force_login(olga)
    named = {"name": "Ours", "slug": "ours"}
    assert send(client, ROOT, named).status_code == 403
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    client.force_login(type(olga).objects.get(pk=olga.pk))
    assert send(client, ROOT, named).status_code == 201
    task = {"name": "ACT", "title": "Articles", "kind": "classification", "further": ["auc_pr"]}
    assert send(client, ROOT + "ours/tasks/", task).json()["tasks"][0]["primary"] == "mcc"
    corpus = {"name": "Test", "slug": "our-test", "articles": ["11", "12"], "blind": True}
    assert send(client, ROOT + "ours/corpora/", corpus).json() == {"slug": "our-test", "articles": 2}
    phase = {"sort": "test", "corpus": "our-test", "opens": "2099-01-01T00:00:00Z", "closes": "2099-02-01T00:00:00Z"}
    assert send(client, ROOT + "ours/phases/", phase).json()["opens"] == "2099-01-01T00:00:00Z"
    assert send(client, ROOT + "ours/phases/", phase).status_code == 409
    gold = {"file": SimpleUploadedFile("act.tsv", b"11\t1\n12\t0\n"), "source": "two experts"}
    stored = client.post(ROOT + "ours/phases/test/gold/ACT/", gold).json()
    assert (stored["sealed"], stored["source"]) == (True, "two experts")
    assert Challenge.objects.get(slug="ours").tasks.get().further == ["auc_pr"]


def test_it_refuses_a_gold_standard_with_every_fault(organizer, training):
    before = GoldStandard.objects.count()
    sent = {"file": SimpleUploadedFile("act.tsv", b"101\tmaybe\n999\t0\n")}
    refused = organizer.post(PHASE + "gold/ACT/", sent)
    assert (refused.status_code, refused.json()["code"]) == (422, "refused-file")
    told = [(fault["loc"], fault["line"], fault["column"], fault["code"]) for fault in refused.json()["errors"]]
    assert told == [("file", 1, 5, "R505"), ("file", 2, 1, "R508")]
    assert GoldStandard.objects.count() == before


def test_it_refuses_what_the_pages_refuse_in_their_words(organizer, training):
    refused = send(organizer, ROOT + "example/tasks/", {"name": "act", "title": "x", "kind": "classification"})
    assert refused.status_code == 400
    assert "The challenge already has a task act" in refused.json()["errors"][0]["message"]
    refused = send(organizer, ROOT + "example/phases/", {"sort": "test", "corpus": "none"})
    assert "There is no such corpus" in refused.json()["errors"][0]["message"]


def test_it_changes_rules(organizer, training):
    rules = {"name": "Example challenge", "entrance": "invited", "terms": "Cite the paper.", "approve_teams": True}
    rules["file_rules"] = "bc3"
    untold = dict.fromkeys(("description", "organizer_names", "contact", "doi", "citation", "data_licence"), "")
    assert send(organizer, ROOT + "example/rules/", rules, "put").json() == rules | untold
    rules = {"opens": "2026-01-01T00:00:00Z", "online_runs": 1, "offline_runs": 2, "minutes": 3, "tries": 4}
    changed = send(organizer, PHASE, {**rules, "closes_live": True}, "put").json()
    assert [changed[name] for name in ("online_runs", "offline_runs", "minutes", "tries")] == [1, 2, 3, 4]
    assert changed["closes_live"] is True
    assert send(organizer, PHASE, {**rules, "minutes": 99}, "put").status_code == 400
    assert send(organizer, PHASE, {**rules, "upload_caps": {"taxon": 30}}, "put").json()["upload_caps"] == {"taxon": 30}
    for caps, said in (
        ({"taxon": 0}, "must be a number from 1"),
        ({"pair": 5}, "has no task of the kind pair. Remove the cap"),
    ):
        refused = send(organizer, PHASE, {**rules, "upload_caps": caps}, "put")
        assert (refused.status_code, said in refused.json()["errors"][0]["message"]) == (400, True)
    assert organizer.get(ROOT + "example/").json()["phases"][0]["upload_caps"] == {"taxon": 30}


def test_it_steers_a_phase(organizer, training):
    assert send(organizer, PHASE + "freeze/", {"reason": "We look again."}).json()["frozen"]
    assert send(organizer, PHASE + "freeze/").status_code == 400
    assert send(organizer, PHASE + "thaw/").json()["frozen"] is None
    end = {"closes": "2099-01-01T12:00:00Z", "reason": "More time."}
    assert send(organizer, PHASE + "move-end/", end).json()["closes"] == end["closes"]
    refused = send(organizer, PHASE + "move-end/", end)
    assert (refused.status_code, refused.json()["detail"][:31]) == (409, "The phase already has this end.")
    assert send(organizer, PHASE + "exclude/", {"article": "103", "reason": "Retracted."}).status_code == 200
    assert send(organizer, PHASE + "exclude/", {"article": "999", "reason": "None."}).status_code == 409
    assert training.excluded.count() == 1
    assert send(organizer, PHASE + "include/", {"article": "103"}).status_code == 200
    assert send(organizer, PHASE + "rescore/").status_code == 200
    training.refresh_from_db()
    assert training.revision == 3
    assert send(organizer, PHASE + "end/").status_code == 400
    assert send(organizer, PHASE + "end/", {"reason": "Done."}).json()["closes"] < end["closes"]
    Phase.objects.filter(pk=training.pk).update(opens="2098-01-01T12:00Z", closes=None)
    assert send(organizer, PHASE + "end/", {"reason": "Done."}).status_code == 409
    assert send(organizer, PHASE + "begin/", {"reason": "Ready."}).json()["opens"] < end["closes"]
    assert list(training.events.order_by("-pk").values_list("what", "reason")[:2]) == [
        ("begun", "Ready."),
        ("ended", "Done."),
    ]


def test_it_publishes(organizer, challenge, training):
    test = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    gold = {"file": SimpleUploadedFile("tx.tsv", b"201\t559292\n")}
    organizer.post(ROOT + "example/phases/test/gold/TX/", gold)
    assert send(organizer, PHASE + "publish/").json()["published"]
    for address in ("publish/", "publish/TX/"):
        refused = send(organizer, ROOT + "example/phases/test/" + address)
        assert (refused.status_code, "The test phase has no end" in refused.json()["detail"]) == (409, True)
    end(test)
    asked = send(organizer, ROOT + "example/phases/test/publish/").json()
    assert (asked["published"], bool(asked["publish_asked"])) == (None, True)
    tasks.publish_requested_phases_and_tasks_unless_busy()
    test.refresh_from_db()
    assert test.published
    assert send(organizer, ROOT + "example/phases/test/publish/TX/").json()["published"]
    assert send(organizer, ROOT + "example/phases/test/publish/ACT/").status_code == 404


def test_it_tries_a_challenge_out_and_watches_it(organizer, challenge, training, team):
    made = organizer.get(ROOT + "example/dry-run/").json()
    assert {"name", "state", "said"} == set(made["checks"][0])
    enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), training)
    shown = organizer.get(PHASE + "matrix/").json()
    assert shown["articles"] == 4
    assert (shown["rows"][0]["server"], shown["rows"][0]["states"]) == ("reader", "wwww")
    assert shown["rows"][0]["trouble"].startswith("Not started")


def test_it_lets_teams_in(client, challenge, team, alice, olga):
    client.force_login(alice)
    joined = send(client, ROOT + "example/join/", {"team": "team-alpha"}).json()
    assert (bool(joined["accepted"]), joined["approved"]) == (True, None)
    client.force_login(olga)
    assert send(client, ROOT + "example/join/", {"team": "team-alpha"}).status_code == 409
    teams = ROOT + "example/teams/"
    assert send(client, teams, {"team": "team-alpha"}).json()["approved"]
    assert [each["team"] for each in client.get(teams).json()] == ["team-alpha"]
    assert send(client, teams, {"team": "team-alpha", "approved": False}).json()["approved"] is None
    assert send(client, teams, {"team": "team-alpha", "approved": False}).status_code == 409


@pytest.mark.parametrize(
    "address",
    ["rules/", "teams/", "dry-run/", "phases/training/", "phases/training/matrix/"],
)
def test_it_is_read_by_organizers_alone(client, training, alice, olga, address):
    assert client.get(f"{ROOT}example/{address}").status_code == 401
    for user, status in ((alice, 403), (olga, 200)):
        client.force_login(user)
        assert client.get(f"{ROOT}example/{address}").status_code == status


@pytest.mark.parametrize(
    "action",
    [
        "begin",
        "end",
        "freeze",
        "thaw",
        "move-end",
        "exclude",
        "include",
        "rescore",
        "publish",
        "publish/ACT",
        "gold/ACT",
        "baselines/ACT",
    ],
)
def test_it_is_steered_by_organizers_alone(client, training, alice, action):
    before = Phase.objects.values().get(pk=training.pk)
    assert client.post(f"{PHASE}{action}/", {"reason": "x", "article": "101"}).status_code == 401
    client.force_login(alice)
    assert client.post(f"{PHASE}{action}/", {"reason": "x", "article": "101"}).status_code == 403
    assert Phase.objects.values().get(pk=training.pk) == before
