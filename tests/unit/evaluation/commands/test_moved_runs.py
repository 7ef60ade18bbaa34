"""`python -m evaluation` moves runs with slightly different texts to those of the gold standard, as the site does."""

import json
import subprocess
import sys

import pytest

from evaluation.__main__ import main

TITLE = "BRCA1 and breast cancer"
ABSTRACT = "We found that ERK 2 phosphorylates p53 in cells of mice. It is not clear whether ERK1 does so, too."
CHANGED = ABSTRACT.replace("We found that", "We  show that").replace(" p53", " (p54)")
WORDS = {"BRCA1": "Gene", "breast cancer": "Disease", "ERK 2": "Gene", "ERK1": "Gene"}


def write_document(abstract, words, name="7", relation=""):
    text = f"{TITLE}\n{abstract}"
    lines = [f"{name}|t|{TITLE}", f"{name}|a|{abstract}"]
    places = {each: text.index(each) for each in words}
    lines += [f"{name}\t{at}\t{at + len(each)}\t{each}\t{WORDS.get(each, 'Gene')}\t672" for each, at in places.items()]
    return "\n".join([*lines, *([relation] if relation else []), ""])


@pytest.fixture
def run_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(line, **files):
        for name, content in files.items():
            (tmp_path / f"{name}.txt").write_text(content)
        assert main(f"{line} {' '.join(f'{name}.txt' for name in files)}".split()) == 0
        printed = capsys.readouterr()
        return json.loads(printed.out), printed.err

    return run


def get_counts(printed, average="micro"):
    figures = printed["runs"][0]["figures"][average]
    return [figures[name] for name in ("tp", "fp", "fn")]


@pytest.mark.parametrize(
    ("options", "number"), [("--task ner", 4), ("--task nel --namespaces NCBIGene", 3), ("--task gm", 3)]
)
def test_a_run_is_scored_at_the_places_of_the_same_words(run_command, options, number):
    gold = write_document(ABSTRACT, WORDS)
    same, silent = run_command(f"score {options} --format json", run=gold, gold=gold)
    printed, notes = run_command(f"score {options} --format json", run=write_document(CHANGED, WORDS), gold=gold)
    assert get_counts(printed) == get_counts(same) == [number, 0, 0]
    # The words before the parentheses are where they were.
    note = "annotations moved to the slightly different text of the gold standard: 1 in 1 of its documents\n"
    assert f"run.txt: warning: {note}" in notes and "moved" not in silent


@pytest.mark.parametrize("task", ["ner", "gm"])
def test_annotations_whose_words_are_gone_are_left_out_and_listed(run_command, task):
    gold = write_document(ABSTRACT, ["BRCA1", "ERK1"])
    run = write_document(CHANGED, ["BRCA1", "p54", "ERK1"])
    printed, notes = run_command(f"score --task {task} --format json", run=run, gold=gold)
    assert get_counts(printed) == [2, 0, 0]
    assert "run.txt:4:1: R726 warning: the text of “7” does not have the words “p54” at this place - write" in notes
    assert "left out because the text does not have their words (R726): 1" in notes


def test_compare_and_causes_move_runs_too(run_command):
    gold = write_document(ABSTRACT, ["BRCA1", "ERK1"])
    one, two = write_document(CHANGED, ["BRCA1", "ERK1"]), write_document(CHANGED, ["BRCA1"])
    compared, notes = run_command("compare --task ner --format json --samples 10", one=one, two=two, gold=gold)
    assert [own["micro.f1"] for own in compared["runs"]] == [1.0, pytest.approx(2 / 3)]
    assert notes.count("moved to the slightly different text") == 1
    causes, _ = run_command("causes --task ner --format json", run=one, gold=gold)
    assert causes == {"causes": [], "faults": []}


def test_relations_are_moved_with_their_arguments_and_entities_of_articles_are_not(run_command):
    gold, run = (write_document(text, ["BRCA1", "ERK1"], relation="7\tBind\t672\t672") for text in (ABSTRACT, CHANGED))
    for options in ("--task nel --match identifiers=article", "--task relations"):
        printed, notes = run_command(f"score {options} --format json", run=run, gold=gold)
        assert get_counts(printed)[1:] == [0, 0] and "moved" not in notes


@pytest.mark.parametrize("text", [f"7|t|{TITLE}\n7|a|{ABSTRACT}", "", f"7|t|Another gene\n7|a|{'It is ERK3. ' * 20}"])
def test_equal_missing_and_other_texts_are_unit_before(run_command, text):
    """Of another text, and of no text, positions are those of the gold standard."""
    gold = write_document(ABSTRACT, ["BRCA1", "ERK1"])
    run = "\n".join([*filter(None, [text]), *gold.splitlines()[2:], ""])
    printed, notes = run_command("score --task ner --format json", run=run, gold=gold)
    assert get_counts(printed) == [2, 0, 0] and "moved" not in notes


@pytest.mark.parametrize("shifted", ["run", "gold"])
def test_a_file_that_counts_in_another_text_than_it_has_is_not_moved(run_command, shifted):
    """As the BioC files of BioCreative V CDR do, in which the offsets of some abstracts are too large."""
    right = write_document(ABSTRACT, ["ERK 2", "ERK1"])
    files = {"run": right, "gold": right} | {shifted: right.replace("7|a|We", "7|a|    We")}
    printed, notes = run_command("score --task ner --format json", **files)
    assert get_counts(printed) == [2, 0, 0] and "moved" not in notes


@pytest.mark.parametrize(("abstract", "loaded"), [(ABSTRACT, False), (CHANGED, True)])
def test_nothing_more_is_loaded_for_files_with_the_same_texts(tmp_path, abstract, loaded):
    (tmp_path / "run.txt").write_text(write_document(abstract, ["BRCA1"]))
    (tmp_path / "gold.txt").write_text(write_document(ABSTRACT, ["BRCA1"]))
    code = (
        "import sys; from evaluation.__main__ import main; main(sys.argv[1:]); "
        "print('annotations.articles.text_alignment' in sys.modules, file=sys.stderr)"
    )
    paths = [str(tmp_path / name) for name in ("run.txt", "gold.txt")]
    done = subprocess.run(
        [sys.executable, "-c", code, "score", "--task", "ner", *paths], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == str(loaded)
