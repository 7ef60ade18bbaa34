"""Mentions of genes as a task of a challenge: gold standard, runs, servers, figures as the command line has them."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now

from annotations.articles.models import Article, ArticleTakedown
from annotations.formats.errors import RefusedFileError
from annotations.results.models import Annotation, Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.__main__ import main
from evaluation.challenges.dry_run import setup_checks
from evaluation.challenges.models import Phase
from evaluation.gold.alternatives import AlternativesFile, find_decrypted_alternatives
from evaluation.gold.models import Alternatives
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.gold.unsealing import decrypt_and_store_gold_openly
from evaluation.leaderboards.board import BoardSelection, build_board_visible_to_user
from evaluation.leaderboards.ranking_tests import list_boards_with_outdated_rankings, store_rankings_of_stale_board
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from servers.teams.models import Team
from tests.integration.evaluation_cast import get_article
from tests.integration.mention_cast import ALTERNATIVES, GOLD, OTHER, RUN, make_mention_task

pytestmark = pytest.mark.django_db

ACCEPTED = AlternativesFile(ALTERNATIVES, "ALTGENE.eval")
ROUNDS = ("precision", "recall", "f1")
# The same genes as GENE.eval has them: white space is not counted, the end is the last character.
SOLID_GOLD = b"201|6 9|CDH1\n201|16 19|CDH1\n201|25 35|beta catenin\n203|0 2|p53\n203|6 9|Mdm2\n203|13 15|p53\n"
SOLID_RUN = b"201|6 9|CDH1\n201|29 35|catenin\n201|16 24|CDH1 binds\n202|2 5|gene\n203|0 9|p53 and Mdm2\n203|13 22|\n"


@pytest.fixture
def task(olga):
    return make_mention_task(olga)[0]


@pytest.fixture
def phase(task):
    return Phase.objects.get(challenge=task.challenge)


@pytest.fixture
def put(task, phase, team, alice):
    def upload(content, name="run.txt"):
        return intake.store_run_upload_and_process_or_enqueue(
            RunSubmission("", "", name, content), task, phase, team, alice
        )

    return upload


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """What the command line says of a run with these options."""

    def scored(run, gold, *options):
        monkeypatch.chdir(tmp_path)
        for name, content in {"run": run, "gold": gold, "accepted": ALTERNATIVES}.items():
            (tmp_path / name).write_bytes(content)
        assert main(["score", "--task", "gm", "run", "gold", *options, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)["runs"][0]

    return scored


def flat(figures):
    return {f"{way}_{name}": figures[way][name] for way in ("micro", "macro") for name in ROUNDS}


def list_stored_mentions(gold):
    rows = Annotation.objects.filter(result__producer=gold.producer, result__superseded__isnull=True).order_by("pk")
    return list(rows.values_list("result__article__pmid", "start", "end", "text", "type"))


def test_it_takes_a_gold_standard_and_a_run_and_shows_the_board(task, phase, put, olga, command):
    gold = store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    assert list_stored_mentions(gold)[:3] == [
        (201, 8, 12, "CDH1", "Gene"),
        (201, 21, 25, "CDH1", "Gene"),
        (201, 32, 44, "beta catenin", "Gene"),
    ]
    own = put(RUN)
    assert (own.state, own.format, own.faults) == ("taken", "pubtator", [])
    compute_and_store_run_scores(own.run)
    shown = build_board_visible_to_user(task, phase, olga)
    assert [column.name for column in shown.columns[:3]] == ["micro_f1", "micro_precision", "micro_recall"]
    told = command(RUN, GOLD, "--bootstrap", "1000")
    assert {cell.measure.name: cell.value for cell in shown.rows[0].cells} == flat(told["figures"])
    low, high = told["intervals"]["micro.f1"]
    assert (shown.rows[0].cells[0].low, shown.rows[0].cells[0].high) == (low, high)


@pytest.mark.parametrize("how", ["start", "end", "either", "overlap"])
def test_it_scores_places_that_match_in_part_as_the_command_does(how, task, phase, put, command):
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    run = put(RUN).run
    compute_and_store_run_scores(run)
    score = Score.objects.get(run=run, scenario=how)
    told = command(RUN, GOLD, "--spans", how, "--bootstrap", "1000")
    assert score.figures == flat(told["figures"])
    assert score.intervals["macro_f1"] == told["intervals"]["macro.f1"]
    assert {name: score.figures[f"micro_{name}"] for name in ROUNDS} == {
        name: told["spans"][how][name] for name in ROUNDS
    }


def test_it_reads_gene_eval_to_the_same_places(task, phase):
    text, solid = (
        list_stored_mentions(store_gold_sealed_or_open(task, phase, content, "gold")) for content in (GOLD, SOLID_GOLD)
    )
    assert text == solid


def test_it_scores_alternatives_as_biocreative_ii_did(task, phase, put, command):
    """Five of six genes, two of them by one mention; two false alarms, one in an article without a gene."""
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", ACCEPTED)
    run = put(SOLID_RUN, "run.eval").run
    official = compute_and_store_run_scores(run)
    assert "|alternatives:sha256:" in official.signature
    told = command(SOLID_RUN, SOLID_GOLD, "--alternatives", "accepted")
    assert official.figures == flat(told["figures"])
    assert (official.figures["micro_precision"], official.figures["micro_recall"]) == (5 / 7, 5 / 6)
    exact = Score.objects.get(run=run, scenario="exact")
    assert exact.figures == flat(command(SOLID_RUN, SOLID_GOLD)["figures"])
    assert set(run.scores.values_list("scenario", flat=True)) == {
        *("all", "answered", "exact", "start", "end", "either", "overlap")
    }


def test_it_scores_again_when_alternatives_change(task, phase, put):
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    run = put(RUN).run
    compute_and_store_run_scores(run)
    assert list_runs_due_for_scoring() == []
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", ACCEPTED)
    (stale,) = list_runs_due_for_scoring()
    assert compute_and_store_run_scores(stale).figures["micro_recall"] == 5 / 6
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    assert compute_and_store_run_scores(list_runs_due_for_scoring()[0]).figures["micro_recall"] == 1 / 6


def test_it_scores_what_servers_say(task, phase, team):
    """Only genes count, and mentions without a type; what was found in an earlier text of an article is no answer."""
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    producer = Producer.objects.create(sort=Producer.Type.RUN, name="Server")
    run = Run.objects.create(task=task, phase=phase, team=team, producer=producer, name="Server", sort="online")
    article = get_article(201)
    found = [(8, 12, ""), (16, 20, "Species"), (21, 25, "protein")]
    said = [AnnotationData(Kind.MENTION, start=start, end=end, type=sort) for start, end, sort in found]
    store_results_superseding_earlier(article, producer, {Kind.MENTION: said})
    score = compute_and_store_run_scores(run)
    assert (score.figures["micro_precision"], score.figures["micro_recall"], score.answered) == (1, 2 / 6, 1)
    assert list_runs_due_for_scoring() == []
    Article.objects.filter(pk=article.pk).update(text_version=2)
    assert (compute_and_store_run_scores(run).answered, list_runs_due_for_scoring()) == (0, [])


def test_it_ranks_runs_and_joins_the_best(task, phase, put, olga):
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", ACCEPTED)
    one, two = (put(content, name).run for name, content in {"one.txt": RUN, "two.txt": OTHER}.items())
    Run.objects.filter(pk=two.pk).update(team=Team.objects.create(name="Team Beta", slug="team-beta"))
    for run in (one, two):
        compute_and_store_run_scores(run)
    store_rankings_of_stale_board(list_boards_with_outdated_rankings()[0])
    for scenario, recall in {"all": 1 / 6, "overlap": 1 / 6}.items():
        shown = build_board_visible_to_user(task, phase, olga, BoardSelection(scenario))
        assert [row.first for row in shown.rows] == [1, 1]
        assert shown.ensemble is not None
        assert [cell.value for cell in shown.ensemble.cells if cell.measure.name == "micro_recall"] == [recall]


def test_it_tells_the_faults_of_a_file(task, phase):
    wrong = GOLD.replace(b"201\t8\t12\tCDH1", b"201\t6\t10\tCDH1").replace(b"203\t0\t3\tp53", b"203\t1\t4\tp53")
    with pytest.raises(RefusedFileError) as refused:
        store_gold_sealed_or_open(
            task, phase, wrong.replace(b"203|a|The p53 protein is degraded.", b"203|a|" + 60 * b"x"), "gold.txt"
        )
    assert [(own.line, own.column, own.rule) for own in refused.value.faults] == [(3, 5, "R722"), (13, 5, "R722")]
    with pytest.raises(RefusedFileError) as refused:
        store_gold_sealed_or_open(task, phase, b"201|6 9|CDH1\n201|90 99|x\n999|0 3|CDH1\n", "GENE.eval")
    assert [(own.line, own.rule) for own in refused.value.faults] == [(2, "R721"), (3, "R508")]


def test_it_tells_the_faults_of_the_alternatives_with_those_of_the_gold_standard(task, phase):
    wrong = AlternativesFile(b"201|90 99|x\n999|0 3|y\n", "ALTGENE.eval")
    for gold, first in ((b"201|6 9|CDH1\n201|90 99|x\n", [("GENE.eval", 2, "R721")]), (SOLID_GOLD, [])):
        with pytest.raises(RefusedFileError) as refused:
            store_gold_sealed_or_open(task, phase, gold, "GENE.eval", wrong, "two experts")
        told = [(own.source, own.line, own.rule) for own in refused.value.faults]
        assert told == [*first, ("ALTGENE.eval", 1, "R721"), ("ALTGENE.eval", 2, "R508")]


def test_it_tells_by_rest_of_which_file_a_fault_is(client, olga, task, phase):
    client.force_login(olga)
    files = {"file": b"201|90 99|x\n", "alternatives": b"999|0 3|y\n"}
    sent = {field: SimpleUploadedFile(f"{field}.eval", content) for field, content in files.items()}
    reply = client.post(f"/api/v1/challenges/{task.challenge.slug}/phases/{phase.sort}/gold/{task.name}/", sent)
    assert reply.status_code == 422
    told = [(own["loc"], own["line"], own["code"]) for own in reply.json()["errors"]]
    assert told == [("file", 1, "R721"), ("alternatives", 1, "R508")]


def test_it_tells_each_fault_of_a_file_with_both_once(task, phase):
    """A gene and an alternative of an article that the corpus lacks; then a line that ends the reading of both."""
    stranger = b"999|t|p53\n999|a|\n999\t0\t3\tp53\tGene\n999\t0\t2\tp5\tAlternative\n"
    for content, faults in ((stranger, [(3, "R508"), (4, "R508")]), (stranger + b"999\t0\t9\n", [(5, "R652")])):
        with pytest.raises(RefusedFileError) as refused:
            store_gold_sealed_or_open(task, phase, content + b"\n" + GOLD, "gold.txt")
        assert [(own.line, own.rule) for own in refused.value.faults] == faults


def test_it_compares_article_by_article_and_tells_causes(client, task, phase, put, alice):
    """An alternative that overlaps a gene is found, as its gene is."""
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", ACCEPTED)
    run = put(RUN).run
    compute_and_store_run_scores(run)
    client.force_login(alice)
    page = client.get(f"/runs/{run.pk}/").content.decode()
    assert "boundary" in page and "Apply a cut-off" not in page
    response = client.get(f"/runs/{run.pk}/articles/")
    rows = response.context["rows"]
    assert [[(part.text, part.states) for part in row.marked if part.states] for row in rows] == [
        [("CDH1", "tp"), ("CDH1", "fn fp"), (" binds", "fp"), ("catenin", "tp")],
        [("gene", "fp")],
        [("p53 and Mdm2", "tp"), ("p53 protein", "tp")],
    ]
    marked = response.content.decode()
    assert '<mark class="fn fp" title="false negative; false positive">CDH1</mark>' in marked
    assert '<ul class="key marks">' in marked
    assert [[[own.text for own in part] for part in (row.found, row.missed, row.false)] for row in rows] == [
        [["CDH1 (8-12)", "catenin (37-44)"], ["CDH1 (21-25)"], ["CDH1 binds (21-31)"]],
        [[], [], ["gene (3-7)"]],
        [["p53 and Mdm2 (0-12)", "p53 protein (17-28)"], [], []],
    ]
    assert [row.name for row in client.get(f"/runs/{run.pk}/articles/?faulty").context["rows"]] == ["201", "202"]


def test_it_shows_no_words_of_an_article_that_was_taken_down(client, task, phase, put, alice):
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    run = put(RUN).run
    compute_and_store_run_scores(run)
    ArticleTakedown.objects.create(article=get_article(203))
    client.force_login(alice)
    for address in (f"/runs/{run.pk}/articles/", f"/api/v1/runs/{run.pk}/articles/"):
        page = client.get(address).content.decode()
        assert "catenin" in page and "203" in page and "p53" not in page
    (hidden,) = (row for row in client.get(f"/runs/{run.pk}/articles/").context["rows"] if row.name == "203")
    assert (hidden.title, hidden.marked) == ("", [])
    assert [own.text for own in hidden.missed] == ["(0-3)", "(8-12)", "(17-20)"]


def test_it_shows_the_board_to_everybody_once_it_is_published(client, task, phase, put):
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", ACCEPTED)
    compute_and_store_run_scores(put(RUN).run)
    Phase.objects.filter(pk=phase.pk).update(published=Now())
    page = client.get("/challenges/genes/training/GM/?scenario=overlap").content.decode()
    assert "Ranked by Micro F1, unofficial: overlap" in page
    assert "Micro AP" not in page


def test_it_seals_the_alternatives_of_a_test(olga):
    task, phase = make_mention_task(olga, "test")
    gold = store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", ACCEPTED)
    own = Alternatives.objects.get(gold=gold)
    assert bytes(own.places).startswith(b"bcms-sealed-1 ")
    places = find_decrypted_alternatives(gold)
    assert places is not None and sum(map(len, places.values())) == 3
    assert find_decrypted_alternatives(decrypt_and_store_gold_openly(gold)) == places
    own.refresh_from_db()
    assert bytes(own.places).startswith(b"{")
    (resolution,) = setup_checks.perform_dry_run(task.challenge).power_analyses
    assert resolution.articles == 3


def test_an_organizer_uploads_alternatives_with_the_gold_standard(client, task, phase, olga):
    client.force_login(olga)
    sent = {"task": task.pk, "phase": phase.pk, "source": ""}
    files = {"file": SimpleUploadedFile("gold.txt", GOLD), "alternatives": SimpleUploadedFile("ALTGENE", ALTERNATIVES)}
    assert client.post("/challenges/genes/gold/", {**sent, **files}).status_code == 302
    assert Alternatives.objects.get().source == "ALTGENE"
    files = {name: SimpleUploadedFile(name, b"201|90 99|x\n") for name in ("file", "alternatives")}
    page = client.post("/challenges/genes/gold/", {**sent, **files}).content.decode()
    for name in files:
        assert f"The file “{name}” was rejected with 1 error. Nothing was stored." in page
