"""Runs and gold standards with texts that differ slightly from those of the articles, stored and listed."""

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.results.models import CARRIED_TEXT, Result
from annotations.schema import Kind
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.runs.models import Run
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from tests.integration.open_task_cast import TEXTS, make_open_challenge

pytestmark = pytest.mark.django_db
ABSTRACT = TEXTS[301][1].replace("is rare", "is  rare").replace("ulcers", "wounds")
TEXT = f"{TEXTS[301][0]}\n{ABSTRACT}"


def write_file(*words):
    """A file of two articles: one with another abstract and these words, the other unchanged."""
    lines = [f"301|t|{TEXTS[301][0]}", f"301|a|{ABSTRACT}"]
    lines += [f"301\t{TEXT.index(each)}\t{TEXT.index(each) + len(each)}\t{each}\tDisease" for each in words]
    lines += ["", f"303|t|{TEXTS[303][0]}", f"303|a|{TEXTS[303][1]}", "303\t0\t6\tCancer\tDisease", ""]
    return "\n".join(lines).encode()


@pytest.fixture
def challenge_and_phase(olga):
    return make_open_challenge(olga)


def list_stored(producer):
    current = Result.objects.filter(producer=producer, superseded__isnull=True, article__pmid__in=(301, 303))
    return {
        result.article.pmid: (
            [(each.start, each.text) for each in result.annotations.order_by("start")],
            result.moved_from,
            result.not_movable,
        )
        for result in current.select_related("article")
    }


def test_a_run_is_stored_with_moved_mentions_and_lists_the_others(challenge_and_phase, team, alice):
    challenge, phase = challenge_and_phase
    content = write_file("asthma", "Ibuprofen", "wounds")
    submission = RunSubmission("moved", "", "run.txt", content)
    upload = intake.store_run_upload_and_process_or_enqueue(
        submission, challenge.tasks.get(name="NER-ALL"), phase, team, alice
    )
    assert upload.state == "taken"
    stored = f"{TEXTS[301][0]}\n{TEXTS[301][1]}"
    assert list_stored(Run.objects.get(upload=upload).producer) == {
        301: ([(stored.index(each), each) for each in ("asthma", "Ibuprofen")], CARRIED_TEXT, 1),
        303: ([(0, "Cancer")], None, None),
    }
    assert [(row[0], row[2]) for row in upload.warnings] == [(5, "R726")]


def test_a_gold_standard_is_moved_or_refused(challenge_and_phase):
    challenge, phase = challenge_and_phase
    task = challenge.tasks.get(name="NER-ALL")
    gold = store_gold_sealed_or_open(task, phase, write_file("asthma", "Ibuprofen"), "gold.txt")
    moved = list_stored(gold.producer)
    assert [entry[1:] for entry in moved.values()] == [(CARRIED_TEXT, 0), (None, None)]
    assert [text for _, text in moved[301][0]] == ["asthma", "Ibuprofen"]
    with pytest.raises(RefusedFileError) as refused:
        store_gold_sealed_or_open(task, phase, write_file("asthma", "wounds"), "gold.txt")
    assert [(fault.rule, fault.line) for fault in refused.value.faults] == [("R726", 4)]


def test_a_gold_standard_of_gene_mentions_is_moved_or_refused(challenge_and_phase):
    challenge, phase = challenge_and_phase

    task = creation.create_task(challenge, "GM", Kind.MENTION, "Genes")
    content = write_file("asthma", "Ibuprofen").replace(b"Disease", b"Gene")
    gold = store_gold_sealed_or_open(task, phase, content, "gold.txt")
    moved = list_stored(gold.producer)
    assert ([text for _, text in moved[301][0]], moved[301][1:]) == (["asthma", "Ibuprofen"], (CARRIED_TEXT, 0))
    with pytest.raises(RefusedFileError) as refused:
        content = write_file("asthma", "wounds").replace(b"Disease", b"Gene")
        store_gold_sealed_or_open(task, phase, content, "gold.txt")
    assert {(fault.rule, fault.line) for fault in refused.value.faults} == {("R726", 4)}


def test_mentions_that_are_moved_to_one_place_count_once_unless_their_types_differ(challenge_and_phase, team, alice):
    """Of two words with two spaces between them, “is” and “is ” are the same mention where there is one space."""
    challenge, phase = challenge_and_phase
    content = write_file("is", "is ")
    place = TEXT.index("is  rare")
    content = content.replace(b"301\t%d" % TEXT.index("is"), b"301\t%d" % place)
    content = content.replace(b"\t%d\tis" % (TEXT.index("is") + 2), b"\t%d\tis" % (place + 2))
    content = content.replace(b"\t%d\tis " % (TEXT.index("is ") + 3), b"\t%d\tis " % (place + 3))
    other_type = content.replace(b"is \tDisease", b"is \tChemical")
    genes = content.replace(b"Disease", b"Gene")
    task = creation.create_task(challenge, "GM", Kind.MENTION, "Genes")
    found = [
        list_stored(store_gold_sealed_or_open(of, phase, file, "gold.txt").producer)[301]
        for of, file in ((task, genes), (challenge.tasks.get(name="NER-ALL"), content))
    ]
    assert [(len(words), *rest) for words, *rest in found] == 2 * [(1, CARRIED_TEXT, 0)]
    kept = store_gold_sealed_or_open(challenge.tasks.get(name="NER-ALL"), phase, other_type, "gold.txt")
    assert [text for _, text in list_stored(kept.producer)[301][0]] == ["is", "is"]
    submission = RunSubmission("moved", "", "run.txt", genes)
    upload = intake.store_run_upload_and_process_or_enqueue(submission, task, phase, team, alice)
    assert [text for _, text in list_stored(Run.objects.get(upload=upload).producer)[301][0]] == ["is"]
