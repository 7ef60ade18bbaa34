"""Register a server, change it, load articles, press its buttons; each wrong input gets one clear sentence."""

import socket

import pytest
from django.urls import reverse

from annotations.articles.models import Corpus, CorpusArticle
from annotations.results.models import Producer
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.runs.models import Run
from servers.calls.models import Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, QueueMode
from servers.registry import trials
from servers.registry.models import Server, ServerEvent, Trial
from servers.registry.states import ServerState
from servers.teams.models import Team
from tests.integration.evaluation_cast import hide_article, make_challenge, make_corpus
from tests.integration.server_cast import articles, give_past

pytestmark = pytest.mark.django_db

BAD_URL = "The URL cannot be used:"
MEND = "Write it as https://example.org/annotate."
BLOCKED = "The address"
PUBLIC = "Enter a URL that is reachable from the internet."


def registration(team, **changes):
    return {
        "team": team.pk,
        "name": "Species Finder",
        "description": "Organisms by dictionary.",
        "url": "http://127.0.0.1:9/annotate",
        "protocol": "bcms",
        "method": "Annotator.getAnnotation",
        "send": "struct",
        "kinds": ["taxon"],
        "time_limit": "60",
    } | changes


def faults(answer):
    assert answer.status_code == 422
    return {field: list(words) for field, words in answer.context["form"].errors.items()}


def try_and_save(client, team, **changes):
    """Send the form, let the worker try the server, save it."""
    sent = client.post(reverse("server-register"), registration(team, **changes))
    trial = Trial.objects.latest("pk")
    assert sent.url == f"/servers/trials/{trial.pk}/"
    trials.run_open_trial_and_store_report(trial.pk)
    return client.post(reverse("server-trial-save", args=[trial.pk]))


def test_it_registers_a_server_with_a_live_queue(as_alice, team):
    answer = try_and_save(as_alice, team)
    server = Server.objects.get()
    assert answer.url == "/servers/species-finder/"
    assert (server.team, server.kinds, server.time_limit, server.state) == (team, ["taxon"], 60, ServerState.OFFLINE)
    assert Queue.objects.get().mode == QueueMode.LIVE
    assert "Species Finder is registered." in as_alice.get(answer.url).content.decode()


@pytest.mark.parametrize(
    ("names", "slugs"),
    [
        (["GeneDict", "genedict!", "Gene Dict"], ["genedict", "genedict-2", "gene-dict"]),
        (["Register"], ["register-2"]),
        (["基因"], ["server"]),
    ],
)
def test_it_finds_each_server_an_address_of_its_own(as_alice, team, names, slugs):
    for name in names:
        try_and_save(as_alice, team, name=name)
    assert list(Server.objects.order_by("pk").values_list("slug", flat=True)) == slugs


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("", "Enter the URL of the server, for example https://example.org/annotate."),
        ("example.org", f"{BAD_URL} it does not begin with http:// or https://. {MEND}"),
        ("ftp://example.org/", f"{BAD_URL} it does not begin with http:// or https://. {MEND}"),
        ("javascript:alert(1)", f"{BAD_URL} it does not begin with http:// or https://. {MEND}"),
        ("http://", f"{BAD_URL} it names no host or the port 0. {MEND}"),
        ("http://me:secret@127.0.0.1:9000/", f"{BAD_URL} it contains a user name or password. {MEND}"),
        ("http://127.0.0.1:99999/", f"{BAD_URL} its host or port is malformed. {MEND}"),
        ("http://127.0.0.1/a b", f"{BAD_URL} it contains white space or control characters. {MEND}"),
        ("http://10.0.0.1/", f"{BLOCKED} 10.0.0.1 is not on the public internet. {PUBLIC}"),
        ("http://[::1]/", f"{BLOCKED} ::1 is not on the public internet. {PUBLIC}"),
    ],
)
def test_it_says_what_is_wrong_with_a_url(as_alice, team, url, sentence):
    answer = as_alice.post(reverse("server-register"), registration(team, url=url))
    assert faults(answer) == {"url": [sentence]}
    assert not Server.objects.exists()


def test_it_says_that_a_name_is_not_in_the_dns(as_alice, team):
    answer = as_alice.post(reverse("server-register"), registration(team, url="http://nowhere.invalid/"))
    [sentence] = faults(answer)["url"]
    assert sentence.startswith("The name nowhere.invalid was not found")
    assert sentence.endswith("Check the spelling, and that the host name is public.")


def test_it_refuses_a_name_that_leads_to_a_private_address(as_alice, team, monkeypatch):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.168.1.7", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    answer = as_alice.post(reverse("server-register"), registration(team, url="http://annotator.example.org/"))
    assert faults(answer) == {"url": [f"{BLOCKED} 192.168.1.7 is not on the public internet. {PUBLIC}"]}


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("name", "", "Enter a name for the server."),
        ("kinds", [], "Select at least one kind of annotation that the server returns."),
        ("time_limit", "601", "The time limit must be at most 600 seconds."),
        ("time_limit", "0", "The time limit must be at least 1 second."),
        ("time_limit", "", "Enter the time limit in seconds. The maximum, 600, suits most servers."),
        ("time_limit", "soon", "The time limit must be a whole number of seconds, such as 600."),
        ("seconds_per_1000_characters", "nan", "The seconds for each 1,000 characters must be a number, such as 2.5."),
        ("seconds_per_1000_characters", "0", "The seconds for each 1,000 characters must be at least 0.001."),
        ("connect_limit", "61", "The connect limit must be at most 60 seconds."),
        ("connect_limit", "0", "The connect limit must be at least 1 second."),
        ("articles_per_request", "0", "The articles in one request must be at least 1."),
        (
            "articles_per_request",
            "2",
            "XML-RPC has one article in a request: enter 1, or select another protocol.",
        ),
        (
            "method",
            "<script>",
            "The method name contains a character that XML-RPC does not allow. Use letters, digits and _ . : / as in "
            "Annotator.getAnnotation.",
        ),
    ],
)
def test_it_says_what_is_wrong_with_another_field(as_alice, team, field, value, sentence):
    answer = as_alice.post(reverse("server-register"), registration(team, **{field: value}))
    assert faults(answer) == {field: [sentence]}


def test_it_registers_open_kinds_and_types_of_entities(as_alice, team):
    types = "genes, Chemical,,my type"
    try_and_save(as_alice, team, kinds=["mention", "relation", "label"], entity_types=types)
    server = Server.objects.get()
    assert (server.kinds, server.entity_types) == (["mention", "relation", "label"], ["Gene", "Chemical", "my type"])


def test_it_registers_for_several_articles_in_one_request(as_alice, team):
    several = {"protocol": "pubannotation", "articles_per_request": "8"}
    for refused in ({"method": "GET"}, {"send": "text"}, {"url": "http://127.0.0.1:9/?id=_sourceid_"}):
        answer = as_alice.post(reverse("server-register"), registration(team, **several | refused))
        assert "take several articles as an array of documents only" in faults(answer)["articles_per_request"][0]
    try_and_save(as_alice, team, **several)
    assert Server.objects.get().articles_per_request == 8


def test_it_registers_for_ones_own_team_alone(as_alice, team):
    other = Team.objects.create(name="Team Beta", slug="team-beta")
    assert "team" in faults(as_alice.post(reverse("server-register"), registration(other)))


def test_it_changes_what_the_form_holds_and_nothing_else(as_alice, server):
    page = reverse("server-edit", args=["genedict"])
    form = as_alice.get(page).context["form"]
    Server.objects.update(failures_running=7)
    held = {name: form[name].value() for name in form.fields}
    changes = {name: "" if value is None else value for name, value in held.items()}
    changes |= {"name": "GeneDict 2", "kinds": ["mention"], "calls_per_minute": "30", "connect_limit": "5"}
    assert as_alice.post(page, changes).url == "/servers/genedict/"
    server.refresh_from_db()
    assert (server.name, server.kinds, server.failures_running) == ("GeneDict 2", ["mention"], 7)
    assert (server.connect_limit, server.seconds_per_1000_characters) == (5, None)
    assert (server.calls_per_minute, server.largest_text, server.custom_parameters) == (30, None, {})


def test_it_renames_with_a_server_what_it_said_and_its_runs_that_are_not_published(as_alice, olga, server):
    server.kinds = ["taxon"]
    server.save()
    challenge = make_challenge(olga, make_corpus())
    training = challenge.phases.get(sort="training")
    development = creation.create_phase_claiming_blind_corpus(challenge, "development", training.corpus)
    contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    for phase in (training, development):
        enter_eligible_server_and_enqueue_articles(server, phase, olga)
    publish_phase_or_request_if_sealed(training)
    rename(as_alice, "<b>New</b>")
    assert set(Producer.objects.filter(queue__server=server).values_list("name", flat=True)) == {"<b>New</b>"}
    assert dict(Run.objects.values_list("phase__sort", "name")) == {
        "training": "GeneDict",
        "development": "<b>New</b>",
    }


def rename(client, name):
    page = reverse("server-edit", args=["genedict"])
    form = client.get(page).context["form"]
    held = {each: form[each].value() for each in form.fields}
    held = {each: "" if value is None else value for each, value in held.items()}
    assert client.post(page, held | {"name": name}).status_code == 302


def test_it_starts_halts_and_halts_hard(as_alice, alice, server):
    for button in ("server-start", "server-stop", "server-start", "server-stop-now"):
        assert as_alice.post(reverse(button, args=["genedict"])).url == "/servers/genedict/"
    ends = list(ServerEvent.objects.order_by("pk").values_list("after", "by__username"))
    assert ends == [
        ("online", "alice"),
        ("halting", "alice"),
        ("offline", None),
        ("online", "alice"),
        ("offline", "alice"),
    ]


def test_it_says_that_a_server_is_in_another_state_by_now(as_alice, server):
    page = as_alice.post(reverse("server-stop", args=["genedict"]), follow=True)
    assert "GeneDict is offline, so nothing was changed." in page.content.decode()


def test_it_loads_a_corpus_in_its_order(as_alice, server):
    corpus = Corpus.objects.create(slug="reading", name="Reading")
    for position, article in enumerate(reversed(articles(20000001, 3))):
        CorpusArticle.objects.create(corpus=corpus, article=article, position=position)
    page = as_alice.post(reverse("server-load", args=["genedict"]), {"corpus": corpus.pk}, follow=True)
    assert "3 articles added to the live queue." in page.content.decode()
    loaded = Call.objects.order_by("pk").values_list("article__pmid", flat=True)
    assert list(loaded) == [20000003, 20000002, 20000001]
    again = as_alice.post(reverse("server-load", args=["genedict"]), {"corpus": corpus.pk}, follow=True)
    assert "0 articles added to the live queue; 3 were already waiting." in again.content.decode()


@pytest.mark.parametrize("typed", ["20000001 20000002", "PMID:20000001,\n20000002;20000001"])
def test_it_loads_pmids_as_typed(as_alice, server, typed):
    articles(20000001, 2)
    as_alice.post(reverse("server-load", args=["genedict"]), {"pmids": typed})
    assert list(Call.objects.order_by("pk").values_list("article__pmid", flat=True)) == [20000001, 20000002]


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "Either select a corpus or enter PMIDs."),
        ({"pmids": "P12345 7"}, "Not a PMID: P12345. Enter numbers such as 16054130."),
        ({"pmids": "7 8"}, "Not in this database: PMID 7, 8. Remove them, or have them imported first."),
        ({"corpus": "999"}, "Select a valid choice. That choice is not one of the available choices."),
        ({"pmids": "7 " * 10001}, "There are 10,001 PMIDs. Enter at most 10,000 at a time."),
    ],
)
def test_it_says_why_nothing_was_loaded(as_alice, server, sent, sentence):
    answer = as_alice.post(reverse("server-load", args=["genedict"]), sent)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Call.objects.exists()


def test_it_loads_no_article_of_a_blind_corpus(as_alice, server):
    corpus = hide_article(articles(20000001, 1)[0], Corpus.objects.create(slug="blind", name="Blind", blind=True))
    page = reverse("server-load", args=["genedict"])
    assert as_alice.post(page, {"corpus": corpus.pk}).status_code == 422
    assert as_alice.post(page, {"pmids": "20000001"}).status_code == 422
    assert not Call.objects.exists()


def test_it_asks_again_for_articles_that_failed(as_alice, server):
    queue = give_past(server)
    page = as_alice.post(reverse("server-queue", args=["genedict", queue.pk, "retry-failed"]), follow=True)
    assert "1 article will be sent again." in page.content.decode()
    assert Call.objects.filter(article__pmid=20000003, state=CallState.WAITING).exists()


def test_it_asks_for_the_log_in_and_then_shows_the_server(client, server):
    answer = client.post(reverse("server-start", args=["genedict"]))
    assert answer.url == "/login/?next=/servers/genedict/"


def test_it_logs_in_and_goes_where_one_wanted(client, alice):
    answer = client.post(
        "/login/?next=/servers/register/",
        {"login": "alice", "password": "a-long-password", "next": "/servers/register/"},
    )
    assert answer.url == "/servers/register/"
    assert client.post("/logout/").url == "/"
