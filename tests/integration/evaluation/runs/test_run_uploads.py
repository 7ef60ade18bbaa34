"""Uploaded runs: what is taken in and refused, what counts, and who may do what with them."""

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.models import Annotation, Producer, Result
from annotations.schema import Kind
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.training_progress import has_final_training_upload_or_no_training_phase
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.runs.models import Run
from evaluation.runs.run_page.withdrawal_and_final_tag import (
    set_run_final_in_open_phase,
    withdraw_and_hide_run_if_allowed,
)
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.eligibility import count_upload_allowance, lock_team_for_upload
from evaluation.runs.uploads.file_check import MAX_CHECKED_BYTES, check_run_without_storing
from evaluation.runs.uploads.models import Upload, UploadedFile
from evaluation.runs.uploads.submission import RunSubmission
from evaluation.tasks import process_run_uploads_unless_busy
from tests.integration.evaluation_cast import get_article

pytestmark = pytest.mark.django_db

GOOD = b"101\t9606\t0.9\n102\t10090\t0.8\n999\t9606\t0.7\n"
BAD = b"101\thuman\t0.9\n102\t10090\t1.5\n"


@pytest.fixture
def task(challenge):
    return challenge.tasks.get(name="TX")


@pytest.fixture
def put(task, training, team, alice):
    """Uploads for Team Alpha by Alice, but for what is said."""

    def upload(content, name="", *, phase=training, by=alice, source="run.tsv"):
        return intake.store_run_upload_and_process_or_enqueue(
            RunSubmission(name, "first try", source, content), task, phase, team, by
        )

    return upload


def refusal(put, *arguments, **options):
    with pytest.raises(ChallengeError) as refused:
        put(*arguments, **options)
    return str(refused.value)


def test_it_takes_a_run_in(put, training, task, team, alice):
    own = put(GOOD, "Mine")
    run = own.run
    assert (own.state, own.format, own.unknown, own.unknown_names, own.by) == ("taken", "tsv", 1, ["999"], alice)
    assert (run.name, run.sort, run.team, run.task, run.phase) == ("Mine", "upload", team, task, training)
    assert (run.producer.sort, run.producer.public) == ("run", False)
    rows = Result.objects.filter(producer=run.producer).order_by("article__pmid")
    assert [(row.article.pmid, row.kind) for row in rows] == [(101, "taxon"), (102, "taxon")]
    said = Annotation.objects.filter(result__in=rows).order_by("result__article__pmid")
    assert list(said.values_list("database", "identifier", "confidence", "rank")) == [
        ("ncbitaxon", "9606", 0.9, None),
        ("ncbitaxon", "10090", 0.8, None),
    ]
    assert intake.read_upload_content(own) == GOOD


def test_it_takes_as_many_results_of_an_article_as_the_phase_says_of_their_kind(put, training):
    training.upload_caps = {"normalization": 1, "taxon": 2}
    training.save()
    assert put(b"101\t9606\n101\t10090\n", "two").state == "taken"
    refused = put(b"101\t9606\n101\t10090\n101\t10116\n", "three")
    assert [(fault.line, fault.rule, fault.message) for fault in refused.located_faults] == [
        (3, "R714", "article “101” has more than 2 organisms, the cap of the phase - leave out the least certain")
    ]


def test_it_stores_nothing_of_a_refused_file_and_counts_the_try(put, team, task, training):
    own = put(BAD)
    assert (own.state, own.run) == ("refused", None)
    assert [(fault.line, fault.column, fault.rule) for fault in own.located_faults] == [
        (1, 5, "R712"),
        (2, 11, "R607"),
    ]
    assert not (Run.objects.exists() or UploadedFile.objects.exists() or Producer.objects.filter(sort="run").exists())
    assert str(count_upload_allowance(team, task, training)) == "0 of 5 runs used, 1 file uploaded"
    put(GOOD)
    assert str(count_upload_allowance(team, task, training)) == "1 of 5 runs used, 2 files uploaded"


def test_it_takes_as_many_runs_as_the_phase_allows(put, training):
    Phase.objects.filter(pk=training.pk).update(offline_runs=2)
    training.refresh_from_db()
    put(GOOD, "1"), put(GOOD + b"103\t9606\t0.5\n", "2")
    assert "has used its 2 runs of TX in this phase." in refusal(put, GOOD + b"104\t9606\t0.5\n", "3")
    assert Upload.objects.count() == 2


def test_it_counts_once_more_before_it_stores(put, training, monkeypatch):
    """Two files come in at once for the last run: the one that is stored later is refused."""
    Phase.objects.filter(pk=training.pk).update(offline_runs=0)
    training.refresh_from_db()
    monkeypatch.setattr(intake, "check_may_upload_run", lambda *_: None)
    own = put(GOOD)
    assert (own.state, own.located_faults[0].rule) == ("refused", "R716")
    assert not Run.objects.exists()


def test_it_takes_no_file_twice_and_no_name_twice(put):
    put(GOOD, "Mine")
    assert "You uploaded this file already, as run Mine" in refusal(put, GOOD, "Other")
    assert "already has a run mine here" in refusal(put, GOOD + b"103\t9606\t0.5\n", "mine")


def test_it_takes_a_file_that_is_sent_twice_at_once_as_one_run(put, monkeypatch):
    """The button was pressed twice: the other request came through first."""
    one_by_one = lock_team_for_upload

    def meanwhile(team):
        monkeypatch.setattr(intake, "lock_team_for_upload", one_by_one)
        put(GOOD)
        one_by_one(team)

    monkeypatch.setattr(intake, "lock_team_for_upload", meanwhile)
    assert "You uploaded this file already, as run run" in refusal(put, GOOD)


def test_it_takes_a_large_file_that_is_sent_twice_as_one_run(put, monkeypatch):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", 10)
    assert put(GOOD).state == "waiting"
    assert "is already being processed" in refusal(put, GOOD, "Other")
    assert "is already being processed" in refusal(put, GOOD + b"103\t9606\t0.5\n")
    assert process_run_uploads_unless_busy() == "taken"
    assert "You uploaded this file already, as run run" in refusal(put, GOOD)


def test_it_names_a_run_after_its_file(put):
    assert put(GOOD, source="C:/runs/best try.tsv").name == "best try"


def test_it_makes_foreign_text_fit_to_be_stored(put):
    own = put(b"1\x01\t9606\t0.5\n" + GOOD, "A\0B\x1b[1m", source="a\0\r\n.tsv")
    assert own.state == "taken"
    assert ("\0" in own.name + own.source, own.unknown_names) == (False, ["1\ufffd", "999"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"opens": timedelta(hours=1)}, "opens on"),
        ({"closes": timedelta(hours=-1)}, "closed on"),
        ({"frozen": timedelta()}, "have frozen"),
    ],
)
def test_it_takes_nothing_when_the_phase_does_not_stand_open(put, training, change, words):
    Phase.objects.filter(pk=training.pk).update(**{name: timezone.now() + by for name, by in change.items()})
    training.refresh_from_db()
    assert words in refusal(put, GOOD)


def test_it_takes_files_of_members_only(put, carol, olga):
    for user in (carol, olga):
        assert "Only members of Team Alpha may upload its runs" in refusal(put, GOOD, by=user)


def test_it_takes_files_of_teams_that_take_part(put, challenge, training):
    challenge.terms = "Be fair."
    challenge.save()
    training.refresh_from_db()
    assert "accepted the terms" in refusal(put, GOOD)


def test_it_says_when_a_file_is_empty_or_too_large(put, monkeypatch):
    monkeypatch.setattr("evaluation.runs.uploads.submission.MAX_RUN_BYTES", 10)
    assert "larger than" in refusal(put, GOOD)
    assert "The file is empty" in refusal(put, b"")


def test_it_leaves_a_large_file_to_a_worker(put, monkeypatch):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", 10)
    own = put(GOOD)
    assert (own.state, own.run) == ("waiting", None)
    assert process_run_uploads_unless_busy() == "taken"
    own.refresh_from_db()
    assert (own.state, own.run.name) == ("taken", "run")
    assert process_run_uploads_unless_busy() == "none"


def test_it_takes_up_what_another_worker_died_over_but_not_for_ever(put, monkeypatch):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", 10)
    first, second = put(GOOD), put(GOOD + b"103\t9606\t0.5\n", "2")
    Upload.objects.filter(pk=first.pk).update(state="storing", begun=2)
    Upload.objects.filter(pk=second.pk).update(state="checking", begun=3)
    assert process_run_uploads_unless_busy() == "taken, failed"
    second.refresh_from_db()
    assert second.state == "failed"


def test_it_counts_no_fault_of_ours(put, monkeypatch, team, task, training):
    monkeypatch.setattr(intake, "MAX_IMMEDIATE_BYTES", 10)
    put(GOOD)
    monkeypatch.setattr(intake, "read_and_check_run_content", lambda *_, **__: 1 / 0)
    assert process_run_uploads_unless_busy() == "failed"
    assert count_upload_allowance(team, task, training).tries == 0


def test_it_tells_of_a_file_without_storing_anything(task, training):
    told = check_run_without_storing(RunSubmission("", "", "run.tsv", GOOD), task, training)
    assert (told.results, told.articles, told.unknown, told.unknown_names) == (3, 3, 1, ["999"])
    assert not Upload.objects.exists()
    with pytest.raises(ChallengeError, match=r"larger than 8 MiB, too large to be checked here. Upload it"):
        check_run_without_storing(RunSubmission("", "", "run.tsv", GOOD.ljust(MAX_CHECKED_BYTES + 1)), task, training)


def test_it_knows_the_articles_of_a_blind_phase_by_their_opaque_ids_only(put, testing):
    opaque = get_article(201).opaque
    refused = put(b"201\t9606\n10.1000/202\t9606\n", phase=testing)
    assert [fault.rule for fault in refused.located_faults] == ["R713"]
    taken = put(f"{opaque}\t9606\n201\t9606\n".encode(), phase=testing)
    assert (taken.state, taken.unknown_names) == ("taken", ["201"])


def test_it_takes_an_opaque_id_for_no_name_of_an_article_that_has_others(put, training):
    """Whoever has ids of a blind test that shares an article with this phase does not learn which one it is."""
    known, nameless = Article.objects.get(pmid=101), Article.objects.get(pmid=102)
    Article.objects.filter(pk=nameless.pk).update(pmid=None, doi="")
    own = put(f"{known.opaque}\t9606\n{nameless.opaque}\t9606\n10.1000/103\t9606\n".encode())
    assert own.unknown_names == [known.opaque]
    articles = Result.objects.filter(producer=own.run.producer).values_list("article", flat=True)
    assert set(articles) == {nameless.pk, Article.objects.get(pmid=103).pk}


def test_it_asks_for_final_training_runs_before_the_test(put, testing, challenge, team, training):
    Phase.objects.filter(pk=testing.pk).update(final_first=True)
    testing.refresh_from_db()
    own = put(GOOD)
    assert "has no final run in the training phase yet" in refusal(put, GOOD, phase=testing)
    assert not has_final_training_upload_or_no_training_phase(team, challenge)
    set_run_final_in_open_phase(own.run, is_final=True)
    assert has_final_training_upload_or_no_training_phase(team, challenge)
    assert put(f"{get_article(201).opaque}\t9606\n".encode(), phase=testing).state == "taken"


def test_it_withdraws_a_run_where_the_rules_allow_it(put, training, team, task):
    run = Run.objects.select_related("phase").get(pk=put(GOOD).run.pk)
    with pytest.raises(ChallengeError, match="Runs cannot be withdrawn in this phase"):
        withdraw_and_hide_run_if_allowed(run)
    run.phase.may_withdraw = True
    withdraw_and_hide_run_if_allowed(run)
    run.refresh_from_db()
    assert run.withdrawn
    assert count_upload_allowance(team, task, training).used == 0
    with pytest.raises(ChallengeError, match="is withdrawn"):
        set_run_final_in_open_phase(run, is_final=True)
    assert put(GOOD).state == "taken"
    publish_phase_or_request_if_sealed(training)
    run.producer.refresh_from_db()
    assert not run.producer.public


def test_it_opens_a_run_that_is_uploaded_after_publication(put, training):
    publish_phase_or_request_if_sealed(training)
    training.refresh_from_db()
    later = put(GOOD).run
    later.producer.refresh_from_db()
    assert later.producer.public


NAMED_XML = b"""<ENTRY><PPI_SUB_TASK_ID>BC2_PPI_IPS</PPI_SUB_TASK_ID><TEAM_ID>1</TEAM_ID><RUN_NR>1</RUN_NR>
<PMID>101</PMID>
<INTERACTION_PAIR><INTERACTOR_1>P53_HUMAN</INTERACTOR_1><INTERACTOR_2>E3 ligase Mdm2</INTERACTOR_2><RANK>1</RANK>
</INTERACTION_PAIR></ENTRY><ENTRY><PPI_SUB_TASK_ID>BC2_PPI_IPS</PPI_SUB_TASK_ID><TEAM_ID>1</TEAM_ID><RUN_NR>1</RUN_NR>
<PMID>102</PMID><INTERACTION_PAIR><INTERACTOR_1>P04637</INTERACTOR_1><INTERACTOR_2>TP53</INTERACTOR_2><RANK>1</RANK>
</INTERACTION_PAIR></ENTRY>"""


def test_it_repairs_xml_with_the_names_of_stored_entries(client, challenge, team, alice):
    """A name that two entries have is not repaired."""
    Entry.objects.bulk_create(
        [
            Entry(database="uniprot", identifier="P04637", exists=True, symbol="TP53"),
            Entry(database="uniprot", identifier="P02340", exists=True, symbol="Tp53"),
            Entry(database="uniprot", identifier="P53_HUMAN", exists=True, successors=["P04637"]),
            Entry(database="uniprot", identifier="Q00987", exists=True, name="E3 ligase MDM2"),
        ]
    )
    creation.create_task(challenge, "IPT", Kind.PAIR, "Pairs")
    client.force_login(alice)
    address = "/api/v1/challenges/example/training/IPT/runs/"

    def send(content, **fields):
        return client.post(address, {"file": SimpleUploadedFile("run.xml", content), **fields})

    refused = send(NAMED_XML).json()["errors"]
    assert [fault["code"] for fault in refused] == ["R642", "R642", "R642"]
    refused = send(NAMED_XML, repair="true").json()["errors"]
    assert [fault["message"].split(" - ")[0] for fault in refused] == ["“TP53” is not a UniProt accession"]
    own = send(NAMED_XML.replace(b">TP53<", b">Q00987<"), repair="true")
    assert own.status_code == 201
    assert [warning["message"] for warning in own.json()["warnings"]] == [
        "“P53_HUMAN” was read as P04637",
        "“E3 ligase Mdm2” was read as Q00987",
    ]
    assert {(one.identifier, one.partner) for one in Annotation.objects.filter(result__kind="pair")} == {
        ("P04637", "Q00987")
    }
    page = client.post(
        "/challenges/example/training/IPT/runs/",
        {"file": SimpleUploadedFile("other.xml", NAMED_XML), "repair": "on", "check": "1"},
    )
    assert b"was rejected with 1 error" in page.content


@pytest.mark.parametrize(("task", "is_offered"), [("IPT", True), ("TX", False)])
def test_the_repair_of_xml_is_offered_for_tasks_that_have_it(client, challenge, team, alice, task, is_offered):
    creation.create_task(challenge, "IPT", Kind.PAIR, "Pairs")
    client.force_login(alice)
    page = client.get(f"/challenges/example/training/{task}/runs/").content.decode()
    assert ("Repair BioCreative II XML" in page) == is_offered
