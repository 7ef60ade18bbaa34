"""Runs and gold standards of tasks of any types: what is refused and why, the comparison with the gold standard, and
baselines."""

import gzip

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.formats.errors import RefusedFileError
from annotations.identifiers.models import Entry
from annotations.schema import Kind
from evaluation import tasks
from evaluation.challenges.dry_run.power_analysis import compute_power_from_training_or_assumed_variation
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.leaderboards.board import build_board_visible_to_user
from evaluation.leaderboards.views import list_source_runs_of_baseline
from evaluation.measures.task_settings import read_task_settings
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.scoring.run_scores import compute_and_store_run_scores
from servers.teams.models import Team
from tests.integration.evaluation_cast import create_listed_challenge
from tests.integration.open_task_cast import (
    GOLD,
    OPEN_TASKS,
    RUN,
    make_open_challenge,
    pubtator,
)
from tests.shared_data import require_shared_path

pytestmark = pytest.mark.django_db
# BioC JSON of one relation with roles.
RELATION = (
    b'{"source": "", "date": "", "key": "", "documents": [{"id": "301", "infons": {}, "passages": [], "relations": ['
    b'{"id": "R1", "infons": {"type": "CID", "entity1": "MESH:D001241", "role1": "cause", "entity2": "MESH:D001249", '
    b'"role2": "%s"}, "nodes": []}]}]}'
)


@pytest.fixture
def challenge_and_phase(olga):
    return make_open_challenge(olga)


@pytest.fixture
def upload(challenge_and_phase, team, alice):
    challenge, phase = challenge_and_phase

    def put(name, content):
        task = challenge.tasks.get(name=name)
        submission = RunSubmission(f"run {Run.objects.count()}", "", "run.txt", content)
        return intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, alice)

    return put


@pytest.mark.parametrize(
    ("task", "content", "rule", "message"),
    [
        ("NER", pubtator(_301=("60\t9000\tulcers\tDisease",)), "R721", "ends at 9000, beyond the end"),
        ("NER", pubtator(_301=("0\t6\tulcers\tDisease",)), "R722", "the text at these offsets is"),
        ("NER", b"301\tsafety\n", "R711", "use PubTator, BioC, PubAnnotation or NDJSON"),
        ("NER", b"999|t|Elsewhere\n", "R713", "none of its articles is in this phase"),
        ("NER", pubtator(_301=(f"0\t7\tAspirin\t{'x' * 101}",)), "R108", "type"),
        ("NEL", pubtator(_301=(f"0\t7\tAspirin\tChemical\tMESH:{'9' * 201}",)), "R117", "has 201 characters"),
        ("TOPIC", b"301\tweather\n", "R724", "is not a label of the task - write one of"),
        ("TOPIC", b"301\tsafety\n301\tsafety\n", "R608", "already"),
    ],
)
def test_it_refuses_a_run_that_does_not_fit(upload, task, content, rule, message):
    refused = upload(task, content)
    assert refused.state == "refused"
    assert [fault.rule for fault in refused.located_faults] == [rule]
    assert message in refused.located_faults[0].message


@pytest.mark.parametrize("task", OPEN_TASKS)
def test_the_page_of_uploads_takes_a_run_of_any_task(challenge_and_phase, client, team, alice, task):
    content = OPEN_TASKS[task][3]
    client.force_login(alice)
    address = f"/challenges/{challenge_and_phase[0].slug}/training/{task}/runs/"
    page = client.get(address)
    assert page.status_code == 200
    assert "Repair BioCreative II XML" not in page.content.decode()
    uploaded = client.post(address, {"file": SimpleUploadedFile("run.txt", content)})
    assert uploaded.status_code == 302
    assert Run.objects.get().task.name == task


def test_it_takes_a_run_in_the_format_with_the_longest_name(upload, client):
    export = client.get("/articles/301/export/web-annotation-turtle/")
    taken = upload("NER", b"".join(export.streaming_content))
    assert (taken.state, taken.format) == ("taken", "web-annotation-turtle")


def test_it_refuses_roles_and_second_labels_that_the_task_does_not_have(challenge_and_phase, team, alice):
    challenge, phase = challenge_and_phase
    roles = read_task_settings({"roles": ["cause", "effect"]})
    relation = creation.create_task(challenge, "ROLES", Kind.RELATION, "Roles", settings=roles)
    single = read_task_settings({"label_set": {"name": "topic"}})
    label = creation.create_task(challenge, "ONE", Kind.LABEL, "One label", settings=single)
    found = {}
    for task, content in ((relation, RELATION % b"victim"), (label, b"301\ta\n301\tb\n302\ta\n")):
        submission = RunSubmission("", "", "run.txt", content)
        own = intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, alice)
        found[task.name] = [(fault.rule, fault.wrong) for fault in own.located_faults]
    assert found["ROLES"] == [("R725", "“victim” is not a role of the task")]
    assert found["ONE"] == [("R724", "article “301” has 2 labels of topic, of which an article has one")]
    submission = RunSubmission("", "", "good.txt", RELATION % b"Effect")
    assert intake.store_run_upload_and_process_or_enqueue(submission, relation, phase, team, alice).state == "taken"


def test_it_refuses_a_gold_standard_that_does_not_fit(challenge_and_phase):
    challenge, phase = challenge_and_phase
    elsewhere = b"999|t|Elsewhere\n999\t0\t4\tElse\tDisease\n"
    nothing = pubtator(_301=("0\t7\tAspirin\tChemical\tMESH:D001241",))
    for content, rule in ((elsewhere, "R508"), (nothing, "R610"), (b"301\tsafety\n", "R711")):
        with pytest.raises(RefusedFileError) as refused:
            store_gold_sealed_or_open(challenge.tasks.get(name="NER"), phase, content, "gold.txt")
        assert rule in [fault.rule for fault in refused.value.faults]


@pytest.fixture
def compared(challenge_and_phase, upload, organizer):
    """The comparison of a run with its gold standard, by the name of the task: page and REST."""
    challenge, phase = challenge_and_phase

    def compare(name):
        _, _, gold, content, _ = OPEN_TASKS[name]
        store_gold_sealed_or_open(challenge.tasks.get(name=name), phase, gold, "gold.txt")
        run = upload(name, content).run
        compute_and_store_run_scores(run)
        page = organizer.get(f"/runs/{run.pk}/articles/?faulty")
        listed = organizer.get(f"/api/v1/runs/{run.pk}/articles/").json()["results"]
        faulty = organizer.get(f"/api/v1/runs/{run.pk}/articles/?faulty=true").json()["results"]
        assert [row["article"] for row in faulty] == [row["article"] for row in listed if row["missed"] or row["false"]]
        return page.content.decode(), {row["article"]: row for row in listed}

    return compare


def test_it_marks_true_and_false_positives_in_the_text(compared):
    page, rows = compared("NER")
    assert '<mark class="tp" title="true positive: Disease">asthma</mark>' in page
    assert '<mark class="fn fp" title="false negative: Disease; false positive: Disease">Asthma</mark>' in page
    assert '<mark class="fp" title="false positive: Disease"> after</mark>' in page
    assert ">Ibuprofen</mark> causes <mark" in page
    assert rows["301"]["found"] == ["asthma (15-21), Disease, mesh:D001249", "ulcers (69-75), Disease, mesh:D013276"]
    assert rows["301"]["missed"] == ["Asthma (22-28), Disease, mesh:D001249"]
    assert rows["302"]["false"] == ["Nothing (0-7), Disease, mesh:D004194"]


def test_it_names_the_causes_of_errors(compared, organizer):
    compared("NER")
    run = Run.objects.get()
    page = organizer.get(f"/runs/{run.pk}/").content.decode()
    assert "Error analysis" in page
    causes = organizer.get(f"/api/v1/runs/{run.pk}/analysis/").json()["causes"]
    assert sum(cause["number"] for cause in causes if not cause["miss"]) == 3


@pytest.mark.parametrize(("name", "groups_by"), [("NER", "Type of entity"), ("CID", "Type of relation")])
def test_it_counts_items_by_type(compared, organizer, name, groups_by):
    _, rows = compared(name)
    run = Run.objects.get()
    analysis = organizer.get(f"/api/v1/runs/{run.pk}/analysis/").json()
    assert analysis["groups_by"] == groups_by
    for kind in ("found", "missed", "false"):
        assert sum(group[kind] for group in analysis["groups"]) == sum(len(row[kind]) for row in rows.values())
    shown = organizer.get(f"/runs/{run.pk}/").content.decode()
    assert f'<th scope="col">{groups_by}</th>' in shown
    assert all(f'<th scope="row">{group["name"]}</th>' in shown for group in analysis["groups"])


def test_it_names_the_causes_of_errors_in_labels_and_relations(compared, organizer):
    found = {}
    for name in ("TOPIC", "CID"):
        compared(name)
        causes = organizer.get(f"/api/v1/runs/{Run.objects.latest('pk').pk}/analysis/").json()["causes"]
        found[name] = [(each["miss"], each["cause"], each["number"]) for each in causes]
    assert found["TOPIC"] == [(True, "overlooked", 1), (False, "not in the gold standard", 2)]
    assert (True, "one partner", 1) in found["CID"]


def test_the_comparison_needs_few_queries(compared, organizer):
    numbers = {}
    for name in ("NER", "NEL-ART"):
        compared(name)
        pk = Run.objects.latest("pk").pk
        with CaptureQueriesContext(connection) as queries:
            organizer.get(f"/runs/{pk}/articles/")
        numbers[name] = len(queries)
    assert numbers == {"NER": 15, "NEL-ART": 18}


def test_it_names_the_entities_that_it_knows(compared):
    Entry.objects.create(database="mesh", identifier="D001249", exists=True, name="Asthma")
    _, relations = compared("CID")
    assert relations["301"]["found"] == ["CID: Asthma (mesh:D001249) with mesh:D001241 (novelty: Novel)"]


def test_it_compares_identifiers_relations_and_labels(compared):
    _, entities = compared("NEL-ART")
    assert entities["303"]["missed"] == []
    assert entities["301"]["missed"] == ["ulcers, mesh:D014456, Disease"]
    _, relations = compared("CID")
    assert relations["301"]["found"] == ["CID: mesh:D001249 with mesh:D001241 (novelty: Novel)"]
    assert relations["301"]["missed"] == ["CID: mesh:D007052 with mesh:D014456 (novelty: No)"]
    assert relations["303"]["false"] == ["CID: mesh:D013629 with mesh:D001943 (novelty: No)"]
    _, labels = compared("TOPIC")
    assert (labels["301"]["found"], labels["301"]["missed"]) == (["safety"], ["treatment"])
    _, links = compared("NEL")
    assert links["303"]["missed"] == ["breast cancer (43-56), Disease, mesh:D009369"]


@pytest.mark.parametrize("name", OPEN_TASKS)
def test_it_has_a_baseline_an_ensemble_and_a_power_analysis(challenge_and_phase, team, alice, olga, upload, name):
    challenge, phase = challenge_and_phase
    task = challenge.tasks.get(name=name)
    _, _, gold, *contents = OPEN_TASKS[name]
    store_gold_sealed_or_open(task, phase, gold, "gold.txt")
    runs = [upload(name, content).run for content in contents]
    Run.objects.filter(pk=runs[1].pk).update(team=Team.objects.create(name="Team Beta", slug="team-beta"))
    source = None
    if task.kind == Kind.RELATION:
        with pytest.raises(ChallengeError, match="This baseline needs a run of entities"):
            store_baseline_runs_replacing_earlier(task, phase)
        source = upload("NEL-ART", GOLD).run
        assert list(list_source_runs_of_baseline(task, phase)) == [source]
    (baseline,) = store_baseline_runs_replacing_earlier(task, phase, source)
    assert compute_and_store_run_scores(baseline).figures["label_micro_f1" if name == "TOPIC" else "micro_f1"] > 0
    for run in runs:
        compute_and_store_run_scores(run)
    tasks.rank_stale_boards_unless_busy()
    board = build_board_visible_to_user(task, phase, olga)
    assert len(board.rows) == 3
    assert board.ensemble is not None
    assert board.ensemble.cells[0].value is not None
    # Only one article has relations that count in both tasks of them.
    source = compute_power_from_training_or_assumed_variation(task, phase).source
    assert source.startswith("Assumed" if task.kind == Kind.RELATION else "Estimated")


def test_its_baseline_of_relations_relates_entities_by_their_types(challenge_and_phase, upload, organizer):
    challenge, phase = challenge_and_phase
    store_gold_sealed_or_open(challenge.tasks.get(name="REL"), phase, GOLD, "gold.txt")
    unlinked = pubtator(_301=("15\t21\tasthma\tDisease",))
    nothing, source = upload("NER", unlinked).run, upload("NEL-ART", GOLD).run
    address = "/challenges/open-tasks/training/REL/"
    assert f"{source.name} (run {source.pk})</option>" in organizer.get(address).content.decode()
    assert (
        "no two entities"
        in organizer.post(f"{address}baselines/", {"proteins": nothing.pk}, follow=True).content.decode()
    )
    organizer.post(f"{address}baselines/", {"proteins": source.pk})
    baseline = Run.objects.get(sort=Run.Source.BASELINE)
    assert baseline.name == f"Baseline: all related types of run {source.pk}"
    found = [
        (result.article.pmid, annotation.type, frozenset(annotation.curies))
        for result in baseline.producer.results.select_related("article")
        for annotation in result.annotations.all()
    ]
    # Chemicals and diseases are related in training; two diseases, as in "breast cancer", are not.
    assert len(found) == 6 and {pmid for pmid, *_ in found} == {301, 303}
    assert (301, "CID", frozenset({"mesh:D001241", "mesh:D001249"})) in found


def test_it_scores_what_both_runs_report_as_the_ensemble(challenge_and_phase, olga, upload):
    challenge, phase = challenge_and_phase
    task = challenge.tasks.get(name="NER")
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt")
    same = RUN + b"\n"
    runs = [upload("NER", content).run for content in (RUN, same)]
    Run.objects.filter(pk=runs[1].pk).update(team=Team.objects.create(name="Team Beta", slug="team-beta"))
    for run in runs:
        compute_and_store_run_scores(run)
    tasks.rank_stale_boards_unless_busy()
    board = build_board_visible_to_user(task, phase, olga)
    cells = [[cell.value for cell in row.cells] for row in (*board.rows, board.ensemble)]
    assert cells[0] == cells[1] == cells[2]


# {task: kind, settings, file of the run, counts of the organizers' own scorer}
CDR_TASKS = {
    "DNER": (Kind.MENTION, {"entity_types": ["Disease"]}, "test.DNER.PubTator.gz", [303, 105, 121]),
    "DNER-ID": (Kind.ENTITY, {"entity_types": ["Disease"]}, "test.DNER.BioC.xml.gz", [149, 57, 65]),
    "CID": (Kind.RELATION, {"matching": {"relation": "direction"}}, "test.CID.PubTator.gz", [90, 533, 33]),
}


def make_cdr_corpus(content):
    corpus = Corpus.objects.create(slug="cdr", name="CDR")
    texts = {}
    for line in content.decode().splitlines():
        if line.count("|") >= 2 and (part := line.split("|", 2))[1] in "ta" and part[0].isdigit():
            texts.setdefault(int(part[0]), []).append(part[2])
    for position, (pmid, parts) in enumerate(texts.items(), 1):
        passages = [{"type": name, "text": text} for name, text in zip(("title", "abstract"), parts, strict=True)]
        article = Article.objects.create(pmid=pmid, passages=passages, text="\n".join(parts), content_hash="0" * 64)
        CorpusArticle.objects.create(corpus=corpus, article=article, position=position)
    return corpus


@pytest.mark.shared
def test_its_boards_have_the_counts_of_the_organizers_of_cdr(olga, team, alice):
    folder = ("scorers", "bc5cdr")
    gold = gzip.decompress(require_shared_path(*folder, "CDR_sample.gold.PubTator.gz").read_bytes())
    challenge = create_listed_challenge("CDR", "cdr", "Chemicals and diseases.", olga)
    phase = creation.create_phase_claiming_blind_corpus(challenge, "training", make_cdr_corpus(gold))
    for name, (kind, settings, file, counts) in CDR_TASKS.items():
        task = creation.create_task(challenge, name, kind, name, settings=read_task_settings(settings))
        store_gold_sealed_or_open(task, phase, gold, "gold.PubTator")
        content = gzip.decompress(require_shared_path(*folder, f"CDR_sample.{file}").read_bytes())
        submission = RunSubmission("", "", file.removesuffix(".gz"), content)
        own = intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, alice)
        assert own.state == "taken", own.located_faults[:5]
        compute_and_store_run_scores(own.run)
        (row,) = build_board_visible_to_user(task, phase, olga).rows
        shown = {cell.measure.name: cell.value for cell in row.cells}
        assert [shown[f"micro_{each}"] for each in ("tp", "fp", "fn")] == counts
