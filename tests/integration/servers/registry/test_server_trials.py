"""Trying a server before it is saved: what is asked, what is shown, and that nothing of it is stored."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db.models.functions import Now
from django.urls import reverse

from annotations.results.models import ArticleSummary, Result
from servers.calls.models import Attempt, Call
from servers.registry import trials
from servers.registry.models import Server, Trial
from servers.teams.models import Team
from tests.annotator import Annotator
from tests.integration.server_cast import articles
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db


def registration(team, **changes):
    return {
        "team": team.pk,
        "name": "Species Finder",
        "url": "http://127.0.0.1:9/",
        "protocol": "bcms",
        "method": "",
        "send": "struct",
        "kinds": ["mention"],
        "time_limit": "60",
    } | changes


def run_server_trial(client, team, **changes):
    """The page of a trial that a worker has carried out."""
    sent = client.post(reverse("server-register"), registration(team, method="Annotator.getAnnotation") | changes)
    assert sent.status_code == 302, sent.context["form"].errors
    trials.run_open_trial_and_store_report(Trial.objects.latest("pk").pk)
    return " ".join(client.get(sent.url).content.decode().split())


def test_it_asks_for_one_public_article_and_shows_what_would_be_stored(as_alice, team, article):
    with Annotator(lambda sent: {"mentions": [{"offset": 8, "section": "title", "mention": "CDH1"}]}) as annotator:
        page = run_server_trial(as_alice, team, url=annotator.url)
    assert [sent["id"] for sent in annotator.asked] == ["10000001"]
    assert "The answer is valid" in page
    assert 'data-head="Annotation">CDH1</td><td class="mono" data-head="Where">8-12</td>' in page
    assert "&lt;methodCall&gt;" in page
    assert "Save the server" in page
    assert not (Server.objects.exists() or Call.objects.exists() or Attempt.objects.exists() or Result.objects.exists())


def test_it_sends_the_article_that_is_asked_for(as_alice, team, article):
    other, _ = articles(20000001, 2)
    with Annotator(lambda sent: {}) as annotator:
        run_server_trial(as_alice, team, url=annotator.url, pmid=str(other.pmid))
    assert [sent["id"] for sent in annotator.asked] == ["20000001"]


def test_it_tries_with_the_limits_that_are_entered(as_alice, team, article):
    with TaskServer(lambda asked: (200, {}, {"annotations": {}})) as there:
        fields = {"url": there.url, "protocol": "rest", "time_limit": "3", "seconds_per_1000_characters": "10"}
        run_server_trial(as_alice, team, connect_limit="5", **fields)
    sent = there.asked[0].json
    assert sent["deadline"] == 3 + len(sent["text"]) / 100


def answer_each(asked):
    sent = asked.json
    answers = [{"id": each["id"], "annotations": {}} for each in (sent if isinstance(sent, list) else [sent])]
    return 200, {}, answers if isinstance(sent, list) else answers[0]


def test_it_sends_two_articles_together_to_a_server_that_takes_several(as_alice, team, article):
    fields = {"protocol": "rest", "articles_per_request": "8"}
    with TaskServer(answer_each) as there:
        page = run_server_trial(as_alice, team, url=there.url, **fields)
    assert [each["id"] for each in there.asked[1].json] == ["10000001", "90000001"]
    assert "The answer is valid" in page and "Two articles in one request were answered, too." in page
    with TaskServer(lambda asked: (200, {}, {"annotations": {}})) as there:
        page = run_server_trial(as_alice, team, url=there.url, **fields)
    assert "The answer is valid, but not that to two articles" in page
    assert '<span class="chip bad">no-array</span> With two articles in one request: Several articles' in page


@pytest.mark.parametrize("pmid", ["99", "x", "١", "-1"])
def test_it_refuses_an_article_that_is_not_here(as_alice, team, article, pmid):
    sent = as_alice.post(reverse("server-register"), registration(team, method="Annotator.getAnnotation", pmid=pmid))
    assert sent.status_code == 422
    assert f"There is no article PMID {pmid} on this site." in sent.content.decode()
    assert not Trial.objects.exists()


def test_it_sends_an_article_with_genes_without_being_asked(as_alice, team, article):
    newer, newest = articles(20000001, 2)
    ArticleSummary.objects.create(article=newest, version=1, servers=3, named=["ncbitaxon:9606"])
    ArticleSummary.objects.create(article=newer, version=1, servers=2, named=["ncbitaxon:9606", "uniprot:P04637"])
    with Annotator(lambda sent: {}) as annotator:
        run_server_trial(as_alice, team, url=annotator.url)
    assert [sent["id"] for sent in annotator.asked] == [str(newer.pmid)]


def test_it_lists_the_parts_of_the_answer_that_would_not_be_stored(as_alice, team, article):
    with Annotator(lambda sent: {"mentions": [], "model": "large"}) as annotator:
        page = run_server_trial(as_alice, team, url=annotator.url)
    assert "Parts of the answer that are not stored" in page
    assert '<th scope="row" class="mono location">answer.model</th>' in page
    assert "The protocol has no such value here." in page


OPEN_ANSWER = {
    "denotations": [
        {"id": "T1", "span": {"begin": 8, "end": 12}, "obj": "GeneOrGeneProduct"},
        {"id": "T2", "span": {"begin": 0, "end": 4}, "obj": "Comet"},
    ],
    "attributes": [
        {"subj": "T1", "pred": "identifier", "obj": "ncbigene:999"},
        {"subj": "T2", "pred": "identifier", "obj": "our own:7"},
    ],
}


def test_it_shows_how_types_and_databases_are_understood(as_alice, team, article):
    fields = {"protocol": "pubannotation", "method": "POST", "kinds": ["mention", "relation"], "entity_types": "Gene"}
    with TaskServer(lambda asked: (200, {}, OPEN_ANSWER)) as there:
        page = run_server_trial(as_alice, team, url=there.url, **fields)
    assert '<th scope="row" class="attempt-text">GeneOrGeneProduct</th><td>Gene</td>' in page
    assert "<td>not known, kept as it is written; the server is not registered for it</td>" in page
    assert '<th scope="row">NCBI Gene</th><td>not checked</td><td class="mono attempt-text">ncbigene:999</td>' in page
    assert '<th scope="row">not known, kept as they are written</th>' in page
    report = Trial.objects.get().report
    assert [(each["given"], each["known"], each["registered"]) for each in report["types"]] == [
        ("GeneOrGeneProduct", True, True),
        ("Comet", False, False),
    ]
    assert [(each["database"], each["known"], each["unchecked"]) for each in report["namespaces"]] == [
        ("ncbigene", True, 1),
        ("", False, 1),
    ]


OPEN_RELATIONS = {
    "denotations": [
        {"id": "T1", "span": [{"begin": 0, "end": 4}, {"begin": 8, "end": 12}], "obj": "Disease"},
        {"id": "T2", "span": {"begin": 8, "end": 12}, "obj": "GeneOrGeneProduct"},
    ],
    "relations": [
        {"id": "R1", "subj": "T2", "pred": "causes", "obj": "T1", "directed": True},
        {"id": "R2", "subj": "T2", "pred": "Association", "obj": "T1", "directed": False},
    ],
}


def test_it_shows_types_parts_and_directions(as_alice, team, article):
    fields = {"protocol": "pubannotation", "method": "POST", "kinds": ["mention", "relation"]}
    with TaskServer(lambda asked: (200, {}, OPEN_RELATIONS)) as there:
        page = run_server_trial(as_alice, team, url=there.url, **fields)
    assert ' <span class="meta">Disease</span></td><td class="mono" data-head="Where">0-4, 8-12</td>' in page
    assert ' <span class="meta">GeneOrGeneProduct</span></td><td class="mono" data-head="Where">8-12</td>' in page
    whats = {found["type"]: found["what"] for found in Trial.objects.get().report["findings"]}
    assert " → " in whats["causes"] and " with " in whats["Association"]


def test_a_trial_of_a_registered_server_sends_its_types_and_limits(as_alice, team, server, article):
    with TaskServer(lambda asked: (200, {}, {"annotations": {}})) as there:
        fields = {"url": there.url, "protocol": "rest", "entity_types": ["Gene"], "seconds_per_1000_characters": 10}
        Server.objects.filter(pk=server.pk).update(**fields, time_limit=3)
        as_alice.post(reverse("server-try", args=[server.slug]))
        trials.run_open_trial_and_store_report(Trial.objects.latest("pk").pk)
    assert there.asked[0].json["types"] == ["Gene"]
    assert there.asked[0].json["deadline"] > 3


def test_a_trial_of_a_registered_server_sends_two_articles_together(as_alice, team, server, article):
    with TaskServer(answer_each) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url, protocol="rest", articles_per_request=8)
        as_alice.post(reverse("server-try", args=[server.slug]))
        trials.run_open_trial_and_store_report(Trial.objects.latest("pk").pk)
    assert [each["id"] for each in there.asked[1].json] == ["10000001", "90000001"]
    assert Trial.objects.latest("pk").report["batch"]["passed"]


def test_it_sends_a_sample_while_there_is_no_article(as_alice, team):
    with Annotator(lambda sent: {}) as annotator:
        page = run_server_trial(as_alice, team, url=annotator.url)
    assert annotator.asked[0]["id"] == "90000001"
    assert "An empty result: the server found nothing in this article, so only part of the" in page


def test_it_shows_broken_rules_and_lets_one_save_all_the_same(as_alice, team, article):
    bad = {"offset": 9, "section": "title", "mention": "<b>CDH1</b>"}
    with Annotator(lambda sent: {"mentions": [bad]}) as annotator:
        page = run_server_trial(as_alice, team, url=annotator.url)
    assert "The answer breaks rules" in page
    assert "mentions[0]" in page
    assert "<b>CDH1" not in page
    assert "An empty result: the answer contains no valid annotations." in page
    assert "Save anyway" in page


def test_it_says_why_a_call_failed_and_fills_the_form_again(as_alice, team):
    page = run_server_trial(as_alice, team)
    assert "Nothing listens at 127.0.0.1 port 9." in page
    again = as_alice.get(reverse("server-register"), {"trial": Trial.objects.get().pk})
    assert again.context["form"]["name"].value() == "Species Finder"
    assert again.context["form"]["kinds"].value() == ["mention"]


def test_it_follows_a_server_that_answers_later(as_alice, team, article):
    found = {"annotations": {"mention": [{"start": 8, "end": 12, "text": "CDH1"}]}, "version": "<2.5>"}

    def behave(asked):
        return (202, {"Location": "/task", "Retry-After": "1"}, {}) if asked.method == "POST" else (200, {}, found)

    with TaskServer(behave) as there:
        page = run_server_trial(as_alice, team, url=there.url, protocol="rest")
    assert "The answer is valid" in page
    assert "The server reports version &lt;2.5&gt;." in page
    assert Trial.objects.get().report["stated_version"] == "<2.5>"


def test_it_sends_the_custom_parameters_as_the_queue_does(as_alice, team, article, monkeypatch):
    monkeypatch.setattr(trials, "LONGEST_TRIAL", 0.1)
    with TaskServer(lambda asked: (200, {}, {"status": 200, "success": True})) as annotator:
        run_server_trial(as_alice, team, url=annotator.url, protocol="becalm", custom_parameters='{"model": "large"}')
    assert annotator.asked[0].json["custom_parameters"] == {"model": "large"}


def test_it_asks_a_fixed_number_of_times(as_alice, team, article, django_assert_num_queries):
    words = [{"offset": 8, "section": "title", "mention": "CDH1", "confidence": 1.5}]
    for found in (words, 50 * words):
        with Annotator(lambda sent, found=found: {"mentions": found}) as annotator:
            run_server_trial(as_alice, team, url=annotator.url)
        with django_assert_num_queries(6):
            as_alice.get(reverse("server-trial", args=[Trial.objects.latest("pk").pk]))


def test_it_brings_the_answer_to_the_open_page(as_alice, team):
    sent = as_alice.post(reverse("server-register"), registration(team, method="Annotator.getAnnotation"))
    trial = Trial.objects.get()
    assert "The request was sent" in as_alice.get(sent.url).content.decode()
    place = reverse("server-trial-live", args=[trial.pk])
    assert as_alice.get(place, {"v": "running"}).status_code == 204
    trials.run_open_trial_and_store_report(trial.pk)
    assert "data-done" in as_alice.get(place, {"v": "running"}).content.decode()


def test_it_tries_once_even_if_it_is_told_twice(as_alice, team, article):
    with Annotator(lambda sent: {}) as annotator:
        run_server_trial(as_alice, team, url=annotator.url)
        trials.run_open_trial_and_store_report(Trial.objects.get().pk)
    assert len(annotator.asked) == 1


def test_it_saves_a_server_once(as_alice, team):
    run_server_trial(as_alice, team)
    place = reverse("server-trial-save", args=[Trial.objects.get().pk])
    assert as_alice.post(place).url == "/servers/species-finder/"
    assert as_alice.post(place).status_code == 404
    assert Server.objects.count() == 1


def test_it_tries_a_registered_server_beside_its_queues(as_alice, server, article):
    with Annotator(lambda sent: {}) as annotator:
        Server.objects.update(url=annotator.url)
        sent = as_alice.post(reverse("server-try", args=["genedict"]))
        trials.run_open_trial_and_store_report(Trial.objects.get().pk)
    page = as_alice.get(sent.url).content.decode()
    assert "The answer is valid" in page
    assert "Save" not in page


def test_it_does_not_let_one_person_try_without_end(as_alice, team, monkeypatch):
    monkeypatch.setattr(trials, "TRIALS_PER_HOUR", 1)
    run_server_trial(as_alice, team)
    answer = as_alice.post(reverse("server-register"), registration(team, method="Annotator.getAnnotation"))
    assert answer.status_code == 429
    assert "You have started 1 trials in the last hour. Try again later." in answer.content.decode()


@pytest.mark.parametrize(
    ("protocol", "method", "stored"),
    [("pubannotation", "get", "GET"), ("pubannotation", "", "POST"), ("rest", "", "Annotator.getAnnotation")],
)
def test_it_knows_the_methods_of_each_protocol(as_alice, team, protocol, method, stored):
    as_alice.post(reverse("server-register"), registration(team, protocol=protocol, method=method))
    assert Trial.objects.get().fields["method"] == stored


def test_it_says_which_methods_there_are(as_alice, team):
    answer = as_alice.post(reverse("server-register"), registration(team, protocol="pubannotation", method="PUT"))
    assert answer.context["form"].errors["method"] == [
        "A PubAnnotation annotator is called with GET or POST: enter one of them."
    ]
    answer = as_alice.post(reverse("server-register"), registration(team, custom_parameters="[1]"))
    assert "Custom parameters must be a JSON object" in str(answer.context["form"].errors["custom_parameters"])


def test_it_says_when_a_trial_was_cut_off_on_our_side(as_alice, team):
    sent = as_alice.post(reverse("server-register"), registration(team, method="Annotator.getAnnotation"))
    Trial.objects.update(started=Now() - timedelta(seconds=100))
    page = as_alice.get(sent.url).content.decode()
    assert "The test call was interrupted on our side before the answer arrived." in page
    assert "data-done" in page
    assert "Try again" in page


def test_somebody_without_a_team_names_a_new_one_with_the_server(client, carol, article):
    client.force_login(carol)
    page = client.get(reverse("server-register")).content.decode()
    assert "a new one is created with you as its manager" in page
    sent = {"name": "Finder", "url": "http://127.0.0.1:9/", "protocol": "rest", "send": "struct", "kinds": ["mention"]}
    sent |= {"time_limit": "60", "team-name": ""}
    refused = client.post(reverse("server-register"), sent)
    assert (refused.status_code, Team.objects.filter(members=carol.pk).exists()) == (422, False)
    assert "Enter a name for the team." in refused.content.decode()
    assert client.post(reverse("server-register"), sent | {"team-name": "Team Gamma"}).status_code == 302
    assert Trial.objects.get().team.name == "Team Gamma"
    assert Team.objects.get(name="Team Gamma").membership_set.get().role == "manager"


def test_a_refused_trial_makes_no_team(client, carol, article, monkeypatch):
    client.force_login(carol)
    sent = {"name": "Finder", "url": "http://127.0.0.1:9/", "protocol": "rest", "send": "struct", "kinds": ["mention"]}
    sent |= {"time_limit": "60", "team-name": "Team Gamma", "pmid": "99999999"}
    assert client.post(reverse("server-register"), sent).status_code == 422
    assert not Team.objects.filter(name="Team Gamma").exists()
    monkeypatch.setattr(trials, "TRIALS_PER_HOUR", 0)
    assert client.post(reverse("server-register"), sent | {"pmid": ""}).status_code == 429
    assert not Team.objects.filter(name="Team Gamma").exists()


def test_a_mistyped_article_is_no_team_of_the_hour(client, carol, article, settings):
    settings.ACCOUNT_RATE_LIMITS = {"create_team": "1/h/user"}
    cache.clear()
    client.force_login(carol)
    sent = {"name": "Finder", "url": "http://127.0.0.1:9/", "protocol": "rest", "send": "struct", "kinds": ["mention"]}
    sent |= {"time_limit": "60", "team-name": "Team Gamma"}
    for pmid, status in (("99999999", 422), ("99999999", 422), ("", 302)):
        assert client.post(reverse("server-register"), sent | {"pmid": pmid}).status_code == status


def test_a_tried_server_is_saved_and_started_at_once(as_alice, team, article):
    with Annotator(lambda sent: {}) as annotator:
        run_server_trial(as_alice, team, url=annotator.url)
    address = reverse("server-trial-save", args=[Trial.objects.get().pk])
    page = as_alice.post(address, {"start": "1"}, follow=True).content.decode()
    assert "is registered and started" in page
    assert Server.objects.get().state == "online"
