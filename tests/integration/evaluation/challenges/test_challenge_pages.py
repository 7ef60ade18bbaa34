"""Pages of challenges: who sees what, who may do what, and every fault of a gold standard on the page."""

import csv
import re
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from lxml import etree

from annotations.articles.models import Article, Corpus
from evaluation.challenges.models import Challenge, Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.calls.models import Call
from tests.integration.evaluation_cast import (
    ACT_GOLD,
    answer,
    create_listed_challenge,
    make_corpus,
    make_server,
    relevant,
)

pytestmark = pytest.mark.django_db

BOARD = "/challenges/example/training/ACT/"


@pytest.fixture
def run(reader, phase):
    """Entered and scored: three right of four."""
    run = enter_eligible_server_and_enqueue_articles(reader, phase)[0]
    for pmid, letter in zip((101, 102, 103, 104), "TTTF", strict=True):
        answer(run, pmid, relevant(letter == "T"), duration=2.5)
    compute_and_store_run_scores(run)
    return run


@pytest.fixture
def published(run, phase):
    publish_phase_or_request_if_sealed(phase)
    return run


def read_page_text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_it_lists_challenges(client, phase):
    page = client.get("/challenges/")
    assert "Example challenge" in read_page_text(page)
    assert "New challenge" not in read_page_text(page)


def test_it_shows_a_challenge_with_its_tasks_phases_and_boards(client, phase):
    page = read_page_text(client.get("/challenges/example/"))
    for words in ("ACT: Relevant or not", "Training phase", "4 articles", "not published"):
        assert words in page
    for secret in SECRETS:
        assert secret not in page
    assert client.get("/challenges/none/").status_code == 404


TABS = {
    "data": ("Articles 4", "Gold standard ACT of", "Articles of the training phase", "have not named a licence"),
    "rules": ("Every team.", "ACT: Relevant or not", "A stand-in for a gold.", "of a team for each task"),
    "leaderboards": ("Training phase", "Leaderboard ACT", "not published"),
}
SECRETS = ("Publish this phase", "Upload a gold standard", "Take part", "act.tsv")


@pytest.mark.parametrize("tab", TABS)
def test_each_tab_has_its_part_of_the_phases(client, phase, olga, django_assert_max_num_queries, tab):
    with django_assert_max_num_queries(9):
        page = read_page_text(client.get(f"/challenges/example/{tab}/"))
    assert [words for words in TABS[tab] if words not in page] == []
    assert [secret for secret in SECRETS if secret in page] == []
    Challenge.objects.update(state="draft")
    assert client.get(f"/challenges/example/{tab}/").status_code == 404
    client.force_login(olga)
    assert client.get(f"/challenges/example/{tab}/").status_code == 200
    assert client.get(f"/challenges/none/{tab}/").status_code == 404


def test_a_published_phase_says_so_among_the_leaderboards(client, published):
    assert "Leaderboard ACT Relevant or not published" in read_page_text(
        client.get("/challenges/example/leaderboards/")
    )


def test_it_shows_a_published_board_to_everybody(client, published):
    page = client.get(BOARD)
    words = read_page_text(page)
    for figure in (
        "Ranked by MCC",
        "Reader",
        "Team Alpha",
        "0.5774",
        "0.750",
        "4/4",
        "2.5 s",
        "A stand-in for a gold.",
    ):
        assert figure in words
    assert "act|training|mcc,auc_pr" in words
    assert b'role="img"' in page.content


def test_it_shows_an_unpublished_board_to_those_who_may_see_it(client, run, alice, carol, olga):
    assert "No runs that you can see yet" in read_page_text(client.get(BOARD))
    for user, sees in ((carol, False), (alice, True), (olga, True)):
        client.force_login(user)
        assert ("0.5774" in read_page_text(client.get(BOARD))) is sees


@pytest.mark.parametrize(
    "file", ["leaderboard.csv", "leaderboard.json", "leaderboard.tex", "precision-recall.svg", "live/", "pairs/"]
)
def test_it_keeps_unpublished_figures_out_of_every_file_and_fragment(client, run, carol, file):
    client.force_login(carol)
    answer = client.get(BOARD + file)
    assert answer.status_code in (200, 404)
    assert b"Reader" not in answer.content
    assert b"0.57" not in answer.content
    assert GoldStandard.objects.get(task__name="ACT").checksum.encode() not in answer.content
    assert b"act.tsv" not in answer.content


def test_it_gives_the_board_as_csv_and_json(client, published):
    (row,) = csv.DictReader(StringIO(client.get(BOARD + "leaderboard.csv").content.decode()))
    assert (row["rank"], row["run"], row["tp"], row["fp"], row["answered"]) == ("1", "Reader", "2", "1", "4")
    assert float(row["mcc_low"]) <= float(row["mcc"]) <= float(row["mcc_high"])
    data = client.get(BOARD + "leaderboard.json").json()
    assert data["runs"][0]["figures"]["mcc"] == pytest.approx(0.57735, abs=1e-5)
    assert data["gold"]["sha256"] == GoldStandard.objects.get(task__name="ACT").checksum
    assert float(row["mcc"]) == data["runs"][0]["figures"]["mcc"]


def test_it_makes_no_formula_of_a_name(client, published):
    Run.objects.filter(pk=published.pk).update(name="=HYPERLINK(1)")
    (row,) = csv.DictReader(StringIO(client.get(BOARD + "leaderboard.csv").content.decode()))
    assert row["run"] == "'=HYPERLINK(1)"


def test_it_gives_the_plot_as_a_file_and_escapes_names_everywhere(client, published):
    Run.objects.filter(pk=published.pk).update(name="<script>alert(1)</script>")
    plot = client.get(BOARD + "precision-recall.svg")
    assert plot["Content-Type"] == "image/svg+xml"
    assert etree.fromstring(plot.content).tag.endswith("svg")
    assert b"<script>alert" not in plot.content + client.get(BOARD).content


def test_it_refreshes_the_board_only_when_something_changed(client, published):
    version = re.search(r'data-version="([^"]+)"', client.get(BOARD).content.decode())[1]
    assert client.get(BOARD + f"live/?v={version}").status_code == 204
    answer(published, 103, relevant(False))
    compute_and_store_run_scores(published)
    fresh = client.get(BOARD + f"live/?v={version}")
    assert fresh.status_code == 200
    assert "1.0000" in read_page_text(fresh)
    assert b"<html" not in fresh.content


def test_it_has_no_board_at_a_wrong_address(client, phase):
    for address in (
        "/challenges/example/test/ACT/",
        "/challenges/example/training/XX/",
        "/challenges/no/training/ACT/",
    ):
        assert client.get(address).status_code == 404


def test_it_needs_a_fixed_number_of_queries(client, run, team, phase, olga, django_assert_max_num_queries):
    client.force_login(olga)
    for slug in ("second", "third"):
        another = enter_eligible_server_and_enqueue_articles(make_server(team, slug), phase)[0]
        answer(another, 101, relevant(True))
        compute_and_store_run_scores(another)
    # Session, user and the teams in the page's head are 3 of them.
    for address, queries in ((BOARD, 17), (BOARD + "live/", 15), ("/challenges/example/", 15), ("/challenges/", 8)):
        with django_assert_max_num_queries(queries):
            assert client.get(address).status_code == 200


def test_it_lets_a_team_take_part_and_load_again(client, reader, phase, alice):
    client.force_login(alice)
    assert "Enter the training phase" in read_page_text(client.get("/challenges/example/"))
    Phase.objects.filter(pk=phase.pk).update(closes=datetime(2126, 5, 1, 12, tzinfo=UTC))
    page = client.post("/challenges/example/phases/training/enter/", {"server": "reader"}, follow=True)
    assert "Reader takes part in the training phase in ACT and TX until 1 May 2126, 12:00 UTC" in read_page_text(page)
    assert Call.objects.count() == 4
    Call.objects.update(state="answered")
    page = client.post("/challenges/example/phases/training/load/", {"server": "reader"}, follow=True)
    assert "4 articles added to the training queue of Reader" in read_page_text(page)


def test_it_says_why_a_server_cannot_enter(client, reader, phase, alice):
    creation.create_phase_claiming_blind_corpus(phase.challenge, "test", phase.corpus)
    client.force_login(alice)
    page = client.post("/challenges/example/phases/test/enter/", {"server": "reader"}, follow=True)
    assert "Reader has answered 0 of the 4 training articles" in read_page_text(page)


def test_it_takes_no_server_of_another_team(client, reader, phase, carol):
    client.force_login(carol)
    page = client.post("/challenges/example/phases/training/enter/", {"server": "reader"}, follow=True)
    assert "None of your teams has this server" in read_page_text(page)
    assert not Run.objects.exists()


def test_it_keeps_organizing_to_organizers(client, phase, alice):
    addresses = ["add-task/", "add-phase/", "gold/", "phases/training/publish/"]
    for address in addresses:
        assert client.post(f"/challenges/example/{address}").status_code == 302
    client.force_login(alice)
    for address in addresses:
        assert client.post(f"/challenges/example/{address}").status_code == 403
    assert client.get("/challenges/new/").status_code == 403
    phase.refresh_from_db()
    assert phase.published is None


def test_it_lets_an_organizer_set_up_a_whole_challenge(client, olga):
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    corpus = make_corpus()
    client.force_login(olga)
    client.post("/challenges/new/", {"name": "Second", "slug": "second", "description": ""})
    challenge = Challenge.objects.get(slug="second")
    assert list(challenge.organizers.all()) == [olga]
    client.post("/challenges/second/add-task/", {"name": "ACT", "title": "Relevant?", "kind": "classification"})
    client.post("/challenges/second/add-phase/", {"sort": "training", "corpus": corpus.pk})
    task, phase = challenge.tasks.get(), challenge.phases.get()
    assert task.primary == "mcc"
    form = {"task": task.pk, "phase": phase.pk, "file": SimpleUploadedFile("labels.tsv", ACT_GOLD)}
    page = client.post("/challenges/second/gold/", form, follow=True)
    assert "The gold standard of ACT in the training phase is stored" in read_page_text(page)
    assert GoldStandard.objects.get().source == "labels.tsv"
    client.post("/challenges/second/state/", {"state": "listed"})
    client.post("/challenges/second/phases/training/publish/", {"confirm": "on"})
    phase.refresh_from_db()
    assert phase.published


def test_it_shows_every_fault_of_a_gold_standard_and_stores_nothing(client, phase, olga):
    client.force_login(olga)
    before = GoldStandard.objects.get(task__name="ACT")
    file = SimpleUploadedFile("labels.tsv", b"101\tmaybe\n<b>\t1\n103\t0\n")
    page = client.post("/challenges/example/gold/", {"task": before.task_id, "phase": phase.pk, "file": file})
    assert page.status_code == 422
    assert "rejected with 2 errors. Nothing was stored." in read_page_text(page)
    assert "1 5 R505 &#x27;maybe&#x27; is not a class Write 0 or 1" in read_page_text(page)
    file = SimpleUploadedFile("labels.tsv", b"101\t1\n<b>\t1\n103\t0\n")
    page = client.post("/challenges/example/gold/", {"task": before.task_id, "phase": phase.pk, "file": file})
    assert "rejected with 1 error. Nothing was stored." in read_page_text(page)
    assert "R508 article &lt;b&gt; is not in the corpus" in read_page_text(page)
    assert GoldStandard.objects.get(task__name="ACT").checksum == before.checksum


def test_description_and_rules_fold_what_is_seldom_needed_unless_it_has_an_error(client, phase, olga):
    client.force_login(olga)
    form = client.get("/challenges/example/description/").context["form"]
    assert [field.name for field in form.shown_fields] == ["name", "description", "entrance", "approve_teams"]
    assert {field.name for field in form} == {field.name for field in (*form.shown_fields, *form.folded_fields)}
    page = client.post("/challenges/example/description/", {"name": "Example", "doi": "none"})
    assert page.status_code == 422 and "<details open><summary>Terms, checks of runs" in page.content.decode()


@pytest.mark.parametrize(
    ("address", "form", "words"),
    [
        ("new/", {"name": "X", "slug": "new"}, "The site uses “new” itself"),
        ("example/add-task/", {"name": "A B", "title": "X", "kind": "taxon"}, "Use only letters, digits and dashes"),
        ("example/add-task/", {"name": "act", "title": "X", "kind": "taxon"}, "already has a task act"),
        (
            "example/add-task/",
            {"name": "GN", "title": "X", "kind": "normalization", "primary": "mcc"},
            "MCC does not apply to this kind. Choose a measure of the kind, or none.",
        ),
    ],
)
def test_it_says_what_is_wrong_in_a_form(client, phase, olga, address, form, words):
    olga.is_staff = True
    olga.save()
    client.force_login(olga)
    page = client.post(f"/challenges/{address}", form)
    assert page.status_code == 422
    assert words in read_page_text(page)


def test_it_lets_an_organizer_make_a_blind_corpus_for_a_phase(client, olga, phase):
    client.force_login(olga)
    fields = {"name": "New test", "slug": "new-test", "blind": "on", "articles": "PMID:103, doi:10.1000/101\n103"}
    assert client.post("/challenges/example/add-corpus/", fields).status_code == 302
    corpus = Corpus.objects.get(slug="new-test")
    rows = corpus.corpusarticle_set.order_by("position").values_list("article__snapshot__pmid", flat=True)
    assert (corpus.blind, list(rows)) == (True, [103, 101])
    assert "New test" in client.get("/challenges/example/add-phase/").content.decode()


@pytest.mark.parametrize(
    ("articles", "sentence"),
    [
        (
            "101 abc 99999999",
            "These articles are not on this site: abc, 99999999. Remove them, or upload them first.",
        ),
        (" ".join(map(str, range(1, 10_002))), "There are 10,001 articles. Enter at most 10,000 at a time."),
    ],
)
def test_it_refuses_a_corpus_whole(client, olga, phase, articles, sentence):
    client.force_login(olga)
    page = client.post("/challenges/example/add-corpus/", {"name": "N", "slug": "n", "articles": articles})
    assert page.status_code == 422
    assert sentence in read_page_text(page)
    assert not Corpus.objects.filter(slug="n").exists()


def test_it_offers_no_form_for_a_phase_when_all_three_are_there(client, olga, phase):
    client.force_login(olga)
    for sort in ("development", "test"):
        assert "choose a corpus" in read_page_text(client.get("/challenges/example/add-phase/"))
        creation.create_phase_claiming_blind_corpus(phase.challenge, sort, phase.corpus)
    words = read_page_text(client.get("/challenges/example/add-phase/"))
    assert "already has a training, a development and a test phase" in words and "choose a corpus" not in words
    sent = {"sort": "test", "corpus": phase.corpus.pk}
    assert client.post("/challenges/example/add-phase/", sent).status_code == 422
    assert phase.challenge.phases.count() == 3


def test_it_offers_no_blind_corpus_of_another_challenge(client, olga, carol, phase):
    other = create_listed_challenge("Other", "other", "", carol)
    blind = create_challenge_corpus(other, "Secret test", "secret", "", [Article.objects.get(pmid=101).pk], blind=True)
    for user, address, offered in (
        (olga, "/challenges/example/add-phase/", False),
        (carol, "/challenges/other/add-phase/", True),
    ):
        client.force_login(user)
        assert ("Secret test" in client.get(address).content.decode()) is offered
    client.force_login(olga)
    assert client.post("/challenges/example/add-phase/", {"sort": "test", "corpus": blind.pk}).status_code == 422
    with pytest.raises(ChallengeError, match="belongs to another challenge"):
        creation.create_phase_claiming_blind_corpus(phase.challenge, "test", blind)


def test_it_offers_a_blind_corpus_of_no_challenge_to_staff_alone(client, olga, phase):
    orphan = make_corpus("orphan", pmids=(201, 202), blind=True)
    client.force_login(olga)
    for staff in (False, True):
        User.objects.filter(pk=olga.pk).update(is_staff=staff)
        assert ("Orphan" in client.get("/challenges/example/add-phase/").content.decode()) is staff
    assert client.post("/challenges/example/add-phase/", {"sort": "test", "corpus": orphan.pk}).status_code == 302
    assert Corpus.objects.get(pk=orphan.pk).owner.challenge == phase.challenge
