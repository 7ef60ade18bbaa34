"""The organizers' pages: for them alone, and every button does what it says."""

import re

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.urls import reverse

from annotations.articles.corpora import append_absent_articles_creating_corpus
from annotations.articles.models import Article, CorpusArticle
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from evaluation import tasks
from evaluation.challenges.dry_run.setup_checks import perform_dry_run
from evaluation.challenges.matrix.server_matrix import build_server_matrix
from evaluation.challenges.models import Challenge, Entrant, Phase
from evaluation.challenges.participants import admission
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import (
    answer,
    create_listed_challenge,
    end,
    make_corpus,
    make_server,
    relevant,
    species,
)
from tests.integration.server_cast import put_in_flight

pytestmark = pytest.mark.django_db

PHASE_BUTTONS = ("begin", "end", "freeze", "unfreeze", "move-end", "exclude", "include", "rescore", "publish")


def read_page_text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def list_page_addresses(phase):
    slug = phase.challenge.slug
    whole = ["challenge-organize", "challenge-description", "challenge-dry-run", "challenge-archive"]
    parts = ["phase-rules", "phase-mapping", "phase-matrix", "phase-matrix-live"]
    return [reverse(name, args=[slug]) for name in whole] + [reverse(name, args=[slug, phase.sort]) for name in parts]


def list_button_addresses(phase):
    slug = phase.challenge.slug
    named = [reverse(f"phase-{name}", args=[slug, phase.sort]) for name in PHASE_BUTTONS]
    teams = [reverse(f"challenge-{name}", args=[slug]) for name in ("team-approve", "team-disapprove")]
    return [*named, *teams, reverse("phase-publish-task", args=[slug, phase.sort, "ACT"])]


def test_it_is_for_the_organizers_alone(client, training, alice, olga, admin_user):
    for address in list_page_addresses(training):
        client.logout()
        assert client.get(address).status_code == 302
        for user, status in ((alice, 403), (olga, 200), (admin_user, 200)):
            client.force_login(user)
            assert client.get(address).status_code == status, (address, user)


def test_its_buttons_are_for_the_organizers_alone(client, training, alice):
    before = Phase.objects.values().get(pk=training.pk)
    for user in (None, alice):
        if user:
            client.force_login(user)
        for address in list_button_addresses(training):
            answer = client.post(address, {"reason": "x", "team": "team-alpha", "article": "101"})
            assert answer.status_code == (403 if user else 302), address
    assert Phase.objects.values().get(pk=training.pk) == before
    assert not Entrant.objects.exists()


def test_it_freezes_thaws_moves_and_excludes(organizer, training):
    page = "/challenges/example/phases/training/"
    organizer.post(page + "freeze/", {"reason": "We look again."})
    assert "frozen" in read_page_text(organizer.get("/challenges/example/organize/"))
    assert "It is required" not in read_page_text(organizer.post(page + "thaw/", follow=True))
    said = read_page_text(organizer.post(page + "freeze/", {"reason": ""}, follow=True))
    assert "Reason: This field is required." in said
    said = read_page_text(
        organizer.post(page + "move-end/", {"closes": "2099-01-01T12:00", "reason": "More."}, follow=True)
    )
    assert "to 1 January 2099, 12:00" in said
    said = read_page_text(
        organizer.post(page + "move-end/", {"closes": "2001-01-01T12:00", "reason": "Less."}, follow=True)
    )
    assert "The new end is in the past" in said
    said = read_page_text(organizer.post(page + "exclude/", {"article": "103", "reason": "Retracted."}, follow=True))
    assert "Article PMID 103 excluded" in said
    assert "PMID 103: Retracted." in said
    said = read_page_text(organizer.post(page + "exclude/", {"article": "999", "reason": "None."}, follow=True))
    assert "Four has no article “999”" in said
    said = read_page_text(organizer.post(page + "include/", {"article": "103"}, follow=True))
    assert "Article PMID 103 included. All runs are scored again" in said
    assert "scored again" in read_page_text(organizer.post(page + "rescore/", follow=True))


def test_its_labels_lead_to_the_fields_of_their_own_phase(organizer, training, testing):
    page = organizer.get("/challenges/example/organize/").content.decode()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {f"{phase.sort}-freeze-reason" for phase in (training, testing)} <= set(re.findall(r'for="([^"]+)"', page))


def test_it_begins_and_ends_a_phase_at_once_and_says_why(organizer, training):
    Phase.objects.filter(pk=training.pk).update(opens="2099-01-01T12:00Z", closes="2100-01-01T12:00Z")
    page = "/challenges/example/phases/training/"
    assert "has not begun" in read_page_text(organizer.post(page + "end/", {"reason": "No."}, follow=True))
    assert "Reason: This field is required." in read_page_text(organizer.post(page + "begin/", follow=True))
    said = read_page_text(organizer.post(page + "begin/", {"reason": "All is ready."}, follow=True))
    assert "The training phase is open" in said and "End the training phase now" in said
    assert "is already open" in read_page_text(organizer.post(page + "begin/", {"reason": "Again."}, follow=True))
    said = read_page_text(organizer.post(page + "end/", {"reason": "All are done."}, follow=True))
    assert "The training phase is over" in said and "End the training phase now" not in said
    assert "is already over" in read_page_text(organizer.post(page + "end/", {"reason": "Again."}, follow=True))
    shown = read_page_text(organizer.get("/challenges/example/"))
    assert "Begun early, planned for 1 January 2099, 12:00 UTC: All is ready." in shown
    assert "Ended early, planned for 1 January 2100, 12:00 UTC: All are done." in shown


def test_it_changes_the_rules_and_tells_the_queues(organizer, training, reader):
    queue = enter_eligible_server_and_enqueue_articles(reader, training)[0].producer.queue
    fields = {"opens": "2026-01-01T00:00", "online_runs": 2, "offline_runs": 3, "minutes": 4, "tries": 1}
    address = "/challenges/example/phases/training/rules/"
    assert organizer.post(address, {**fields, "may_withdraw": "on"}).status_code == 302
    training.refresh_from_db()
    queue.refresh_from_db()
    assert (training.online_runs, training.offline_runs, training.may_withdraw) == (2, 3, True)
    assert (queue.minutes, queue.tries) == (4, 1)
    assert b"cap_classification" not in organizer.get(address).content
    assert organizer.post(address, {**fields, "cap_taxon": 30}).status_code == 302
    training.refresh_from_db()
    assert training.upload_caps == {"taxon": 30}
    assert "with at most 30 organisms per article" in read_page_text(organizer.get("/challenges/example/rules/"))
    assert "at most 30 organisms in an uploaded run" in read_page_text(organizer.get("/challenges/example/organize/"))
    caps = list_check_states(perform_dry_run(training.challenge))["Caps of the training phase"]
    assert caps == ("good", "An uploaded run can have at most 30 organisms for an article.")
    refused = organizer.post(address, {**fields, "minutes": 11, "tries": 0})
    assert refused.status_code == 422
    assert "less than or equal to 10" in read_page_text(refused)
    assert b"<details open><summary>Calls of servers</summary>" in refused.content
    assert refused.content.count(b"<details open>") == 1


def test_the_dry_run_shows_what_failed_first(organizer, training):
    words = read_page_text(organizer.get("/challenges/example/dry-run/"))
    missing, open_ended, passed = (
        words.index(each) for each in ("There is no test phase", "Without an end: training", "has 4 articles")
    )
    assert missing < open_ended < passed


def test_it_hides_no_names_that_were_published(organizer, training):
    fields = {"opens": "2026-01-01T00:00", "online_runs": 2, "offline_runs": 3, "minutes": 4, "tries": 1}
    address = "/challenges/example/phases/training/rules/"
    later = [{**fields, "names_shown": f"{year}-01-01T00:00"} for year in (2100, 2101)]
    assert organizer.post(address, later[0]).status_code == 302
    training.refresh_from_db()
    publish_phase_or_request_if_sealed(training)
    assert [organizer.post(address, own).status_code for own in (later[1], fields)] == [302, 302]
    refused = organizer.post(address, later[0])
    assert refused.status_code == 422
    assert "The phase is already published with the names of its teams" in read_page_text(refused)


def test_it_sets_terms_and_lets_teams_in(organizer, client, challenge, team, alice, olga):
    fields = {"name": "Example challenge", "entrance": "open", "approve_teams": "on", "terms": "Cite the paper."}
    fields["file_rules"] = "library"
    assert organizer.post("/challenges/example/description/", fields).status_code == 302
    client.force_login(alice)
    page = read_page_text(client.get("/challenges/example/"))
    assert "Cite the paper." in page
    assert "Accept the terms for Team Alpha" in page
    joined = client.post("/challenges/example/join/", {"team": "team-alpha"}, follow=True)
    said = read_page_text(joined)
    assert "have not approved Team Alpha yet" in said
    assert [message.level_tag for message in joined.context["messages"]] == ["info"]
    assert "Accept the terms" not in said
    client.force_login(olga)
    assert "awaiting approval" in read_page_text(client.get("/challenges/example/organize/"))
    said = read_page_text(client.post("/challenges/example/approve/", {"team": "team-alpha"}, follow=True))
    assert "Team Alpha can take part." in said
    said = read_page_text(client.post("/challenges/example/disapprove/", {"team": "team-alpha"}, follow=True))
    assert "Its runs were kept" in said


def test_it_joins_with_a_team_of_ones_own_only(client, challenge, team, carol):
    client.force_login(carol)
    said = read_page_text(client.post("/challenges/example/join/", {"team": "team-alpha"}, follow=True))
    assert "You are not on such a team" in said


def test_it_seals_an_uploaded_test_gold_standard_in_memory(organizer, challenge, testing, monkeypatch, settings):
    def refuse(*args, **kwargs):
        raise AssertionError("a file was written")

    monkeypatch.setattr("django.core.files.uploadedfile.TemporaryUploadedFile.__init__", refuse)
    lines = b"201\t559292\n" + b"".join(b"202\t%d\n" % number for number in range(1, 4000))
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = len(lines) // 10
    tx = challenge.tasks.get(name="TX")
    fields = {"task": tx.pk, "phase": testing.pk, "file": SimpleUploadedFile("tx.tsv", lines)}
    said = read_page_text(organizer.post("/challenges/example/gold/", fields, follow=True))
    assert "The gold standard of TX in the test phase is sealed." in said
    assert GoldStandard.objects.get(task=tx, phase=testing).producer is None


def test_it_takes_no_gold_standard_without_the_forms_token(challenge, testing, olga):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(olga)
    assert strict.post("/challenges/example/gold/", {}).status_code == 403


def test_it_publishes_a_sealed_phase_when_the_worker_has_opened_it(organizer, challenge, testing):
    store_gold_sealed_or_open(challenge.tasks.get(name="TX"), testing, b"201\t559292\n", "tx.tsv")
    for address in ("publish/", "publish/TX/"):
        said = read_page_text(organizer.post(f"/challenges/example/phases/test/{address}", follow=True))
        assert "teams can still submit. Set its end first, then publish it" in said
        assert "You can publish the test phase after it has ended" in said
    end(testing)
    said = read_page_text(organizer.post("/challenges/example/phases/test/publish/", {"confirm": "on"}, follow=True))
    assert "as soon as the scoring worker has opened" in said
    assert "publishing" in said
    tasks.publish_requested_phases_and_tasks_unless_busy()
    said = read_page_text(organizer.post("/challenges/example/phases/test/publish/", {"confirm": "on"}, follow=True))
    assert "is already published" in said


def test_it_says_which_id_is_which_article(organizer, testing):
    lines = organizer.get("/challenges/example/phases/test/mapping/").content.decode().splitlines()
    first = testing.corpus.articles.get(snapshot__pmid=201)
    assert lines[:2] == ["opaque_id\tpmid\tdoi\tpmcid\tid_in_file", f"{first.opaque}\t201\t10.1000/201\t\t"]
    assert len(lines) == 3


def test_its_page_takes_a_fixed_number_of_queries(organizer, training, testing, reader, django_assert_num_queries):
    enter_eligible_server_and_enqueue_articles(reader, training)
    with django_assert_num_queries(21):
        organizer.get("/challenges/example/organize/")


def test_its_page_lists_the_corpora_of_the_challenge(organizer, challenge, testing, carol):
    first = Article.objects.get(pmid=101).pk
    create_challenge_corpus(challenge, "Spare", "spare", "", [first], blind=False)
    other = create_listed_challenge("Other", "other", "", carol)
    create_challenge_corpus(other, "Elsewhere", "elsewhere", "", [first], blind=False)
    page = read_page_text(organizer.get("/challenges/example/organize/"))
    assert "Corpora Blind blind 2 articles, in the test phase Four 4 articles, in the training phase" in page
    assert "Spare 1 article, not in a phase yet Delete Spare Add a corpus" in page
    assert "Elsewhere" not in page


def list_check_states(made):
    return {check.name: (str(check.state), check.message) for check in made.checks}


def test_its_dry_run_finds_what_is_missing(challenge, training):
    found = list_check_states(perform_dry_run(challenge))
    assert found["Phases"] == ("mend this", "There is no test phase. Add a corpus, then the phase.")
    assert found["Gold standard of ACT in the training phase"][0] == "good"
    assert found["Servers"][0] == "look at this"


def test_its_dry_run_finds_what_gives_a_test_away(challenge, training, testing, reader, team):
    shared = training.corpus.articles.get(pmid=101)
    append_absent_articles_creating_corpus(testing.corpus.slug, [shared.pk])
    live = contents.get_or_create_queue_and_producer(reader, QueueMode.LIVE).producer
    store_results_superseding_earlier(shared, live, {Kind.TAXON: []})
    found = [check for check in perform_dry_run(challenge).checks if check.name == "Blind articles"]
    # The titles are "Article 201" and so on.
    assert [check.message for check in found] == [
        "3 test articles contain their own PMID or DOI in their text. Replace them.",
        "1 test articles are also in another phase. Remove them from one of the two.",
        "1 of the 3 test articles is publicly known: an article with the same PMID, PMCID, DOI or text is on this "
        "site. Servers have annotated 1 of them outside of the test. A team can find such an article by its text. If "
        "you can, use articles that are not public, and upload them straight to the blind corpus: PMID 101.",
    ]
    assert [check.state for check in found] == ["mend this", "mend this", "look at this"]
    testing.corpus.blind = False
    testing.corpus.save()
    assert list_check_states(perform_dry_run(challenge))["Blind articles"][0] == "mend this"


def test_its_dry_run_knows_whether_the_scoring_worker_has_the_key(challenge, testing, settings):
    name = "Key of the test gold standard"
    assert "No scoring worker with a private key" in list_check_states(perform_dry_run(challenge))[name][1]
    tasks.publish_requested_phases_and_tasks_unless_busy()
    assert list_check_states(perform_dry_run(challenge))[name][0] == "good"
    cache.set("gold-key-of-scoring-worker", "0" * 16, 60)
    assert "has the key 0000000000000000" in list_check_states(perform_dry_run(challenge))[name][1]
    settings.GOLD_PUBLIC_KEY = None
    assert "The site has no key" in list_check_states(perform_dry_run(challenge))[name][1]


def test_its_dry_run_says_what_the_test_can_tell(organizer, challenge, training, team):
    creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=range(201, 301), blind=True)
    )
    assumed = perform_dry_run(challenge).power_analyses[0]
    assert (assumed.task.name, assumed.articles, assumed.unit) == ("ACT", 100, "accuracy")
    # (1.959964 + 0.841621) * sqrt(0.2) / sqrt(100)
    assert assumed.difference == pytest.approx(0.12529, abs=1e-5)
    for name, letters in (("first", "TTFF"), ("second", "TFTF")):
        run = enter_eligible_server_and_enqueue_articles(make_server(team, name), training)[0]
        for pmid, letter in zip((101, 102, 103, 104), letters, strict=True):
            answer(run, pmid, relevant(letter == "T"))
    measured = perform_dry_run(challenge).power_analyses[0]
    assert measured.source == "Estimated from the differences between 2 training runs on each article."
    # The first run is right everywhere, the second in two of four: differences 0, 1, 1, 0, a variance of 1/3.
    assert measured.difference == pytest.approx(2.801585 * (1 / 3) ** 0.5 / 10, abs=1e-5)
    assert "0.162" in read_page_text(organizer.get("/challenges/example/dry-run/"))


@pytest.fixture
def under_way(training, team):
    """Three servers: one has done half, one stands in FAIL, one waits offline."""
    servers = [make_server(team, name) for name in ("busy", "broken", "idle")]
    for server in servers:
        enter_eligible_server_and_enqueue_articles(server, training)
    states = {"busy": ["answered", "empty", "asking", "waiting"], "broken": ["failed", "failed", "failed", "waiting"]}
    for name, own in states.items():
        for call, state in zip(Call.objects.filter(server__slug=name).order_by("pk"), own, strict=True):
            if state == "asking":
                put_in_flight(call)
            else:
                Call.objects.filter(pk=call.pk).update(state=state)
            if state == "failed":
                Attempt.objects.create(
                    call=call, server=call.server, number=1, outcome="connection", message="Refused. Start the server."
                )
    Server.objects.filter(slug="busy").update(state="online", version=7)
    Server.objects.filter(slug="broken").update(state="fail", state_reason="20 articles in a row failed")
    return training


def test_its_matrix_shows_every_state_and_who_needs_help(organizer, under_way):
    shown = build_server_matrix(under_way)
    assert {row.server.slug: row.states for row in shown.rows} == {"busy": "aenw", "broken": "fffw", "idle": "wwww"}
    assert {row.server.slug: row.trouble.split(":")[0] for row in shown.troubled} == {
        "broken": "Stopped by the site",
        "idle": "Not started",
    }
    assert [(hard.name, hard.failed, hard.empty) for hard in shown.hard][:2] == [("102", 1, 1), ("101", 1, 0)]
    page = read_page_text(organizer.get("/challenges/example/phases/training/matrix/"))
    assert "Last failed attempt: Refused. Start the server." in page
    assert "Not started: its team can start it on the page of the server." in page


def test_its_matrix_names_the_articles_in_the_order_of_the_corpus(under_way):
    CorpusArticle.objects.filter(corpus=under_way.corpus_id).update(position=10 - F("position"))
    shown = build_server_matrix(under_way)
    assert {row.server.slug: row.states for row in shown.rows} == {"busy": "wnea", "broken": "wfff", "idle": "wwww"}
    assert [(hard.name, hard.failed, hard.empty) for hard in shown.hard][:2] == [("102", 1, 1), ("101", 1, 0)]


def test_its_matrix_is_brought_only_when_it_changed(organizer, under_way):
    live = "/challenges/example/phases/training/matrix/live/"
    version = re.search(r'data-version="([^"]+)"', organizer.get(live).content.decode())[1]
    assert organizer.get(live, {"v": version}).status_code == 204
    Server.objects.filter(slug="idle").update(version=9)
    assert organizer.get(live, {"v": version}).status_code == 200


def test_its_matrix_takes_as_many_queries_for_many_servers(under_way, team, django_assert_num_queries):
    with django_assert_num_queries(5):
        build_server_matrix(Phase.objects.select_related("corpus").get(pk=under_way.pk))
    for number in range(2):
        enter_eligible_server_and_enqueue_articles(
            make_server(team, f"more-{number}"), Phase.objects.get(pk=under_way.pk)
        )
    with django_assert_num_queries(5):
        build_server_matrix(Phase.objects.select_related("corpus").get(pk=under_way.pk))


def test_its_matrix_says_when_the_phase_holds_the_queue(under_way):
    Queue.objects.filter(server__slug="idle").update(held=True)
    held = next(row for row in build_server_matrix(under_way).rows if row.server.slug == "idle")
    assert held.trouble == "Held by the phase: the server is not called."


@pytest.mark.long
def test_its_matrix_is_small_for_thirty_servers_and_six_hundred_articles(organizer, challenge, team):
    """Every call answered, empty or failed in turn: the worst that can be drawn."""
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, "development", make_corpus("large", pmids=range(1000, 1600))
    )
    Phase.objects.filter(pk=phase.pk).update(online_runs=30)
    phase.refresh_from_db()
    for number in range(30):
        enter_eligible_server_and_enqueue_articles(make_server(team, f"s{number}"), phase)
    letters = ("answered", "empty", "failed", "waiting", "answered", "answered", "answered")
    calls = list(Call.objects.filter(queue__name="example-development").order_by("pk").values_list("pk", flat=True))
    for place, state in enumerate(letters):
        Call.objects.filter(pk__in=calls[place :: len(letters)]).update(state=state)
    page = organizer.get("/challenges/example/phases/development/matrix/live/")
    assert page.content.count(b"<path") == 5 + 30 * 4
    assert len(page.content) < 400_000


def test_the_entrant_is_named_on_the_page(challenge, team, alice, organizer):
    admission.accept_terms_or_refuse_ineligible_team(challenge, team, alice)
    assert "terms accepted" in read_page_text(organizer.get("/challenges/example/organize/"))
    assert Challenge.objects.get().entrants.count() == 1


def test_a_server_with_failed_training_articles_is_not_ready(challenge, training, testing, reader):
    runs = enter_eligible_server_and_enqueue_articles(reader, training)
    for pmid in (101, 102, 103):
        for run in runs:
            answer(run, pmid, relevant(True) if run.task.name == "ACT" else species())
    Call.objects.filter(article__pmid=104).update(state="failed")
    assert "has 1 training articles to answer" in list_check_states(perform_dry_run(challenge))["Server Reader"][1]
