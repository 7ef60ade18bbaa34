"""`python -m servers.kit check`: every protocol as the loop speaks it, every rule told with how to mend it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.__main__ import main as evaluate
from servers.kit.__main__ import main
from servers.kit.checks.sample_articles import SAMPLE_ARTICLES
from tests.annotator import Annotator
from tests.fakeserver import dead
from tests.integration.kit_cast import (
    FOUND,
    list_reported_faults,
    mentions,
    one_article,
    rest_answer,
    run_kit_check,
    xmlrpc_answer,
)
from tests.taskserver import TaskServer

ROOT = Path(__file__).resolve().parents[4]


def document(text):
    said = [{"span": {"begin": at, "end": at + len(word)}, "obj": "Gene"} for at, word in mentions(text)]
    return {"text": text, "denotations": said}


def test_it_knows_where_the_words_of_its_samples_are():
    assert [
        [(word, f"{at}-{at + len(word)}") for at, word in mentions(sample.text)] for sample in SAMPLE_ARTICLES
    ] == FOUND


def test_it_passes_a_server_that_speaks_xmlrpc(capsys):
    with Annotator(xmlrpc_answer) as there:
        status = main(["check", there.url])
    said = capsys.readouterr().out
    assert status == 0
    assert "mention  0-5  BRCA1  confidence 0.9" in said
    assert said.endswith("The answers for 3 articles break no rule.\n")
    assert [sent["id"] for sent in there.asked] == [sample.identifier for sample in SAMPLE_ARTICLES]


@pytest.mark.parametrize(("send", "sent"), [("pmid", 90000001), ("text", SAMPLE_ARTICLES[0].text)])
def test_it_sends_what_is_wanted(capsys, send, sent):
    with Annotator(lambda _: {}) as there:
        assert main(["check", there.url, "--send", send]) == 0
    assert there.asked[0] == sent
    assert "The server returned no annotations" in capsys.readouterr().out


def test_it_passes_a_server_that_speaks_rest(capsys):
    with TaskServer(lambda asked: (200, {}, rest_answer(asked.json["text"]))) as there:
        status, report = run_kit_check(capsys, there.url, "--protocol", "rest")
    assert (status, report["passed"], list_reported_faults(report)) == (0, True, FOUND)


def test_it_waits_for_a_rest_server_that_answers_later(capsys):
    texts = []

    def behave(asked):
        if asked.method == "POST":
            texts.append(asked.json["text"])
            return 202, {"Location": "/tasks/1", "Retry-After": "0"}, {}
        polled = sum(each.method == "GET" for each in there.asked)
        return (202, {"Retry-After": "0"}, {}) if polled == 1 else (200, {}, rest_answer(texts[-1]))

    with TaskServer(behave) as there:
        status, report = run_kit_check(capsys, there.url, "--protocol", "rest")
    assert (status, list_reported_faults(report)) == (0, FOUND)
    assert [each.method for each in there.asked] == ["POST", "GET", "GET", "POST", "GET", "POST", "GET"]


def test_it_does_not_wait_longer_than_the_time_limit(capsys):
    with TaskServer(lambda asked: (202, {"Location": "/tasks/1", "Retry-After": "30"}, {})) as there:
        status, report = run_kit_check(capsys, there.url, "--protocol", "rest", "--time-limit", "5")
    assert status == 1
    assert {article["failure"]["code"] for article in report["articles"]} == {"no-answer"}


def test_it_passes_a_server_that_speaks_pubannotation(capsys):
    with TaskServer(lambda asked: (200, {}, document(asked.json["text"]))) as there:
        status, report = run_kit_check(capsys, there.url, "--protocol", "pubannotation")
    assert (status, list_reported_faults(report)) == (0, FOUND)


def test_it_asks_pubannotation_by_get_too(capsys):
    with TaskServer(lambda asked: (200, {}, {"denotations": []})) as there:
        place = f"{there.url}annotate?sourceid=_sourceid_"
        assert main(["check", place, "--protocol", "pubannotation", "--method", "get"]) == 0
    assert [(each.method, each.path) for each in there.asked[:1]] == [("GET", "/annotate?sourceid=90000001")]


def test_it_follows_a_task_of_pubannotation(capsys):
    texts = []

    def behave(asked):
        if asked.method == "POST":
            texts.append(asked.json["text"])
            return 201, {"Location": "/tasks/7", "Retry-After": "1"}, {}
        if asked.path == "/tasks/7":
            return 200, {}, {"status": "DONE", "result_location": "/tasks/7/result"}
        return 200, {}, document(texts[-1])

    with TaskServer(behave) as there:
        status, report = run_kit_check(capsys, there.url, "--protocol", "pubannotation", "--articles", one_article())
    assert (status, len(report["articles"])) == (0, 1)
    assert [each.path for each in there.asked] == ["/", "/tasks/7", "/tasks/7/result"]


def test_it_tells_every_broken_rule_with_how_to_mend_it(capsys):
    said = {"mentions": [{"offset": 1, "mention": "BRCA1", "confidence": 2.0}], "methods": [{"rank": 1}]}
    with Annotator(lambda sent: said) as there:
        status = main(["check", there.url, "--articles", str(one_article())])
    told = capsys.readouterr().out
    assert status == 1
    assert "BROKEN [R101] at mentions[0].confidence: The confidence is 2" in told
    assert "BROKEN [R105] at mentions[0].offset: The article has" in told
    assert "BROKEN [R201] at methods[0].miid" in told
    assert told.count("What to do: ") == 3
    assert "would be stored: nothing" in told
    assert told.endswith("The answers for 1 of 1 article break rules or are missing.\n")


def test_it_tells_no_more_than_a_person_reads(capsys):
    with Annotator(lambda sent: {"taxons": [{"taxid": number} for number in range(-40, 40)]}) as there:
        assert main(["check", there.url, "--articles", str(one_article())]) == 1
    told = capsys.readouterr().out
    assert (told.count("  taxon  "), told.count("BROKEN")) == (10, 10)
    assert "and 29 more" in told
    assert "and 31 more" in told


def test_it_keeps_the_terminal_from_what_a_server_says(capsys):
    said = {"annotations": {"mention": [{"start": 0, "end": 1, "text": "\x1b[2J"}]}, "version": "2.5\x1b[2J"}
    with TaskServer(lambda asked: (200, {}, said)) as there:
        assert main(["check", there.url, "--protocol", "rest"]) == 1
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "  version of the system: 2.5" in told


def test_it_diagnoses_a_server_that_is_not_there(capsys):
    with dead() as url:
        assert main(["check", url]) == 1
    told = capsys.readouterr().out
    assert told.count("FAILED [refused]") == 3
    assert "What to do: Start the server" in told
    assert told.endswith("The answers for 3 of 3 articles break rules or are missing.\n")


def test_it_reports_to_programs(capsys):
    with Annotator(xmlrpc_answer) as there:
        _, report = run_kit_check(capsys, there.url, "--kinds", "mention")
    assert set(report) == {"passed", "articles"}
    article = report["articles"][0]
    assert set(article) == {
        *("id", "passed", "seconds", "phases", "stated_version", "failure", "broken_rules", "notes", "omitted"),
        *("stored", "findings", "types", "namespaces"),
    }
    assert (article["id"], article["failure"], article["stored"]) == ("90000001", None, {"mention": 1})
    assert article["findings"] == [
        {"kind": "mention", "what": "BRCA1", "type": "", "where": "0-5", "confidence": 0.9, "rank": None}
    ]


def test_it_notes_what_is_not_kept(capsys):
    with Annotator(xmlrpc_answer) as there:
        status, report = run_kit_check(capsys, there.url, "--kinds", "taxon")
    assert status == 0
    assert "was ignored" in report["articles"][0]["notes"][0]


def read_usage_error(capsys, *arguments):
    """The sentence for wrong usage."""
    with pytest.raises(SystemExit) as stopped:
        main(["check", "http://127.0.0.1:9/", *map(str, arguments)])
    assert stopped.value.code == 2
    return capsys.readouterr().err.rpartition("error: ")[2]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it has no articles"),
        (b"\n\n", "it has no articles"),
        (b"nonsense\n", "line 1 is not JSON"),
        (b'{"id": "1", "title": "A"}\n[]\n', "line 2 is not a JSON object"),
        (b'{"title": "A"}', 'line 1: "id" is missing'),
        (b'{"id": "1"}', 'line 1: "title" is missing'),
        (b'{"id": "1", "title": "  "}', 'line 1: "title" is missing'),
        (b'{"id": "1", "title": "A", "abstract": 3}', 'line 1: "abstract" is missing'),
        (b'{"id": "1", "title": "A\\nB"}', '"title" contains'),
        (b'{"id": "1|2", "title": "A"}', '"id" contains'),
        (b'{"id": "1", "title": "A\\ud800"}', '"title" contains'),
        (b'{"id": "1", "title": "A", "pmid": "1"}', '"pmid" is not a PMID'),
        (b'{"id": "1", "title": "A"}\n{"id": 1, "title": "B"}', "2 articles have the id '1'"),
        (b'{"id": "1", "title": "\xff"}', "is not UTF-8"),
    ],
)
def test_it_says_what_is_wrong_with_a_file_of_articles(capsys, tmp_path, content, words):
    path = tmp_path / "articles.jsonl"
    path.write_bytes(content)
    said = read_usage_error(capsys, "--articles", path)
    assert words in said
    assert "articles.jsonl" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--articles", "nowhere.jsonl"], "No such file"),
        (["--kinds", "mention,gene"], "There is no kind 'gene'; the kinds are mention, "),
        (["--protocol", "pubannotation", "--method", "PUT"], "GET or POST, not 'PUT'"),
        (["--protocol", "becalm", "--listen", "70000"], "choose another"),
        (["--time-limit", "0"], "above 0"),
        (["--time-limit", "nan"], "above 0"),
        (["--time-limit", "soon"], "not a number of seconds"),
        (["--results", "one.jsonl/folder"], "Not a directory"),
    ],
)
def test_it_says_what_is_wrong_with_its_arguments(capsys, arguments, words):
    one_article()
    assert words in read_usage_error(capsys, *arguments)


def test_it_sends_articles_of_ones_own(capsys, tmp_path):
    path = tmp_path / "articles.jsonl"
    path.write_text('\ufeff{"id": "opaque-1", "title": "A", "abstract": null}\n{"id": 12, "title": "B"}\n', "utf-8")
    with TaskServer(lambda asked: (200, {}, {})) as there:
        assert main(["check", there.url, "--protocol", "rest", "--articles", str(path)]) == 0
    sent = [each.json for each in there.asked]
    assert [(each["id"], each.get("pmid"), each["text"]) for each in sent] == [("opaque-1", None, "A"), ("12", 12, "B")]


EVERYTHING = {
    "interaction": [True, 0.7],
    "normalizations": [
        {"dbname": "EntrezGene", "dbid": "672", "confidence": 1.0, "rank": 1},
        {"dbname": "UniProt", "dbid": "P38398", "confidence": 0.00001, "rank": 2},
        {"dbname": "UniProt", "dbid": "Q99728", "confidence": 0.000001, "rank": 3},
    ],
    "taxons": [{"taxid": 9606, "confidence": 0.9}],
    "pairs": [{"dbname": "UniProt", "a": "P38398", "b": "Q99728", "rank": 1, "confidence": 0.5}],
    "methods": [{"miid": "MI:0018", "rank": 1}],
}


def make_full_answer(sent):
    """One of all, the passage broken where the article has a space."""
    passage = {"dbname": "UniProt", "a": "P38398", "b": "Q99728", "passage": sent["text"][:30].replace(" ", "\n")}
    return EVERYTHING | xmlrpc_answer(sent) | {"passages": [passage | {"rank": 1}]}


@pytest.mark.parametrize("task", ["act", "gn", "int", "tx", "ipt", "imt", "iss", "gm"])
def test_it_writes_results_that_the_evaluation_takes(capsys, tmp_path, task):
    with Annotator(make_full_answer) as there:
        assert main(["check", there.url, "--results", str(tmp_path / "a" / "b")]) == 0
    written = [line.rpartition("/")[2] for line in capsys.readouterr().err.splitlines()]
    assert sorted(written) == sorted(
        ["act.tsv", "gn.tsv", "int.tsv", "tx.tsv", "ipt.tsv", "imt.tsv", "iss.tsv", "gm.pubtator"]
    )
    [path] = (tmp_path / "a" / "b").glob(f"{task}.*")
    assert evaluate(["check", "--task", task, str(path)]) == 0
    numbers = {"int": "results: 6, articles: 3", "gm": "results: 2, articles: "}
    assert numbers.get(task, "results: 3, articles: 3") in capsys.readouterr().out


def test_it_writes_a_rank_or_confidence_only_where_all_rows_have_one(capsys, tmp_path):
    said = {"taxons": [{"taxid": 9606}, {"taxid": 10090, "confidence": 0.5}], "methods": EVERYTHING["methods"]}
    with Annotator(lambda sent: said) as there:
        main(["check", there.url, "--results", str(tmp_path), "--articles", str(one_article())])
    assert (tmp_path / "tx.tsv").read_text() == "7\t9606\n7\t10090\n"
    assert (tmp_path / "imt.tsv").read_text() == "7\tMI:0018\t1\n"


def test_it_keeps_the_places_of_mentions_in_the_files(capsys, tmp_path):
    path = tmp_path / "articles.jsonl"
    path.write_text(json.dumps({"id": "7", "title": "A", "abstract": "x\r\ny\u2028 \U0001d6fc CTNNB1"}) + "\n", "utf-8")
    with Annotator(xmlrpc_answer) as there:
        assert main(["check", there.url, "--results", str(tmp_path), "--articles", str(path)]) == 0
    assert (tmp_path / "gm.pubtator").read_text() == ("7|t|A\n7|a|x  y  \U0001d6fc CTNNB1\n7\t10\t16\tCTNNB1\tGene\n")


# What a clone has after `pip install requests defusedxml numpy`, and nothing else.
NO_SITE = """
import sys
from importlib.abc import MetaPathFinder

INSTALLED = {"requests", "urllib3", "certifi", "idna", "charset_normalizer", "defusedxml", "numpy"}
OURS = {"annotations", "servers", "bcms"}

class NoSite(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in OURS and not name.endswith(("settings", "models")):
            return None
        if top in sys.stdlib_module_names | INSTALLED or top.startswith("_sysconfigdata"):
            return None
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoSite())
from servers.kit.__main__ import main
sys.exit(main())
"""


def test_it_runs_without_django_or_settings():
    environment = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    with Annotator(xmlrpc_answer) as there:
        done = subprocess.run(
            [sys.executable, "-c", NO_SITE, "check", there.url],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("The answers for 3 articles break no rule.\n")


def test_it_ends_quietly_when_nobody_reads_on():
    with dead() as url:
        command = [sys.executable, "-m", "servers.kit", "check", url]
        running = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        running.stdout.close()
        said = running.stderr.read()
        assert (said, running.wait(60)) == ("", 1)
