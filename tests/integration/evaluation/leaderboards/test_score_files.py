"""The files beside a board's figures: the printed commands make every figure of the board from them, and who may not
have a run or a gold standard gets neither."""

import json
import re
from html import unescape

import pytest

from evaluation.__main__ import main
from evaluation.challenges.models import Phase
from evaluation.challenges.phases import lifecycle
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.pairwise import find_holm_matrix_of_competing_runs
from evaluation.pooling.closure import close_decided_pool_and_store_gold
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration import pooling_cast
from tests.integration.archive_cast import beta, play_challenge
from tests.integration.archive_commands import same_scores
from tests.integration.evaluation_cast import make_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def unlimited(settings):
    settings.API_FILES_PER_MINUTE = 1000


@pytest.fixture
def challenge(olga, team, alice, django_user_model):
    return play_challenge(olga, team, alice, *beta(django_user_model))


def download_files_and_commands(client, address, folder):
    """The commands of a page; its files are in the folder under the names that it gives them."""
    page = unescape(client.get(address).content.decode())
    for link, name in re.findall(r'<a class="mono" href="([^"]+)">([^<]+)</a>', page):
        reply = client.get(link)
        assert f'filename="{name}"' in reply.headers["Content-Disposition"]
        (folder / name).write_bytes(reply.content)
    return re.findall(r"<pre[^>]*>python -m (evaluation [^<]+)</pre>", page)


def run_printed_command(command, capsys):
    """What the command prints as JSON."""
    _, *words = command.split()
    assert main([*words[:-2], "--format", "json", *words[-2:]]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("task", ["ACT", "GN"])
def test_the_commands_of_a_run_make_its_figures_from_them(client, challenge, task, tmp_path, monkeypatch, capsys):
    publish_phase_or_request_if_sealed(challenge.phases.get())
    monkeypatch.chdir(tmp_path)
    scored = Run.objects.filter(task__name=task, scores__isnull=False).distinct()
    assert len(scored) == {"ACT": 4, "GN": 3}[task]
    for run in scored:
        commands = download_files_and_commands(
            client, f"/challenges/example/training/{task}/scores/{run.pk}/", tmp_path
        )
        fields = ("scenario", "figures", "intervals")
        stored = list(run.scores.filter(superseded=None, absent="").values(*fields))
        made = {
            scenario
            for command in commands
            for scenario, _ in same_scores(
                command, run_printed_command(command, capsys), [own | {"run": f"run-{run.pk}"} for own in stored]
            )
        }
        assert made == {own["scenario"] for own in stored}
    if task == "GN":
        assert "P04637\t9606\n" in (tmp_path / "example-training-GN-organisms.tsv").read_text()
        assert (tmp_path / "example-training-GN-swissprot.txt").read_text() == "P02340\nP04637\n"


def test_the_command_of_all_pairs_makes_their_p(client, challenge, tmp_path, monkeypatch, capsys):
    publish_phase_or_request_if_sealed(challenge.phases.get())
    monkeypatch.chdir(tmp_path)
    for run in Run.objects.filter(task__name="GN"):
        download_files_and_commands(client, f"/challenges/example/training/GN/scores/{run.pk}/", tmp_path)
    reply = client.get("/challenges/example/training/GN/pairs/")
    (command,) = download_files_and_commands(client, "/challenges/example/training/GN/pairs/", tmp_path)
    matrix = find_holm_matrix_of_competing_runs(reply.context["board"])
    stored = {
        frozenset((f"run-{line.row.run}", f"run-{other.row.run}")): pair.p
        for line in matrix.rows
        for other, pair in zip(matrix.rows, line.pairs, strict=True)
        if pair is not None
    }
    pairs = run_printed_command(command, capsys)["pairs"]
    assert {frozenset((own["a"], own["b"])): own["p"] for own in pairs} == stored


def test_passages_are_scored_from_them_too(client, olga, team, tmp_path, monkeypatch, capsys):
    phase = pooling_cast.make_phase(olga)
    run, judges = pooling_cast.first_run(team, phase), pooling_cast.make_judges("jane", "jim")
    pool = pooling_cast.make_pool(phase, *judges)
    pooling_cast.judge_all(pool, *judges)
    close_decided_pool_and_store_gold(pool, olga)
    score = compute_and_store_run_scores(run)
    client.force_login(olga)
    monkeypatch.chdir(tmp_path)
    (command,) = download_files_and_commands(client, f"/challenges/pooled/training/ISS/scores/{run.pk}/", tmp_path)
    (own,) = run_printed_command(command, capsys)["runs"]
    for name, measure in (("mrr", "passage_mrr"), ("relevant_share", "relevant_share")):
        assert own["figures"][name] == score.figures[measure]
        assert own["intervals"][name] == score.intervals[measure]


FILES = ("gold.tsv", "organisms.tsv", "swissprot.txt")


def statuses(client, run, place="/challenges/example/training/GN/files/"):
    """By REST there is the same."""
    names = (f"run-{run.pk}.tsv", *FILES)
    pages, rest = [[client.get(form.format(place, name)) for name in names] for form in ("{}{}", "/api/v1{}{}/")]
    for page, reply in zip(pages, rest, strict=True):
        assert page.status_code == reply.status_code
        assert page.status_code == 404 or page.content == reply.content
    return [page.status_code for page in pages]


def test_rest_tells_what_the_page_does(client, challenge, alice, carol, django_assert_max_num_queries):
    run, address = Run.objects.get(task__name="GN", name="First <b>"), "example/training/GN/scores"
    client.force_login(alice)
    page = client.get(f"/challenges/{address}/{run.pk}/").context
    with django_assert_max_num_queries(25):
        told = client.get(f"/api/v1/challenges/{address}/{run.pk}/").json()
    assert [own["name"] for own in told["files"]] == [own.name for own in page["files"]]
    assert [(own["scenario"], own["command"]) for own in told["current"]] == [
        (own.scenario.name, own.command) for own in page["history"].current
    ]
    assert told["current"][0]["figures"] == page["history"].current[0].score.figures
    client.force_login(carol)
    assert client.get(f"/api/v1/challenges/{address}/{run.pk}/").status_code == 404


def test_each_team_has_its_own_before_publication(client, challenge, alice, carol, olga):
    own, other = (Run.objects.get(task__name="GN", name=name) for name in ("First <b>", "Second"))
    for user, expected in ((carol, [404] * 4), (alice, [200] * 4), (olga, [200] * 4)):
        client.force_login(user)
        assert statuses(client, own) == expected
    client.force_login(alice)
    assert statuses(client, other) == [404, 200, 200, 200]
    organisms = client.get("/challenges/example/training/GN/files/organisms.tsv").content
    client.force_login(olga)
    assert organisms == client.get("/challenges/example/training/GN/files/organisms.tsv").content
    client.logout()
    assert statuses(client, own) == [404] * 4
    words = client.get(f"/challenges/example/training/GN/scores/{own.pk}/")
    assert words.status_code == 404


def test_nobody_has_a_gold_standard_that_is_sealed(client, challenge, team, alice, olga):
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", make_corpus("blind", (201, 202), blind=True))
    gn = challenge.tasks.get(name="GN")
    store_gold_sealed_or_open(gn, phase, b"201\tP04637\n202\tP02340\n", "test.tsv")
    opaque = phase.corpus.articles.get(snapshot__pmid=201).opaque
    own = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("Mine", "", "m.tsv", f"{opaque}\tP04637\t1\t0.5\n".encode()), gn, phase, team, alice
    ).run
    for user in (alice, olga):
        client.force_login(user)
        assert statuses(client, own, "/challenges/example/test/GN/files/") == [200, 404, 404, 404]
    assert client.get(f"/challenges/example/test/GN/files/run-{own.pk}.tsv").content.startswith(f"{opaque}\t".encode())


def test_others_have_a_run_when_it_is_named(client, challenge):
    phase, run = challenge.phases.get(), Run.objects.get(task__name="GN", name="Second")
    Phase.objects.update(names_shown="2100-01-01T00:00Z")
    phase.refresh_from_db()
    publish_phase_or_request_if_sealed(phase)
    assert statuses(client, run) == [404, 200, 200, 200]
    page = client.get(f"/challenges/example/training/GN/scores/{run.pk}/").content.decode()
    assert "example-training-GN-gold.tsv</a>" in page and f"run-{run.pk}.tsv</a>" not in page
    Phase.objects.update(names_shown=None)
    lifecycle.begin_end_phases_and_publish_due_runs(phase.published)
    assert statuses(client, run) == [200] * 4
