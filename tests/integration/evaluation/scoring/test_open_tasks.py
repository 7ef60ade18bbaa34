"""Tasks with settings: gold standard, runs and boards, with the figures of the command line to the last digit."""

import pytest

from evaluation.challenges.setup import creation
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.gold.unsealing import decrypt_and_store_gold_openly
from evaluation.leaderboards.board import build_board_visible_to_user
from evaluation.leaderboards.ranking_tests import list_boards_with_outdated_rankings, store_rankings_of_stale_board
from evaluation.leaderboards.reproduction.score_files import (
    DERIVED_GOLD_FILES,
    build_gold_file_name_by_placeholder,
    find_scores_and_files_of_run,
    format_run_file_name,
    list_run_file_lines_as_scored,
    replace_placeholders_by_file_names,
)
from evaluation.leaderboards.reproduction.score_history import format_compare_command_with_placeholders
from evaluation.measures.open_tasks import COMMAND_TASKS, list_command_options
from evaluation.measures.task_settings import read_task_settings
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import create_listed_challenge, get_article
from tests.integration.open_task_cast import (
    OPEN_TASKS,
    TEXTS,
    check_score,
    make_open_challenge,
    make_open_corpus,
    run_command,
    words_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge_and_phase(olga):
    return make_open_challenge(olga)


@pytest.fixture
def upload(challenge_and_phase, team, alice):
    _, phase = challenge_and_phase

    def put(task, content, name="run.txt"):
        submission = RunSubmission("", "", name, content)
        return intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, alice)

    return put


@pytest.fixture(params=OPEN_TASKS)
def scored(request, challenge_and_phase, upload):
    """A task with its gold standard and two scored runs: task, phase, the runs."""
    challenge, phase = challenge_and_phase
    task = challenge.tasks.get(name=request.param)
    _, _, gold, *runs = OPEN_TASKS[request.param]
    store_gold_sealed_or_open(task, phase, gold, "gold.txt")
    uploads = [upload(task, content, f"run{number}.txt") for number, content in enumerate(runs, 1)]
    assert [own.faults for own in uploads] == [[], []]
    for own in uploads:
        compute_and_store_run_scores(own.run)
    return task, phase, [own.run for own in uploads]


def check_uploaded_files(task, runs, folder, capsys):
    """The command line finds in the uploaded files what the site has stored of them."""
    _, _, gold, *contents = OPEN_TASKS[task.name]
    (folder / "gold").write_bytes(gold)
    options = list_command_options(task.compared_form, task.get_settings())
    for run, content in zip(runs, contents, strict=True):
        (folder / "run").write_bytes(content)
        words = ["score", "--task", COMMAND_TASKS[task.compared_form], *options, "--bootstrap", "1000", "run", "gold"]
        check_score(Score.objects.get(run=run, scenario="all"), run_command(words, capsys)["runs"][0])


def write_score_files(task, phase, runs, folder, user):
    """The files that the site offers for the commands of a board, by the names that the commands have."""
    names = build_gold_file_name_by_placeholder(task, phase)
    gold = GoldStandard.objects.get(task=task, phase=phase)
    (folder / names["GOLD"]).write_text("".join(DERIVED_GOLD_FILES["gold.tsv"].iter_lines(gold, user)))
    for run in runs:
        (folder / format_run_file_name(run.pk)).write_text("".join(list_run_file_lines_as_scored(run)))


def check_score_commands(board, runs, user, capsys):
    for run in runs:
        scores = find_scores_and_files_of_run(user, board, run.pk).history.current
        assert scores
        for own in scores:
            check_score(own.score, run_command(words_of(own.command), capsys)["runs"][0])


def check_compare_command(board, runs, capsys):
    ranking, names = board.ranking, build_gold_file_name_by_placeholder(board.task, board.phase)
    arguments = (board.task, ranking.measure, ranking.samples, ranking.seed, board.scenario)
    command = format_compare_command_with_placeholders(*arguments)
    words = words_of(replace_placeholders_by_file_names(command, names, [run.pk for run in runs]))
    p = run_command(words, capsys)["pairs"][0]["p"]
    assert ranking.counts == [round(p * (ranking.samples + 1)) - 1]


def test_its_board_has_the_figures_of_the_command_line(scored, olga, tmp_path, monkeypatch, capsys):
    task, phase, runs = scored
    for stale in list_boards_with_outdated_rankings():
        store_rankings_of_stale_board(stale)
    board = build_board_visible_to_user(task, phase, olga)
    assert [row.first is not None for row in board.rows] == [True, True]
    assert board.columns[0].name == ("label_micro_f1" if task.kind == "label" else "micro_f1")
    assert {"micro_tp", "label_micro_tp"} & {column.name for column in board.columns}
    monkeypatch.chdir(tmp_path)
    write_score_files(task, phase, runs, tmp_path, olga)
    check_score_commands(board, runs, olga, capsys)
    check_compare_command(board, runs, capsys)
    # Tab-separated values cannot name an article without a label, which the site counts.
    if task.compared_form != "label":
        check_uploaded_files(task, runs, tmp_path, capsys)


def test_the_gold_standard_of_a_test_stays_sealed_until_it_is_published(olga, team, alice):
    challenge = create_listed_challenge("Sealed", "sealed", "Which diseases?", olga)
    kind, settings, gold, content, _ = OPEN_TASKS["NER"]
    task = creation.create_task(challenge, "NER", kind, "Diseases", settings=read_task_settings(settings))
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", make_open_corpus(blind=True))
    stored = store_gold_sealed_or_open(task, phase, gold, "gold.txt")
    assert stored.producer is None
    assert b"asthma" not in bytes(GoldStandard.objects.get(pk=stored.pk).sealed)
    for pmid in TEXTS:
        content = content.replace(str(pmid).encode(), get_article(pmid).opaque.encode())
    run = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("", "", "run.txt", content), task, phase, team, alice
    ).run
    before = compute_and_store_run_scores(run).figures
    assert (before["micro_tp"], before["micro_fp"], before["micro_fn"]) == (4, 3, 1)
    opened = decrypt_and_store_gold_openly(stored)
    assert opened.producer.results.count() == len(TEXTS)
    assert compute_and_store_run_scores(run).figures == before


def test_a_run_in_the_spellings_of_the_task_scores_as_the_gold_standard(challenge_and_phase, upload):
    challenge, phase = challenge_and_phase
    task = challenge.tasks.get(name="NER-SPELLED")
    gold = OPEN_TASKS["NER-SPELLED"][2]
    store_gold_sealed_or_open(task, phase, gold, "gold.txt")
    run = upload(task, gold.replace(b"\tDisease\t", b"\tillness\t"), "run.txt").run
    compute_and_store_run_scores(run)
    figures = Score.objects.get(run=run, scenario="all").figures
    assert (figures["micro_f1"], figures["ner_strict_f1"], figures["micro_tp"]) == (1.0, 1.0, 5)
