"""Pages of uploaded runs: what a team does and sees, and what nobody else does."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotations.curation.models import CuratorProfile
from annotations.identifiers.models import Entry
from evaluation import tasks
from evaluation.calibration.models import Calibration
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.runs.models import Run
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import answer, get_article, make_server, relevant, species

pytestmark = pytest.mark.django_db

ORCID = "0000-0002-1825-0097"
RUNS = "/challenges/example/training/TX/runs/"
GOOD = b"101\t9606\t0.9\n101\t7227\t0.1\n102\t10090\t0.8\n999\t9606\t0.7\n"
# Right are 9606 of 101, 10090 and 9606 of 102, 10116 of 103.


@pytest.fixture
def member(client, challenge, team, alice):
    client.force_login(alice)
    return client


@pytest.fixture
def bob(django_user_model):
    user = django_user_model.objects.create_user("bob", "bob@example.org", "a-long-password")
    Membership.objects.create(team=Team.objects.create(name="Team Beta", slug="team-beta"), user=user, role="manager")
    return user


def put(client, content=GOOD, address=RUNS, name="mine.tsv", **fields):
    return client.post(address, {"file": SimpleUploadedFile(name, content), **fields}, follow=True)


def read_page_text(response):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


@pytest.fixture
def run(member):
    put(member)
    run = Run.objects.get()
    compute_and_store_run_scores(run)
    return run


def test_it_takes_a_file_and_shows_the_run(member):
    assert "0 of 5 runs used, 0 files uploaded" in read_page_text(member.get(RUNS))
    page = read_page_text(put(member, message="With a new lexicon."))
    assert "mine.tsv: stored as a run" in page
    assert "With a new lexicon." in page
    assert "1 article in the file is not in this phase and is ignored: 999 ." in page
    listed = read_page_text(member.get(RUNS))
    assert "1 of 5 runs used, 1 file uploaded" in listed


@pytest.mark.parametrize("shown", [False, True])
def test_it_shows_the_orcid_of_who_uploaded_it_only_if_they_agree(member, alice, run, shown):
    CuratorProfile.objects.create(user=alice, orcid=ORCID, shows_orcid=shown, orcid_verified=True)
    for address in (f"/runs/{run.pk}/", f"/uploads/{Upload.objects.get().pk}/"):
        page = member.get(address).content.decode()
        assert (f"https://orcid.org/{ORCID}" in page) is (">verified<" in page) is shown, address


def test_it_shows_every_fault_of_a_refused_file(member):
    page = put(member, b"101\t<b>x</b>\t0.9\n102\tmouse\t0.8\n")
    words = read_page_text(page)
    assert "The file “mine.tsv” was rejected with 2 errors. Nothing was stored." in words
    assert "2 5 R712 “mouse” is not an NCBI Taxonomy ID Write the number alone, such as 9606" in words
    assert b"&lt;b&gt;x" in page.content
    assert "A rejected file does not count towards your runs." in words
    assert "0 of 5 runs used, 1 file uploaded" in read_page_text(member.get(RUNS))


def test_it_checks_a_file_only(member):
    page = read_page_text(put(member, check="1"))
    assert "No errors: 4 results for 3 articles. Nothing was stored." in page
    assert "The file “mine.tsv” was rejected with 1 error" in read_page_text(
        put(member, b"101\t9606\t2.5\n", check="1")
    )
    assert not Upload.objects.exists()


def test_it_says_why_a_file_is_not_looked_at(member):
    put(member)
    page = member.post(RUNS, {"file": SimpleUploadedFile("mine.tsv", GOOD)})
    assert page.status_code == 422
    assert "You uploaded this file already, as run mine" in read_page_text(page)
    assert "This field is required" in read_page_text(member.post(RUNS, {}))


def test_it_has_no_button_when_nothing_can_be_uploaded(member, challenge):
    challenge.phases.update(closes="2020-01-01T00:00Z")
    page = member.get(RUNS)
    assert "The training phase closed on" in read_page_text(page)
    assert b"Upload run</button>" not in page.content


def test_it_asks_who_has_no_team_to_make_one(client, challenge, carol):
    client.force_login(carol)
    assert "Only teams can upload runs" in read_page_text(client.get(RUNS))
    assert not Upload.objects.exists()


def test_it_uploads_for_no_team_of_others(client, challenge, team, bob):
    client.force_login(bob)
    assert put(client, team="team-alpha").status_code == 403
    assert client.get(f"{RUNS}?team=team-alpha").status_code == 403


def test_it_shows_the_figures_of_a_training_run_with_its_faults(member, run):
    page = member.get(f"/runs/{run.pk}/")
    words = read_page_text(page)
    assert "Macro F1" in words
    assert "2 of 4 articles answered" in words
    for cause in (
        "negative document unanswered 1 0.500",
        "negative overlooked 1 0.500",
        "not in the gold standard 1 1.000",
    ):
        assert cause in words
    assert "only the 3 articles with a false positive or false negative" in words
    assert b'role="img"' in page.content
    assert "The best cut-off for these articles is below confidence 0.11" in words


def test_it_compares_article_by_article(member, run):
    words = read_page_text(member.get(f"/runs/{run.pk}/articles/"))
    assert "101 Article 101 9606 none 7227" in words
    assert "102 Article 102 10090 9606 none" in words
    assert "103 Article 103 not answered none 10116 none" in words
    assert "104 Article 104" in words
    assert "104 Article" not in read_page_text(member.get(f"/runs/{run.pk}/articles/?faulty"))


def test_it_names_organisms_beside_their_ids(member, run):
    Entry.objects.create(database="ncbitaxon", identifier="10116", name="Rattus norvegicus", symbol="R. norvegicus")
    Entry.objects.create(database="ncbitaxon", identifier="10090", name="Mus musculus")
    words = read_page_text(member.get(f"/runs/{run.pk}/articles/"))
    assert "not answered none 10116 R. norvegicus none" in words
    assert "10090 Mus musculus 9606 none" in words


def test_it_compares_calls(member, challenge):
    put(member, b"101\t1\n102\t0\n", address="/challenges/example/training/ACT/runs/")
    run = Run.objects.get()
    compute_and_store_run_scores(run)
    words = read_page_text(member.get(f"/runs/{run.pk}/articles/"))
    assert "102 Article 102 not relevant wrong relevant" in words
    assert "103 Article 103 not answered not relevant not relevant" in words
    assert "Apply a cut-off" not in read_page_text(member.get(f"/runs/{run.pk}/"))


def test_it_shows_the_runs_of_the_team_s_servers_too(member, challenge, team):
    (run, _) = enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), challenge.phases.get())
    answer(run, 101, relevant(True))
    address = f"/challenges/example/training/{run.task.name}/runs/"
    assert "Reader waiting for start 0 of 4 -" in read_page_text(member.get(address))
    compute_and_store_run_scores(run)
    listed = member.get(address)
    assert f'<a href="/runs/{run.pk}/">Reader</a>' in listed.content.decode()
    assert re.search(r"Reader waiting for start 0 of 4 MCC 0\.\d{4} ", read_page_text(listed))
    page = read_page_text(member.get(f"/runs/{run.pk}/"))
    assert "1 of 4 articles answered" in page
    assert member.get(f"/runs/{run.pk}/file/").status_code == 404


def test_it_shows_three_digits_but_of_the_deciding_figure(member, run):
    page = read_page_text(member.get(f"/runs/{run.pk}/"))
    assert re.search(r" Macro F1 \d\.\d{4} \d\.\d{4} to \d\.\d{4} ", page)
    assert re.search(r" Macro AP \d\.\d{3} \d\.\d{3} to \d\.\d{3} ", page)


def test_it_makes_a_run_with_a_cut_off(member, run):
    page = read_page_text(member.post(f"/runs/{run.pk}/cut/", {"by": "confidence", "value": "0.11"}, follow=True))
    assert "stored as a run" in page
    cut = Run.objects.exclude(pk=run.pk).get()
    assert cut.name == "mine, confidence 0.11"
    assert member.get(f"/runs/{cut.pk}/file/").getvalue() == b"101\t9606\t0.9\n102\t10090\t0.8\n"
    page = read_page_text(member.post(f"/runs/{run.pk}/cut/", {"by": "confidence", "value": "3"}, follow=True))
    assert "A confidence is at most 1" in page
    page = read_page_text(member.post(f"/runs/{run.pk}/cut/", {"by": "confidence", "value": "1"}, follow=True))
    assert "Nothing of mine would be left" in page


def test_it_gives_the_file_back_byte_for_byte(member, run):
    answer = member.get(f"/runs/{run.pk}/file/")
    assert answer.getvalue() == GOOD
    assert answer["Content-Disposition"] == 'attachment; filename="mine.tsv"'


def test_it_tags_and_withdraws(member, run, challenge):
    assert "mine is tagged as final." in read_page_text(member.post(f"/runs/{run.pk}/final/", follow=True))
    assert "is no longer final." in read_page_text(member.post(f"/runs/{run.pk}/final/", {"final": "0"}, follow=True))
    assert "Runs cannot be withdrawn in this phase" in read_page_text(
        member.post(f"/runs/{run.pk}/withdraw/", {"confirm": "on"}, follow=True)
    )
    challenge.phases.update(may_withdraw=True)
    assert "mine is withdrawn." in read_page_text(
        member.post(f"/runs/{run.pk}/withdraw/", {"confirm": "on"}, follow=True)
    )
    assert "Withdrawn runs are not scored." in read_page_text(member.get(f"/runs/{run.pk}/"))


READ = ("/runs/{run}/", "/runs/{run}/articles/", "/runs/{run}/file/", "/uploads/{upload}/", "/uploads/{upload}/live/")
PRESSED = ("/runs/{run}/withdraw/", "/runs/{run}/final/", "/runs/{run}/cut/")


def test_it_is_seen_by_its_team_organizers_and_staff_only(client, run, bob, carol, olga, admin_user):
    numbers = {"run": run.pk, "upload": run.upload.pk}
    client.logout()
    for address in (*READ, *PRESSED):
        assert client.get(address.format(**numbers)).status_code in (302, 405)
    for user, status in ((bob, 404), (carol, 404), (olga, 200), (admin_user, 200)):
        client.force_login(user)
        assert {client.get(address.format(**numbers)).status_code for address in READ} == {status}
    for user, status in ((bob, 404), (carol, 404), (olga, 403), (admin_user, 403)):
        client.force_login(user)
        assert {client.post(address.format(**numbers)).status_code for address in PRESSED} == {status}


def test_it_shows_nothing_of_a_test_but_the_file_until_it_is_published(member, testing):
    opaque = get_article(201).opaque
    put(member, f"{opaque}\t9606\t0.5\n".encode(), address="/challenges/example/test/TX/runs/")
    run = Run.objects.get()
    words = read_page_text(member.get(f"/runs/{run.pk}/"))
    assert "The scores of a test are shown after it is published." in words
    assert member.get(f"/runs/{run.pk}/articles/").status_code == 404
    # A checksum may hold these digits.
    assert not re.search(r"\b201\b", words)


def test_it_proposes_the_cut_off_of_a_server_in_training_for_its_test(member, challenge, testing, team):
    server = make_server(team, "reader")
    training = enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training"))
    for own in training:
        for pmid in (101, 102, 103, 104):
            answer(own, pmid, relevant(True) if own.task.name == "ACT" else species("10116", "9606"))
    tasks.calibrate_stale_runs_unless_busy()
    (tested,) = [own for own in enter_eligible_server_and_enqueue_articles(server, testing) if own.task.name == "TX"]
    learned = Calibration.objects.get(run__task__name="TX")
    proposed = member.get(f"/runs/{tested.pk}/").context["cut_form"].initial
    assert (proposed["by"], float(proposed["value"])) == (learned.cut_by, learned.cut_value)


def test_it_draws_the_score_over_time(member, run):
    compute_and_store_run_scores(run)
    assert "Score over time" not in member.get(RUNS).content.decode()
    put(member, GOOD + b"103\t10116\t0.5\n", name="better.tsv")
    compute_and_store_run_scores(better := Run.objects.latest("pk"))
    page = member.get(RUNS).content.decode()
    assert "of the uploaded runs, by the time of their upload</title>" in page
    assert "Minutes since" in page
    assert page.count('class="series"') == 2
    Upload.objects.filter(run=run).update(received=timezone.now() - timedelta(days=3))
    assert "Days since" in member.get(RUNS).content.decode()
    Run.objects.filter(pk=better.pk).update(withdrawn=timezone.now())
    assert "Score over time" not in member.get(RUNS).content.decode()


def test_the_leaderboard_draws_it_for_the_team_alone(member, run, client):
    compute_and_store_run_scores(run)
    put(member, GOOD + b"103\t10116\t0.5\n", name="better.tsv")
    compute_and_store_run_scores(Run.objects.latest("pk"))
    board = RUNS.removesuffix("runs/")
    page = member.get(board).content.decode()
    assert "Your runs over time" in page
    assert f'<a href="{RUNS}?team={run.team.slug}">All runs of {run.team.name}</a>' in page
    client.logout()
    assert "Your runs over time" not in client.get(board).content.decode()


def test_it_needs_a_fixed_number_of_queries(member, run, django_assert_max_num_queries):
    def count():
        # Session, user and the teams in the page's head are 3 of them.
        for address, queries in ((RUNS, 18), (f"/runs/{run.pk}/", 17), (f"/runs/{run.pk}/articles/", 16)):
            with django_assert_max_num_queries(queries):
                assert member.get(address).status_code == 200

    count()
    Phase.objects.update(offline_runs=9)
    for number in range(4):
        put(member, GOOD + f"103\t{number + 1}\t0.5\n".encode(), name=f"{number}.tsv")
    count()
