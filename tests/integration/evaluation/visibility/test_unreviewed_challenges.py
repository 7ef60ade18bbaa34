"""What a challenge has published changes what others see of articles only once a review has accepted it.

An organizer takes public articles as a blind test, a stranger's server and run annotate them, and it is published.
"""

import re
import xmlrpc.client

import pytest
from django.test import Client

from annotations import tasks as summaries
from annotations.results.models import ArticleSummary, Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation import tasks
from evaluation.calibration.models import Calibration
from evaluation.challenges.models import Challenge, ChallengeState
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.review.decisions import apply_challenge_decision
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.challenges.states.transitions import change_challenge_state
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards import baselines
from evaluation.runs.models import Run
from evaluation.runs.run_page.withdrawal_and_final_tag import withdraw_and_hide_run_if_allowed
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.review.decisions import apply_review_decision, apply_team_choice
from servers.review.states import ReviewState
from servers.teams.models import Membership, Team
from tests.integration.evaluation_cast import PMIDS, answer, end, make_corpus, make_server, species

pytestmark = pytest.mark.django_db

# What the accepted server, the stranger's server, the stranger's run and the gold standard say.
KNOWN, OF_SERVER, OF_RUN, OF_GOLD = "9606", "80808081", "80808082", "80808083"
ADDRESSES = (
    *("/", "/articles/", "/articles/?q=Article", "/articles/?q=taxon:80808081", "/articles/?taxon=80808082"),
    *("/articles/?sort=servers", "/articles/?sort=disagreement", "/articles/?sort=ppi", "/articles/?servers=2"),
    *("/articles/?server=evil", "/articles/101/", "/articles/101/results/", "/corpora/open/compare/?kind=taxon"),
    *("/articles/101/export/tsv/", "/documents/PUBMED/101/", "/teams/strangers/", "/servers/"),
    *("/api/v1/articles/", "/api/v1/articles/?taxon=80808081", "/api/v1/articles/101/", "/api/v1/servers/"),
    *("/api/v1/articles/101/annotations/", "/api/v1/articles/101/servers/", "/api/v1/articles/101/entries/"),
    *("/api/v1/articles/101/consensus/?method=union", "/api/v1/articles/101/export/bioc-json/"),
    *("/api/v1/export/tsv/", "/api/v1/export/ndjson/?taxon=80808081", "/api/v1/corpora/open/compare/?kind=taxon"),
)
# Where readers can include what is not reviewed.
SWITCHED = (
    *("/articles/101/", "/articles/101/results/", "/articles/101/export/tsv/", "/corpora/open/compare/?kind=taxon"),
    *("/api/v1/articles/101/annotations/", "/api/v1/articles/101/entries/", "/api/v1/export/tsv/"),
    *("/api/v1/articles/101/export/bioc-json/", "/api/v1/corpora/open/compare/?kind=taxon"),
)
CALLS = (
    ("Annotations.getAnnotations", (101,)),
    ("Annotations.getAnnotationServerList", (101,)),
    ("Consensus.getConsensus", (101, {"methods": ["union"]})),
)
ANNOTATIONS = "/api/v1/articles/101/annotations/"
BOARD = "/challenges/evil/test/TX/"


@pytest.fixture(autouse=True)
def many_downloads(settings):
    settings.API_FILES_PER_MINUTE = 200


@pytest.fixture
def known(team):
    """Public articles, which an accepted server has annotated."""
    corpus = make_corpus("open")
    producer = get_or_create_queue_and_producer(make_server(team, "reader"), QueueMode.LIVE).producer
    for article in corpus.articles.all():
        store_results_superseding_earlier(article, producer, {Kind.TAXON: species(KNOWN)})
    work()
    return corpus


@pytest.fixture
def mallory(carol):
    """A stranger who has signed up and founded a team."""
    team = Team.objects.create(name="Strangers", slug="strangers")
    Membership.objects.create(team=team, user=carol, role=Membership.Role.MANAGER)
    return carol


def work():
    """What workers do of themselves."""
    for task in (
        tasks.publish_requested_phases_and_tasks_unless_busy,
        tasks.score_due_runs_after_cleaning_unless_busy,
        tasks.rank_stale_boards_unless_busy,
        tasks.calibrate_stale_runs_unless_busy,
        summaries.update_summaries_flushing_indexes_requeueing_unless_busy,
    ):
        task()


def make_hostile_challenge(organizer):
    """Listed, and not reviewed, as every new challenge."""
    challenge = creation.create_challenge("Evil", "evil", "", organizer)
    change_challenge_state(challenge, ChallengeState.LISTED)
    creation.create_task(challenge, "TX", Kind.TAXON, "Organisms")
    return Challenge.objects.get(pk=challenge.pk)


def run_hostile_test(corpus, organizer, member):
    """The whole path: blind test of public articles, server, uploaded run, gold standard, baseline, publication."""
    challenge = make_hostile_challenge(organizer)
    keys = list(corpus.articles.values_list("pk", flat=True))
    blind = create_challenge_corpus(challenge, "Test", "test", "", keys, blind=True)
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", blind)
    team = Team.objects.get(slug="strangers")
    server = Server.objects.create(team=team, name="Evil", slug="evil", url="http://127.0.0.1:9/", kinds=["taxon"])
    task = challenge.tasks.get()
    opaque = blind.articles.get(snapshot__pmid=101).opaque
    [own] = enter_eligible_server_and_enqueue_articles(server, phase)
    for article in blind.articles.all():
        findings = [AnnotationData(Kind.TAXON, 1.0, 1, database="ncbitaxon", identifier=OF_SERVER)]
        store_results_superseding_earlier(article, own.producer, {Kind.TAXON: findings})
    line = f"{opaque}\t{OF_RUN}\t1\t1.0\n".encode()
    upload = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("Uploaded", "", "run.tsv", line), task, phase, team, member
    )
    assert upload.run, upload.faults
    store_gold_sealed_or_open(task, phase, f"{opaque}\t{OF_GOLD}\n".encode(), "gold.tsv")
    end(phase)
    publish_phase_or_request_if_sealed(phase)
    work()
    phase.refresh_from_db()
    assert phase.published and Producer.objects.filter(published=True).count() == 3
    return challenge


def read_answer(response):
    """The status and text, without versions and times, and without the corpus of the test, which is listed."""
    body = b"".join(response.streaming_content) if response.streaming else response.content
    # The signature of the rows has the version in it, and the rows follow.
    changing = r'csrfmiddlewaretoken" value="\w+"|data-version="[^"]*"|id="rows" data-keep="\w+"|data-age=\S+|\d+ s<'
    text = re.sub(changing, "", body.decode())
    return response.status_code, " ".join(text.replace('<option value="test">Test</option>', "").split())


def read_everything(client):
    answers = {address: read_answer(client.get(address)) for address in ADDRESSES}
    for method, parameters in CALLS:
        body = xmlrpc.client.dumps(parameters, method, allow_none=True)
        answers[method] = read_answer(client.post("/xmlrpc/", body, content_type="text/xml"))
    return answers


def list_words(client, address, *words):
    text = read_answer(client.get(address))[1]
    return [word for word in words if word in text]


def with_unreviewed(address):
    return f"{address}{'&' if '?' in address else '?'}unreviewed=1"


def test_a_hostile_test_changes_no_default_view(client, known, olga, mallory, bob_client):
    """Only the home page names the challenge, as it names all."""
    readers = (client, bob_client)
    before = [read_everything(reader) for reader in readers]
    run_hostile_test(known, olga, mallory)
    for reader, was in zip(readers, before, strict=True):
        now = read_everything(reader)
        assert [address for address in now if now[address] != was[address]] == ["/"]
        assert not [secret for secret in (OF_SERVER, OF_RUN, OF_GOLD) if secret in now["/"][1]]
    assert ArticleSummary.objects.get(article__pmid=101).servers == 1


@pytest.fixture
def bob_client(django_user_model):
    reader = Client()
    reader.force_login(django_user_model.objects.create_user("bob", "bob@example.org", "pw"))
    return reader


def test_readers_can_include_it_until_it_is_declined(client, known, olga, mallory, admin_user):
    challenge = run_hostile_test(known, olga, mallory)
    for address in SWITCHED:
        assert list_words(client, address, OF_SERVER, OF_RUN, "Evil", "Uploaded") == [], address
        assert list_words(client, with_unreviewed(address), OF_SERVER, OF_RUN, "Evil", "Uploaded"), address
    page = "/api/v1/articles/101/annotations/?unreviewed=1"
    assert list_words(client, page, OF_SERVER, OF_RUN, OF_GOLD) == [OF_SERVER, OF_RUN, OF_GOLD]
    apply_challenge_decision(challenge, ReviewState.DECLINED, "Junk.", admin_user)
    assert list_words(client, page, OF_SERVER, OF_RUN, OF_GOLD) == [OF_SERVER]
    apply_review_decision(Server.objects.get(slug="evil"), ReviewState.DECLINED)
    assert list_words(client, page, OF_SERVER, OF_RUN, OF_GOLD) == []


def test_everybody_sees_it_once_it_is_accepted_and_no_more_once_it_is_declined(
    client, known, olga, mallory, admin_user
):
    challenge = run_hostile_test(known, olga, mallory)
    server = Server.objects.get(slug="evil")
    found = "/articles/?taxon=80808081", "/articles/?taxon=80808082"

    def read_public():
        work()
        page = list_words(client, ANNOTATIONS, OF_SERVER, OF_RUN, OF_GOLD)
        return page, [bool(list_words(client, address, "Article 101")) for address in found]

    assert read_public() == ([], [False, False])
    assert apply_challenge_decision(challenge, ReviewState.ACCEPTED, "", admin_user)
    assert read_public() == ([OF_RUN, OF_GOLD], [False, True])
    assert apply_review_decision(server, ReviewState.ACCEPTED)
    assert read_public() == ([OF_SERVER, OF_RUN, OF_GOLD], [True, True])
    assert ArticleSummary.objects.get(article__pmid=101).servers == 2
    assert apply_challenge_decision(challenge, ReviewState.DECLINED, "Junk.", admin_user)
    assert not apply_challenge_decision(challenge, ReviewState.DECLINED, "Junk.", admin_user)
    assert read_public() == ([OF_SERVER], [True, False])
    assert apply_review_decision(server, ReviewState.DECLINED)
    assert read_public() == ([], [False, False])
    assert ArticleSummary.objects.get(article__pmid=101).servers == 1


def test_its_board_runs_and_pages_are_public_whatever_the_review(client, known, olga, mallory, admin_user):
    challenge = run_hostile_test(known, olga, mallory)
    pages = ("files/run-{}.tsv", "scores/{}/")
    runs = [BOARD + page.format(run.pk) for run in Run.objects.all() for page in pages]
    addresses = (*runs, BOARD, f"{BOARD}leaderboard.json", "/servers/evil/", "/challenges/evil/")
    before = {address: read_answer(client.get(address)) for address in addresses}
    assert {status for status, _ in before.values()} == {200} and "Uploaded" in before[BOARD][1]
    for decision in (ReviewState.ACCEPTED, ReviewState.DECLINED):
        apply_challenge_decision(challenge, decision, "", admin_user)
        apply_review_decision(Server.objects.get(slug="evil"), decision)
        assert {address: read_answer(client.get(address)) for address in addresses if address != "/servers/evil/"} == {
            address: answer for address, answer in before.items() if address != "/servers/evil/"
        }
        assert client.get("/servers/evil/").status_code == 200


def test_its_organizer_and_team_see_it(known, olga, mallory):
    run_hostile_test(known, olga, mallory)
    for user, shown in ((olga, [OF_SERVER, OF_RUN, OF_GOLD]), (mallory, [OF_SERVER, OF_RUN])):
        reader = Client()
        reader.force_login(user)
        assert list_words(reader, ANNOTATIONS, OF_SERVER, OF_RUN, OF_GOLD) == shown


def test_a_private_server_stays_private_outside_of_its_run(client, known, olga, mallory):
    run_hostile_test(known, olga, mallory)
    apply_team_choice(Server.objects.get(slug="evil"), ReviewState.PRIVATE, mallory)
    assert list_words(client, "/articles/101/?unreviewed=1", OF_SERVER) == []
    assert client.get("/servers/evil/").status_code == 200


def test_what_is_published_later_follows_the_review(client, known, olga, mallory, admin_user):
    """Uploads, gold standards, baselines and servers of a training phase that is published already."""
    challenge = make_hostile_challenge(olga)
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", known)
    phase.may_withdraw = True
    phase.save()
    assert publish_phase_or_request_if_sealed(phase)
    phase.refresh_from_db()
    task, team = challenge.tasks.get(), Team.objects.get(slug="strangers")

    def publish_more(number):
        line = f"101\t{OF_RUN}\t1\t0.{number}\n".encode()
        submission = RunSubmission(f"Uploaded {number}", "", "run.tsv", line)
        upload = intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, mallory)
        server = Server.objects.create(
            team=team, name="Evil", slug=f"evil-{number}", url="http://127.0.0.1:9/", kinds=["taxon"]
        )
        [entered] = enter_eligible_server_and_enqueue_articles(server, phase)
        answer(entered, 101, species(OF_SERVER))
        return upload.run, entered, server

    first, _, _ = publish_more(1)
    store_gold_sealed_or_open(task, phase, f"101\t{OF_GOLD}\n".encode(), "gold.tsv")
    page = ANNOTATIONS
    assert list_words(client, page, OF_SERVER, OF_RUN, OF_GOLD) == []
    assert list_words(client, f"{page}?unreviewed=1", OF_SERVER, OF_RUN, OF_GOLD) == [OF_SERVER, OF_RUN, OF_GOLD]
    apply_challenge_decision(challenge, ReviewState.ACCEPTED, "", admin_user)
    second, entered, server = publish_more(2)
    second.producer.refresh_from_db()
    entered.producer.refresh_from_db()
    assert (second.producer.public, entered.producer.public) == (True, False)
    apply_review_decision(server, ReviewState.ACCEPTED)
    assert list_words(client, page, OF_SERVER, OF_RUN, OF_GOLD) == [OF_SERVER, OF_RUN, OF_GOLD]
    for run in (first, second):
        withdraw_and_hide_run_if_allowed(run)
    assert list_words(client, f"{page}?unreviewed=1", OF_RUN) == []
    apply_challenge_decision(challenge, ReviewState.DECLINED, "", admin_user)
    apply_challenge_decision(challenge, ReviewState.ACCEPTED, "", admin_user)
    assert list_words(client, page, OF_RUN, OF_GOLD) == [OF_GOLD]


def test_articles_and_searches_never_show_baselines(client, known, olga, admin_user):
    challenge = make_hostile_challenge(olga)
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", known)
    task = challenge.tasks.get()
    store_gold_sealed_or_open(task, phase, f"101\t{OF_GOLD}\n".encode(), "gold.tsv")
    assert publish_phase_or_request_if_sealed(phase)
    phase.refresh_from_db()
    [baseline] = baselines.store_baseline_runs_replacing_earlier(task, phase)
    assert list_words(client, f"{ANNOTATIONS}?unreviewed=1", baseline.name) == []
    apply_challenge_decision(challenge, ReviewState.ACCEPTED, "", admin_user)
    assert list_words(client, ANNOTATIONS, baseline.name) == []
    [later] = baselines.store_baseline_runs_replacing_earlier(task, phase)
    later.producer.refresh_from_db()
    assert (later.producer.published, later.producer.public) == (True, False)


def test_its_gold_standard_calibrates_no_accepted_server_for_others(client, known, olga, alice, admin_user):
    challenge = make_hostile_challenge(olga)
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", known)
    store_gold_sealed_or_open(challenge.tasks.get(), phase, f"101\t{OF_GOLD}\n".encode(), "gold.tsv")
    [own] = enter_eligible_server_and_enqueue_articles(Server.objects.get(slug="reader"), phase)
    for pmid in PMIDS:
        answer(own, pmid, species(KNOWN))
    publish_phase_or_request_if_sealed(phase)
    work()
    assert Calibration.objects.update(way=Calibration.FitMethod.PLATT, knots=[[0.0, 0.0], [1.0, 0.1]]) == 1

    def list_calibrated(reader):
        results = reader.get(f"{ANNOTATIONS}?unreviewed=1").json()["results"]
        return {one["calibrated"] is not None for each in results for one in each["annotations"] if each["server"]}

    assert list_calibrated(client) == {False}
    for user in (alice, olga):
        reader = Client()
        reader.force_login(user)
        assert list_calibrated(reader) == {True}
    apply_challenge_decision(challenge, ReviewState.ACCEPTED, "", admin_user)
    assert list_calibrated(client) == {True}
    apply_challenge_decision(challenge, ReviewState.DECLINED, "", admin_user)
    assert list_calibrated(client) == {False}
    assert "Calibration" in client.get("/servers/reader/").content.decode()
