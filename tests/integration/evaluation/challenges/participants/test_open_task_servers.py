"""Servers in tasks of any types: which can enter, and a server on loopback whose board is that of the command line."""

import pytest

from annotations.articles.models import Article
from annotations.schema import Kind
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.errors import ChallengeError
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.board import build_board_visible_to_user
from evaluation.measures.open_tasks import list_command_options
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from servers.calls import loop
from servers.registry import lifecycle
from servers.registry.models import Server
from tests.integration.evaluation_cast import make_server
from tests.integration.open_task_cast import GOLD, RUN, make_open_challenge, run_command
from tests.taskserver import TaskServer

pytestmark = pytest.mark.django_db(transaction=True)


def answer_like_run(sent):
    """The mentions of RUN, as annotation servers send them."""
    pmid = str(sent.json["article"]["pmid"] if "article" in sent.json else sent.json["pmid"])
    lines = [line.split("\t") for line in RUN.decode().splitlines() if line.startswith(f"{pmid}\t")]
    mentions = [
        {"start": int(start), "end": int(end), "text": text, "type": kind, "identifiers": [identifier]}
        for _, start, end, text, kind, identifier in (line for line in lines if len(line) == 6)
    ]
    return 200, {}, {"annotations": {"mention": mentions}}


def test_a_server_is_called_scored_and_listed_like_its_file(olga, team, tmp_path, monkeypatch, capsys):
    challenge, phase = make_open_challenge(olga, ("NER", "NEL-ART", "CID"))
    server = make_server(team, "diseases", [Kind.MENTION])
    for task in challenge.tasks.all():
        store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    with TaskServer(answer_like_run) as there:
        Server.objects.filter(pk=server.pk).update(url=there.url, protocol="rest", entity_types=["Disease", "Chemical"])
        server.refresh_from_db()
        runs = enter_eligible_server_and_enqueue_articles(server, phase)
        assert [run.task.name for run in runs] == ["NER", "NEL-ART"]
        lifecycle.bring_server_online_and_resume_resting_queues(server)
        for _ in range(Article.objects.count()):
            loop.run_slices_if_slot_and_lease_free(server.pk)
    assert [run.task.name for run in list_runs_due_for_scoring()] == ["NER", "NEL-ART"]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").write_bytes(RUN)
    (tmp_path / "gold").write_bytes(GOLD)
    for run in runs:
        compute_and_store_run_scores(run)
        (row,) = build_board_visible_to_user(run.task, phase, olga).rows
        shown = {cell.measure.name: cell.value for cell in row.cells}
        task = "ner" if run.task.name == "NER" else "nel"
        options = list_command_options(run.task.compared_form, run.task.get_settings())
        printed = run_command(["score", "--task", task, *options, "run", "gold"], capsys)["runs"][0]
        for name in ("tp", "fp", "fn", "precision", "recall", "f1"):
            assert shown[f"micro_{name}"] == printed["figures"]["micro"][name]
        assert row.answered == 3
    assert list_runs_due_for_scoring() == []


@pytest.mark.parametrize(
    ("kinds", "types", "names"),
    [
        ([Kind.ENTITY], ["Disease"], ["NEL-ART"]),
        ([Kind.MENTION, Kind.ENTITY], ["DISEASE"], ["NER", "NEL-ART"]),
        ([Kind.MENTION], ["Chemical"], ["NEL-ART"]),
        ([Kind.MENTION], [], ["NER", "NEL-ART"]),
        ([Kind.RELATION], ["Gene"], ["CID"]),
    ],
)
def test_a_server_enters_the_tasks_of_its_kinds_and_types(olga, team, kinds, types, names):
    _, phase = make_open_challenge(olga, ("NER", "NEL-ART", "CID"))
    server = make_server(team, "own", kinds)
    server.entity_types = types
    server.save()
    assert [run.task.name for run in enter_eligible_server_and_enqueue_articles(server, phase)] == names


def test_a_server_of_other_types_is_refused(olga, team):
    _, phase = make_open_challenge(olga, ("NER",))
    server = make_server(team, "genes", [Kind.MENTION])
    Server.objects.filter(pk=server.pk).update(entity_types=["Gene"])
    server.refresh_from_db()
    with pytest.raises(ChallengeError, match=r"asks for \(mention of the types Disease\)"):
        enter_eligible_server_and_enqueue_articles(server, phase)
