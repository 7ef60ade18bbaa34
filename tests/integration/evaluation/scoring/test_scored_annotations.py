"""A server that reports UniProt and Entrez ids, against a gold standard of UniProt: scores, pages, files and commands
count the same annotations."""

import json
import re

import pytest

from annotations.articles.models import Article
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.__main__ import main
from evaluation.agreement.candidates import list_comparison_candidates
from evaluation.agreement.comparison import compare_producers_and_their_earlier_answers
from evaluation.calibration.stored_calibrations import learn_and_store_run_calibration
from evaluation.challenges.dry_run.power_analysis import _compute_article_figures
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.reproduction.score_files import list_run_file_lines_as_scored
from evaluation.runs.models import Run
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.archive_cast import extract_archive_files, write_challenge_archive
from tests.integration.evaluation_cast import make_server

pytestmark = pytest.mark.django_db

GN_GOLD = b"101\tP04637\n101\tP02340\n102\tP02340\n103\tP04637\n"
IPT_GOLD = b"101\tP04637\tP02340\n102\tP02340\tP10361\n"
# (article, identifier, confidence), in list order; digits are Entrez Gene ids. Article 104 has no gold item.
GN_ANSWERS = [
    (101, "7157", 0.95),
    (101, "P04637", 0.9),
    (101, "22059", 0.85),
    (101, "P10361", 0.5),
    (101, "P02340", 0.4),
    (102, "7157", 0.8),
    (102, "22059", 0.7),
    (102, "P02340", 0.6),
    (103, "7157", 0.3),
    (104, "P04637", 0.2),
]
IPT_ANSWERS = [
    (101, "7157 22059", 0.9),
    (101, "P02340 P04637", 0.8),
    (102, "7157 22059", 0.7),
    (102, "P02340 P04637", 0.6),
    (102, "P10361 P02340", 0.5),
]
TASKS = {"GN": (Kind.NORMALIZATION, GN_GOLD, GN_ANSWERS), "IPT": (Kind.PAIR, IPT_GOLD, IPT_ANSWERS)}


@pytest.fixture(params=TASKS)
def run(request, phase, team):
    """The scored run of a server that reports identifiers of two databases."""
    kind, gold, answers = TASKS[request.param]
    task = creation.create_task(phase.challenge, request.param, kind, request.param)
    store_gold_sealed_or_open(task, phase, gold, "gold.tsv")
    (run,) = enter_eligible_server_and_enqueue_articles(make_server(team, "both", [kind]), phase)
    ranks = {}
    reported = {101: [], 102: [], 103: [], 104: []}
    for pmid, items, confidence in answers:
        identifier, _, partner = items.partition(" ")
        database = "ncbigene" if identifier.isdigit() else "uniprot"
        ranks[pmid] = ranks.get(pmid, 0) + 1
        reported[pmid].append(
            AnnotationData(kind, confidence, ranks[pmid], database=database, identifier=identifier, partner=partner)
        )
    for pmid, annotations in reported.items():
        article = Article.objects.get(pmid=pmid)
        store_results_superseding_earlier(article, run.producer, {kind: annotations}, duration_seconds=1.0)
    compute_and_store_run_scores(run)
    return run


@pytest.fixture
def reader(client, team, alice):
    client.force_login(alice)
    return client


def count_hits_and_reported(run):
    """From the micro figures on the board: true positives, reported items, gold items."""
    gold = len({tuple(line.split(b"\t")) for line in TASKS[run.task.name][1].splitlines()})
    figures = run.scores.get(scenario="all").figures
    hits = round(figures["micro_recall"] * gold)
    return hits, round(hits / figures["micro_precision"]), gold


def list_scored_confidences(run):
    """Those of UniProt items in articles with gold items."""
    answers = TASKS[run.task.name][2]
    return [confidence for pmid, item, confidence in answers if pmid != 104 and not item.split()[0].isdigit()]


def test_it_counts_the_same_items_everywhere(run, reader):
    hits, reported, gold = count_hits_and_reported(run)
    assert reported == len(list_scored_confidences(run))
    analysis = reader.get(f"/api/v1/runs/{run.pk}/analysis/").json()
    errors = {miss: sum(row["number"] for row in analysis["causes"] if row["miss"] is miss) for miss in (True, False)}
    assert errors == {True: gold - hits, False: reported - hits}
    of_groups = {name: sum(row[name] for row in analysis["groups"]) for name in ("found", "missed", "false")}
    assert of_groups == {"found": hits, "missed": gold - hits, "false": reported - hits}
    articles = reader.get(f"/api/v1/runs/{run.pk}/articles/").json()["results"]
    numbers = {name: sum(len(article[name]) for article in articles) for name in ("found", "missed", "false")}
    assert numbers == {"found": hits, "missed": gold - hits, "false": reported - hits}
    assert sum(not line.startswith("104") for line in list_run_file_lines_as_scored(run)) == reported
    page = re.sub(r"\s+", " ", reader.get(f"/runs/{run.pk}/articles/").content.decode())
    assert "7157" not in page


def test_its_proposed_cut_starts_from_the_fap_on_the_board(run, reader):
    figures = run.scores.get(scenario="all").figures
    analysis = reader.get(f"/api/v1/runs/{run.pk}/analysis/").json()
    assert [cut["uncut"] for cut in analysis["cuts"]] == [pytest.approx(figures["macro_fap"])] * 2
    by_confidence, by_rank = analysis["cuts"]
    calibration = learn_and_store_run_calibration(run)
    assert (calibration.cut_by, calibration.cut_value) == ("confidence", by_confidence["value"])
    assert calibration.cut_fap == pytest.approx(by_confidence["fap"])
    assert calibration.number == len(list_scored_confidences(run))
    reader.post(f"/runs/{run.pk}/cut/", {"by": "rank", "value": str(by_rank["value"])})
    cut = Run.objects.latest("pk")
    assert cut != run
    compute_and_store_run_scores(cut)
    assert cut.scores.get(scenario="all").figures["macro_fap"] == pytest.approx(by_rank["fap"])


def run_command(capsys, *arguments):
    assert main([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_commands_on_its_file_print_the_figures_of_the_board(run, reader, tmp_path, capsys):
    file, gold = tmp_path / "run.tsv", tmp_path / "gold.tsv"
    file.write_text("".join(list_run_file_lines_as_scored(run)))
    gold.write_bytes(TASKS[run.task.name][1])
    task = ["--task", {"GN": "int", "IPT": "ipt"}[run.task.name]]
    figures = run.scores.get(scenario="all").figures
    (scored,) = run_command(capsys, "score", *task, str(file), str(gold))["runs"]
    for average in ("macro", "micro"):
        printed = scored["figures"][average]
        assert {name: printed[name] for name in ("f1", "ap", "fap", "precision", "recall")} == {
            name: pytest.approx(figures[f"{average}_{name}"]) for name in ("f1", "ap", "fap", "precision", "recall")
        }
    analysis = reader.get(f"/api/v1/runs/{run.pk}/analysis/").json()
    found = run_command(capsys, "cutoff", *task, str(file), str(gold))
    assert found["cutoff"] == analysis["cuts"][0]["value"]
    causes = run_command(capsys, "causes", *task, str(file), str(gold))["causes"]
    assert {(row["fault"], row["cause"]): row["number"] for row in causes} == {
        ("miss" if row["miss"] else "false alarm", row["cause"]): row["number"] for row in analysis["causes"]
    }


def test_its_archive_and_other_figures_count_the_same_items(run, reader, olga, tmp_path):
    folder = extract_archive_files(write_challenge_archive(run.phase.challenge, tmp_path / "archive.zip"), tmp_path)
    (file,) = folder.glob(f"**/{run.task.name}/runs/*.tsv")
    assert file.read_text() == "".join(list_run_file_lines_as_scored(run))
    confidences = [confidence for _, item, confidence in TASKS[run.task.name][2] if not item.split()[0].isdigit()]
    assert run.scores.get(scenario="all").confidence == pytest.approx(sum(confidences) / len(confidences))
    kind, standard = Kind(run.task.kind), run.scores.get(scenario="all").gold
    other = Producer.objects.create(name="Other", sort="run")
    for article in run.phase.corpus.articles.all():
        store_results_superseding_earlier(article, other, {kind: []})
    candidates = {one.id: one for one in list_comparison_candidates(run.phase.corpus, Producer.objects.all())}
    own, other, right = (candidates[pk] for pk in (run.producer_id, other.pk, standard.producer_id))
    overlap = compare_producers_and_their_earlier_answers(run.phase.corpus, kind, [own, other], right).overlap
    assert sum(region.items for region in overlap.regions) == len(confidences)
    (in_articles,) = _compute_article_figures(run.task, standard)
    assert sum(in_articles) / len(in_articles) == pytest.approx(run.scores.get(scenario="all").figures["macro_f1"])
