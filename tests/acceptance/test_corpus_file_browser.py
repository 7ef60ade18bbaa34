"""A challenge from nothing to an open training phase in a real browser: one file, and eight clicks at most."""

import pytest
from django.contrib.auth.models import Permission
from django.db.models import Count
from playwright.sync_api import expect

from bcms.tasks import process_sealed_corpus_file_unless_busy
from evaluation.challenges.models import Challenge
from evaluation.gold.models import GoldStandard

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FILE = """12|t|BRCA1 causes cancer.
12|a|In mice.
12\t0\t5\tBRCA1\tGene\t672
12\t13\t19\tcancer\tDisease\tMESH:D009369

"""


class Clicks:
    """Counts the clicks on the way; typing and the choice of a file on the disk are not counted."""

    def __init__(self, page):
        self.page, self.number = page, 0

    def click(self, role, name):
        self.number += 1
        self.page.get_by_role(role, name=name, exact=True).first.click()


@pytest.fixture
def organizer(transactional_db, olga):
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    return olga


def test_one_file_is_enough_for_an_open_training_phase(page, live_server, organizer):
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    page.get_by_role("button", name="Log out").wait_for()
    page.goto(live_server.url)
    way = Clicks(page)

    way.click("link", "Challenges")
    way.click("link", "New challenge")
    page.get_by_label("Name", exact=True).fill("Genes and diseases")
    page.get_by_label("Name in URLs").fill("genes")
    page.get_by_label("Description").fill("Which genes and diseases does an abstract name?")
    way.click("button", "Create challenge")
    expect(page.locator("[aria-current=step]")).to_contain_text("Corpus")
    way.click("link", "Set up from a corpus file")
    # The button that opens the dialog of the system.
    way.number += 1
    page.get_by_label("Corpus file").set_input_files(
        {"name": "genes.txt", "mimeType": "text/plain", "buffer": FILE.encode()}
    )
    way.click("button", "Upload")
    expect(page.get_by_text("2 mentions: Gene 1, Disease 1")).to_be_visible()
    way.click("button", "Set up")
    expect(page.get_by_text("The challenge is set up from genes.txt.")).to_be_visible()
    way.click("button", "List this challenge")
    expect(page.get_by_text("is listed. Everybody sees it, and teams can take part.")).to_be_visible()

    assert way.number <= 8
    expect(page.get_by_role("heading", name="Set up", exact=True)).to_have_count(0)
    challenge = Challenge.objects.get(slug="genes")
    assert [phase.sort for phase in challenge.phases.all()] == ["training"]
    assert GoldStandard.objects.filter(phase__challenge=challenge).count() == 2


def test_a_task_can_be_left_out_and_a_mistake_keeps_what_was_chosen(page, live_server, organizer):
    Challenge.objects.create(name="Genes", slug="genes", description="Genes.").organizers.add(organizer)
    page.goto(f"{live_server.url}/login/?next=/challenges/genes/corpus-file/")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    page.get_by_label("Corpus file").set_input_files(
        {"name": "genes.txt", "mimeType": "text/plain", "buffer": FILE.encode()}
    )
    page.get_by_role("button", name="Upload").click()
    boxes = page.get_by_role("checkbox", name="Make this task and its gold standard")
    boxes.nth(1).uncheck()
    page.get_by_label("Name", exact=True).first.fill("no spaces")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_text("Use only letters, digits and dashes")).to_be_visible()
    expect(boxes.nth(0)).to_be_checked()
    expect(boxes.nth(1)).not_to_be_checked()
    page.get_by_label("Name", exact=True).first.fill("NER")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_text("The challenge is set up from genes.txt.")).to_be_visible()
    assert list(Challenge.objects.get().tasks.values_list("name", flat=True)) == ["NER"]


def test_a_file_is_split_into_training_and_a_sealed_test(page, live_server, organizer):
    challenge = Challenge.objects.create(name="Genes", slug="genes", description="Genes.")
    challenge.organizers.add(organizer)
    page.goto(f"{live_server.url}/login/?next=/challenges/genes/corpus-file/")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    articles = "".join(FILE.replace("12", str(number)).replace("mice", f"mouse {number}") for number in range(30, 40))
    page.get_by_label("Corpus file").set_input_files(
        {"name": "genes.txt", "mimeType": "text/plain", "buffer": articles.encode()}
    )
    page.get_by_label("Several phases").check()
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="Reading the file")).to_be_visible()
    process_sealed_corpus_file_unless_busy(challenge.pk)
    expect(page.get_by_text("Mentions: Disease, Gene")).to_be_visible()
    parts = page.get_by_label("Articles in %")
    for place, share in enumerate(("80", "0", "20")):
        parts.nth(place).fill(share)
    page.get_by_label("Seed").fill("11")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_text("Enter when the test begins.")).to_be_visible()
    page.get_by_label("Opens").last.fill("2030-01-01T00:00")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("heading", name="Setting up")).to_be_visible()
    process_sealed_corpus_file_unless_busy(challenge.pk)
    expect(page.get_by_role("heading", name="Organize", exact=True)).to_be_visible()
    assert dict(challenge.phases.annotate(n=Count("corpus__articles")).values_list("sort", "n")) == {
        "training": 8,
        "test": 2,
    }
    assert GoldStandard.objects.filter(phase__sort="test", sealed__isnull=False).count() == 2
