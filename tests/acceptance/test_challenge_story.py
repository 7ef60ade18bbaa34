"""A challenge from its first page to its leaderboard: an organizer and two teams in browsers, two servers, workers.

Time passes by moving the dates of the phases; the workers' tasks run when they would be woken.
"""

import re
from contextlib import ExitStack
from csv import DictReader
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import Permission
from django.db.models import F
from django.utils import timezone
from playwright.sync_api import expect

from bcms import tasks as site_tasks
from bcms.article_uploads.models import ArticleUpload
from evaluation import tasks
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.models import Phase
from evaluation.gold.models import GoldStandard
from servers.calls import loop
from servers.registry import trials
from servers.registry.models import Server, Trial
from tests.acceptance.story_corpora import TRAINING, abstracts, annotate_as_rats, annotate_by_words, format_system_run
from tests.acceptance.story_people import open_visitor, serve_annotator
from tests.conftest import confirm_email_address

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.shared, pytest.mark.django_db(transaction=True)]

HOUR = timedelta(hours=1)
BOARD = "/challenges/organisms/test/TX/"


@pytest.fixture
def organizer(olga):
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    return olga


@pytest.fixture
def bob(db, django_user_model):
    """Will make a team."""
    return confirm_email_address(django_user_model.objects.create_user("bob", "bob@example.org", "a-long-password"))


def workers():
    """What is due is done: servers are asked, phases turned, runs taken in and scored, boards published and ranked."""
    tasks.begin_or_end_phases_and_remind()
    while any(
        loop.run_slices_if_slot_and_lease_free(pk) == "more" for pk in Server.objects.values_list("pk", flat=True)
    ):
        pass
    for task in (
        tasks.process_run_uploads_unless_busy,
        tasks.publish_requested_phases_and_tasks_unless_busy,
        tasks.score_due_runs_after_cleaning_unless_busy,
        tasks.rank_stale_boards_unless_busy,
    ):
        task()


def hours_pass(number):
    Phase.objects.update(opens=F("opens") - number * HOUR, closes=F("closes") - number * HOUR)
    workers()


def test_it_takes_a_challenge_from_its_first_page_to_its_leaderboard(browser, live_server, organizer, alice, bob, team):
    material = abstracts()
    training, test = material[:TRAINING], material[TRAINING:]
    with ExitStack() as stack:
        olga, ann, bea = (
            stack.enter_context(open_visitor(browser, live_server, own)) for own in ("olga", "alice", "bob")
        )
        create_story_challenge(olga, training, test)
        open_training(olga, training)
        make_a_team(bea)
        take_part(ann, "Team Alpha")
        take_part(bea, "Team Beta")
        approve(olga, "Team Alpha", "Team Beta")
        with serve_annotator(annotate_by_words) as words, serve_annotator(annotate_as_rats) as rats:
            enter_a_server(ann, "Species by words", words)
            enter_a_server(bea, "Rats everywhere", rats)
            announce_the_test(olga, test)
            try_the_test_too_early(ann)
            answer_the_training(ann, bea, olga)
            upload_training_runs(bea, training)
            read_the_dry_run(olga)
            hours_pass(3)
            enter_the_test(ann, "Species by words")
            enter_the_test(bea, "Rats everywhere")
            watch_the_matrix(olga)
        finish_training_first(bea)
        upload_test_runs(bea, test, "pubtator_central")
        upload_test_runs(bea, test, "bern2")
        hours_pass(3)
        come_too_late(ann)
        publish(olga)
        read_the_board(stack.enter_context(open_visitor(browser, live_server)))
        archive_and_restore(olga)


def create_story_challenge(olga, training, test):
    """A challenge with a task and terms; the abstracts are sent in, and those of the test made a blind corpus."""
    olga.go("/challenges/")
    olga.follow("New challenge")
    olga.fill(name="Organisms of abstracts", slug="organisms", description="Which organisms is an abstract about?")
    # A form goes out once, however fast somebody clicks.
    olga.page.get_by_role("button", name="Create challenge").dblclick()
    olga.follow("Upload articles")
    olga.fill(file=("abstracts.txt", "".join(own.pubtator for own in (*training, *test))))
    olga.press("Upload")
    site_tasks.store_or_refuse_article_upload_unless_busy(ArticleUpload.objects.latest("pk").pk)
    olga.reads("All articles in 1 file were stored.")
    add_a_corpus(olga, "Training abstracts", "training-abstracts", training)
    add_a_corpus(olga, "Test abstracts", "test-abstracts", test, blind="on")
    olga.follow("Add a task")
    olga.fill(name="TX", title="Organisms", kind="taxon", note="Organisms by hand.")
    olga.press("Add a task")
    olga.keep("task-added")
    olga.go("/challenges/organisms/organize/")
    olga.follow("Description and rules")
    olga.page.get_by_text("Terms, checks of runs, organizers, citation and licence").click()
    olga.fill(terms="Cite the paper.", approve_teams="on")
    olga.press("Save rules")
    olga.keep("organize-empty")
    olga.press("List this challenge")
    olga.reads("is listed. Everybody sees it, and teams can take part.")


def add_a_corpus(olga, name, slug, own, **more):
    olga.go("/challenges/organisms/organize/")
    olga.follow("Add a corpus")
    olga.fill(name=name, slug=slug, articles=" ".join(each.pmid for each in own), **more)
    olga.press("Add a corpus")
    olga.reads(f"with {len(own)} articles")


def open_training(olga, training):
    add_a_phase(olga, "training", "Training abstracts", timezone.now() - HOUR, timezone.now() + 48 * HOUR)
    gold = "".join(own.pubtator for own in training)
    upload_gold(olga, "training", gold.replace("Species\t9606", "Species\tman", 1))
    olga.reads("The file “organisms.txt” was rejected")
    olga.keep("gold-refused")
    upload_gold(olga, "training", gold)
    olga.reads("The gold standard of TX in the training phase is stored.")
    workers()


def add_a_phase(olga, sort, corpus, opens, closes):
    olga.go("/challenges/organisms/organize/")
    olga.follow("Add a phase")
    olga.keep("phase-form")
    olga.fill(sort=sort, opens=opens.strftime("%Y-%m-%dT%H:%M"), closes=closes.strftime("%Y-%m-%dT%H:%M"))
    olga.page.get_by_label("Articles", exact=True).select_option(label=corpus)
    olga.press("Add a phase")
    olga.page.get_by_role("heading", name=f"{sort.capitalize()} phase").wait_for()


def upload_gold(olga, phase, content):
    olga.go("/challenges/organisms/organize/")
    olga.follow("Upload a gold standard")
    olga.page.get_by_label("Phase", exact=True).select_option(label=phase)
    olga.fill(file=("organisms.txt", content), source="tmVar 3")
    olga.press("Upload a gold standard")


def make_a_team(bea):
    bea.go("/challenges/organisms/")
    bea.keep("challenge-without-team")
    bea.follow("Create a team")
    bea.fill(name="Team Beta")
    bea.press("Create")


def take_part(member, team):
    """The terms are accepted, and the organizers have to approve."""
    member.go("/challenges/organisms/")
    member.press(f"Accept the terms for {team}")
    member.reads(f"have not approved {team} yet")
    member.keep("waits-for-approval")


def approve(olga, *teams):
    olga.go("/challenges/organisms/organize/")
    for team in teams:
        row = olga.page.locator("li", has_text=team)
        row.get_by_role("button", name="Approve").click()
        olga.reads(f"{team} can take part.")


def enter_a_server(member, name, address):
    member.go("/servers/register/")
    member.fill(name=name, url=address, kinds="taxon")
    member.press("Test server")
    member.reads("The request was sent")
    trials.run_open_trial_and_store_report(Trial.objects.latest("pk").pk)
    member.press("Save the server")
    member.page.get_by_role("heading", name="Load articles").wait_for()
    member.go("/challenges/organisms/")
    member.keep(f"may-enter-{name}")
    member.press("Enter the training phase")
    member.reads(f"{name} takes part in the training phase in TX")


def try_the_test_too_early(ann):
    """Without an organizer's help: the test is not open, so that its articles are not given out."""
    ann.go("/challenges/organisms/phases/test/articles/")
    ann.reads("The articles are available from")


def answer_the_training(ann, bea, olga):
    """Both servers are started; the organizer sees the matrix fill, the team its figures."""
    for member, slug in ((ann, "species-by-words"), (bea, "rats-everywhere")):
        member.go(f"/servers/{slug}/")
        member.press("Start")
        member.page.get_by_role("button", name="Stop after the current call", exact=True).wait_for()
    matrix = "/challenges/organisms/phases/training/matrix/"
    olga.go(matrix)
    sees_open(olga, "Species by words", TRAINING)
    workers()
    sees_open(olga, "Species by words", 0)
    olga.keep("matrix-training")
    ann.go("/challenges/organisms/training/TX/")
    ann.page.get_by_role("row", name=re.compile("Species by words")).first.wait_for()
    expect(ann.page.get_by_role("row", name=re.compile("Rats everywhere"))).to_be_hidden()
    ann.keep("board-of-own-runs")
    ann.follow("Species by words")
    ann.reads("Error analysis")
    ann.keep("run-online")


def sees_open(olga, name, number):
    """The matrix says by itself how many articles of a server are open."""
    row = olga.page.locator("tr", has_text=name)
    row.locator("td.num:last-child", has_text=re.compile(rf"^{number}$")).wait_for()


def upload_training_runs(bea, training):
    """A refused file shows its faults and costs nothing; the mended one is scored, and tagged as final."""
    names = {own.title: own.pmid for own in training}
    good = format_system_run(training, "bern2", names)
    first, second = good.splitlines(keepends=True)[:2]
    bad = first + second.replace(second.split("\t")[1], "man", 1)
    bea.go("/challenges/organisms/")
    bea.follow("Your runs of TX")
    bea.reads("0 of 5 runs used, 0 files uploaded")
    bea.keep("runs-empty")
    upload_run(bea, "bern2.tsv", bad, "BERN2")
    bea.page.get_by_role("row", name=re.compile(r"^2 \d+ R712 .*Write the number alone, such as 9606")).wait_for()
    bea.keep("run-refused")
    bea.follow("Fix the file and upload it again.")
    bea.reads("0 of 5 runs used, 1 file uploaded")
    upload_run(bea, "bern2.tsv", good, "BERN2")
    bea.reads("stored as a run")
    bea.keep("run-taken")
    workers()
    bea.page.get_by_role("row", name="Macro F1").first.wait_for()
    bea.keep("run-uploaded")


def upload_run(member, name, content, run):
    member.fill(file=(name, content), name=run, message="As published")
    member.press("Upload run")


def announce_the_test(olga, test):
    """Its gold standard is sealed: its Results are nowhere."""
    now = timezone.now()
    add_a_phase(olga, "test", "Test abstracts", now + 2 * HOUR, now + 5 * HOUR)
    section = olga.page.locator("section", has=olga.page.get_by_role("heading", name="Test phase"))
    section.get_by_role("link", name="Rules", exact=True).click()
    olga.page.get_by_text("Uploaded runs", exact=True).click()
    olga.fill(final_first="on", may_withdraw="on")
    olga.press("Save rules")
    upload_gold(olga, "test", "".join(own.pubtator for own in test))
    olga.reads("The gold standard of TX in the test phase is sealed.")
    assert GoldStandard.objects.get(phase__sort="test").producer is None
    olga.keep("organize-announced")


def read_the_dry_run(olga):
    olga.go("/challenges/organisms/organize/")
    olga.follow("Dry run")
    olga.reads("Power analysis")
    olga.keep("dry-run")
    olga.reads("The challenge is ready for the test.")


def enter_the_test(member, name):
    member.go("/challenges/organisms/")
    member.keep(f"test-open-{name}")
    member.press("Enter the test phase")
    member.reads(f"{name} takes part in the test phase in TX")


def watch_the_matrix(olga):
    olga.go("/challenges/organisms/phases/test/matrix/")
    workers()
    sees_open(olga, "Rats everywhere", 0)
    olga.keep("matrix-test")


def finish_training_first(bea):
    """By the rule of this test a team that uploads gets the articles when it has tagged its training runs."""
    bea.go("/challenges/organisms/phases/test/articles/")
    bea.reads("can download the articles after it uploaded its training runs and tagged the final ones")
    bea.keep("articles-refused")
    bea.go("/challenges/organisms/training/TX/runs/")
    bea.follow("BERN2")
    bea.press("Tag as final")
    bea.reads("BERN2 is tagged as final.")


def upload_test_runs(member, test, system):
    """The articles are given out under random ids, and runs call them so; figures there are none."""
    member.go("/challenges/organisms/phases/test/articles/")
    member.keep("articles-of-test")
    rows = [line.split("\t") for line in member.download("tab-separated values: id, title, text").splitlines()]
    names = {title: name for name, title, _ in rows}
    assert not {own.pmid for own in test} & set(names.values())
    member.go("/challenges/organisms/test/TX/runs/")
    upload_run(member, f"{system}.tsv", format_system_run(test, system, names), system)
    member.reads("stored as a run")
    member.reads("The scores of a test are shown after it is published.")
    member.keep(f"run-of-test-{system}")


def come_too_late(ann):
    ann.go("/challenges/organisms/test/TX/runs/")
    ann.reads("The test phase closed on")
    expect(ann.page.get_by_role("button", name="Upload run")).to_be_hidden()
    ann.keep("runs-closed")
    ann.go(BOARD)
    ann.reads("Only organizers can see the scores")
    ann.keep("board-closed")


def publish(olga):
    olga.go(BOARD)
    olga.page.get_by_role("row", name=re.compile("Species by words")).first.wait_for()
    olga.keep("board-organizer")
    olga.go("/challenges/organisms/organize/")
    test = olga.page.locator("section", has=olga.page.get_by_role("heading", name="Test phase"))
    test.get_by_text("Publish", exact=True).click()
    test.get_by_role("button", name="Publish the test phase").click()
    olga.page.get_by_label("I understand that this cannot be undone").check()
    olga.page.get_by_role("button", name="Publish the test phase").click()
    olga.reads("as soon as the scoring worker has opened its gold standards")
    olga.keep("publishing")
    workers()
    assert Phase.objects.get(sort="test").published


def read_the_board(visitor):
    """Somebody who is not logged in: ranks, intervals, pairs, files."""
    visitor.go("/challenges/organisms/")
    visitor.keep("challenge-published")
    visitor.go(BOARD)
    board = visitor.page.locator("table.leaderboard-table tbody")
    last = board.locator("tr", has_text="Rats everywhere")
    assert last.locator("td.rank b").inner_text() == "4"
    assert " to " in last.locator("td.interval").inner_text()
    assert "=" in board.inner_text(), "two runs share a rank"
    visitor.keep("board")
    assert visitor.download("CSV").splitlines()[0].startswith("rank")
    assert "Rats everywhere" in visitor.download("LaTeX")
    visitor.follow("JSON")
    assert "Rats everywhere" in visitor.page.inner_text("body")
    visitor.go(BOARD + "pairs/")
    visitor.reads("pairs differ significantly")
    visitor.keep("pairs")


def archive_and_restore(olga):
    """The challenge as one file, which gives the same board under another name."""
    olga.go("/challenges/organisms/organize/")
    olga.follow("Archive")
    olga.press("Create archive")
    olga.reads("Creating the archive")
    tasks.make_requested_archives_unless_busy()
    path = olga.file("organisms.zip")
    olga.keep("archive")
    assert restore_challenge_unless_restored_before(path, "again").without_gold == []
    boards = [f"/challenges/{slug}/test/TX/leaderboard.csv" for slug in ("organisms", "again")]
    first, again = (parse_board_figures(olga.page.request.get(olga.site + board).text()) for board in boards)
    assert "Rats everywhere" in first
    assert again == first


def parse_board_figures(board):
    """{run: its ranks and leading figure} of a board as CSV."""
    return {row["run"]: (row["rank"], row["rank_to"], row["macro_f1"]) for row in DictReader(StringIO(board))}
