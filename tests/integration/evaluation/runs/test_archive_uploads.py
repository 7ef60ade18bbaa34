"""Runs and gold standards in zip archives of brat standoff and of UIMA XMI, and what of a file is left out."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.results.models import Annotation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from tests.integration.open_task_cast import TEXTS, make_open_challenge

pytestmark = pytest.mark.django_db
LINES = {
    301: "T1\tDisease 15 21\tasthma\nN1\tReference T1 MESH:D001249\tasthma\nT2\tDisease 69 75\tulcers\n",
    302: "",
    303: "T1\tDisease 43 56\tbreast cancer\nA1\tCertain T1\n#1\tAnnotatorNotes T1\tReally?\n",
}
CAS = 'xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:a="http:///a.ecore"'


def zip_files(files):
    stream = BytesIO()
    with ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def write_brat(lines):
    files = {}
    for pmid, standoff in lines.items():
        files |= {f"run/{pmid}.txt": "\n".join(TEXTS[pmid]), f"run/{pmid}.ann": standoff}
    return zip_files(files)


def write_xmi(begin, end):
    text = "&#10;".join(TEXTS[301])
    mention = f'<a:Disease xmi:id="2" sofa="1" begin="{begin}" end="{end}" identifier="MESH:D001249"/>'
    sofa = f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString="{text}"/>'
    return zip_files({"301.xmi": f"<xmi:XMI {CAS}>{mention}{sofa}</xmi:XMI>"})


@pytest.fixture
def challenge_and_phase(olga):
    return make_open_challenge(olga)


@pytest.fixture
def upload(challenge_and_phase, team, alice):
    challenge, phase = challenge_and_phase

    def put(content, task="NER"):
        submission = RunSubmission(f"run {Run.objects.count()}", "", "run.zip", content)
        task = challenge.tasks.get(name=task)
        return intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, alice)

    return put


def list_mentions(producer):
    rows = Annotation.objects.filter(result__producer=producer, result__superseded__isnull=True)
    return sorted(rows.values_list("result__article__pmid", "start", "end", "text"))


@pytest.mark.parametrize(
    ("content", "form", "mentions"),
    [
        (write_brat(LINES), "brat", [(301, 15, 21, "asthma"), (301, 69, 75, "ulcers"), (303, 43, 56, "breast cancer")]),
        (write_xmi(15, 21), "uima-xmi", [(301, 15, 21, "asthma")]),
    ],
)
def test_it_stores_runs_and_gold_standards_in_archives(challenge_and_phase, upload, content, form, mentions):
    challenge, phase = challenge_and_phase
    taken = upload(content)
    assert (taken.state, taken.format) == ("taken", form)
    assert list_mentions(taken.run.producer) == mentions
    gold = store_gold_sealed_or_open(challenge.tasks.get(name="NER"), phase, content, "gold.zip")
    assert list_mentions(gold.producer) == mentions


def test_it_names_what_it_left_out_of_an_archive(upload):
    warnings = upload(write_brat(LINES)).located_warnings
    assert [(each.rule, each.line, each.wrong) for each in warnings] == [
        (
            "R660",
            1,
            "left out: attributes 1 (a mention has no attribute “Certain”; first in line 1, document “303”)",
        ),
        ("R660", 3, "left out: notes 1 (they are text for people; first in line 3, document “303”)"),
    ]


@pytest.mark.parametrize(
    ("content", "rule", "message"),
    [
        (
            write_brat({301: "T1\tDisease 15 21\tasthma\nR1\tBinds Arg1:T1 Arg2:T9\n"}),
            "R673",
            "run/301.ann: there is no annotation “T9” - correct the ID, or add the annotation",
        ),
        (
            write_brat({301: "T1\tDisease 90 95\tasthma\n"}),
            "R655",
            "run/301.ann: the mention ends at 95, but the text has only 76 characters - count code points of the text",
        ),
        (
            zip_files({"301.txt": "Aspirin"}),
            "R629",
            "the archive has neither .ann files of brat nor .xmi files - unpack it and use the file inside",
        ),
        (zip_files({}), "R629", "the file is compressed - decompress it and use the file inside"),
    ],
    ids=["no such mention", "outside", "no standoff", "empty archive"],
)
def test_it_refuses_archives_naming_the_file_inside(challenge_and_phase, upload, content, rule, message):
    challenge, phase = challenge_and_phase
    refused = upload(content)
    assert [(fault.rule, fault.message) for fault in refused.located_faults] == [(rule, message)]
    with pytest.raises(RefusedFileError) as refusal:
        store_gold_sealed_or_open(challenge.tasks.get(name="NER"), phase, content, "gold.zip")
    assert [fault.rule for fault in refusal.value.faults] == [rule]
