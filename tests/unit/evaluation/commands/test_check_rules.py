"""`python -m evaluation check` and the site refuse the same files, with the same codes at the same lines."""

import json
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.formats.errors import RefusedFileError
from annotations.formats.tsv.result_reader import RUN_RULES
from evaluation.__main__ import main
from evaluation.commands.check import KINDS_BY_TASK
from evaluation.runs.files.run_checks import RunRequirements, read_and_check_run
from evaluation.runs.files.run_reader import RunTarget

TEXTS = {"101": "p53 binds Mdm2.\nIt is so. Here is more. And a third. And a fourth.", "102": "Nothing", "10.1/x": "A"}
ARTICLE_FILE = "".join(
    f"{name}\t{text.partition(chr(10))[0]}\t{text.partition(chr(10))[2]}\n" for name, text in TEXTS.items()
)
SENTENCES = "It is so. Here is more. And a third. And a fourth."
XML = """<ENTRY><PPI_SUB_TASK_ID>BC2_PPI_ISS</PPI_SUB_TASK_ID><TEAM_ID>1</TEAM_ID><RUN_NR>{run}</RUN_NR><PMID>101</PMID>
<INTERACTION_PAIR><INTERACTOR_1>P04637</INTERACTOR_1><INTERACTOR_2>Q00987</INTERACTOR_2></INTERACTION_PAIR>
<SENTENCE_RANK>{rank}</SENTENCE_RANK><SENTENCE_PASSAGE>p53 binds Mdm2.</SENTENCE_PASSAGE></ENTRY>"""
PAIR = "P04637\tQ00987"
# (task, run, codes): what the site refuses.
REFUSED = [
    ("tx", "101\tmouse\t0.5\n102\t9606\t0.5\n", ["1:5 R712"]),
    ("gn", "101\tP53_HUMAN\n", ["1:5 R712"]),
    ("imt", "101\t18\n103\t18\n", ["1:5 R712"]),
    ("tx", "999\t9606\n", ["0:0 R713"]),
    ("tx", "101\t9606\n101\t10090\n101\t7227\n", ["3:1 R714"]),
    ("iss", f"101\t{PAIR}\tp53 binds\t1\n101\t{PAIR}\tMdm2 binds\t2\n", ["2:19 R717"]),
    ("iss", f"101\t{PAIR}\t{SENTENCES}\t1\n", ["1:19 R718"]),
    ("iss", f"101\t{PAIR}\tp53 binds\t6\n", ["1:29 R723"]),
    ("iss", f"101\t{PAIR}\tp53 binds\t1\n101\t{PAIR}\tp53  binds\t2\n", ["2:19 R720"]),
    ("iss", XML.format(run=4, rank=1), ["1:74 R647"]),
    ("iss", XML.format(run=3, rank=7), ["0:0 R723"]),
    ("ipt", "101\tP04637\t4193\t0.5\n102\tP04637\tQ00987\t2\n", ["1:5 R712", "2:19 R607"]),
    ("imt", "101|t|p53\n101\t0\t3\tp53\tGene\t7157\n", ["0:0 R711"]),
    ("act", "101\tmaybe\t0.5\n", ["1:5 R605"]),
    ("gm", f"101|t|{'x' * 80} p53\n101\t81\t84\tp53\tGene\t7157\n", ["2:5 R721"]),
]


@pytest.fixture(scope="module")
def articles(tmp_path_factory):
    path = tmp_path_factory.mktemp("check") / "articles.tsv"
    path.write_text(ARTICLE_FILE.replace("\\", "\\\\"))
    return path


def refuse_on_site(content, task, rules="library", cap=2):
    """What read_and_check_run_content of an upload finds, as line:column code."""
    numbers = {name: number for number, name in enumerate(TEXTS)}
    texts = dict(enumerate(TEXTS.values()))
    requirements = RunRequirements(RUN_RULES[rules], numbers, lambda: texts, cap)
    try:
        read_and_check_run(BytesIO(content), "run", RunTarget(KINDS_BY_TASK[task], task), requirements)
    except RefusedFileError as error:
        return sorted(f"{fault.line}:{fault.column} {fault.rule}" for fault in error.faults)
    return []


def refuse_offline(content, task, articles, *options):
    run = articles.with_name("run")
    run.write_bytes(content)
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["check", "--task", task, str(run), "--articles", str(articles), *options])
    assert status == (0 if "no errors" in out.getvalue() else 1)
    if not status:
        return []
    lines = [line.removeprefix(f"{run}:").split(": ", 1) for line in err.getvalue().splitlines()]
    return sorted(f"{position} {message.split()[0]}" for position, message in lines)


@pytest.mark.parametrize(("task", "run", "codes"), REFUSED)
def test_it_refuses_what_the_site_refuses(task, run, codes, articles):
    assert refuse_on_site(run.encode(), task) == codes
    assert refuse_offline(run.encode(), task, articles, "--cap", "2") == codes


EXAMPLES = {task: [run.encode() for other, run, _ in REFUSED if other == task] for task in KINDS_BY_TASK}
EXAMPLES["ipt"].append(f"101\t{PAIR}\t0.5\n102\tQ00987\tP04637\t0.1\n".encode())
EXAMPLES["tx"].append(b"101\t9606\t1\t0.5\n101\t10090\t2\t0.4\n")
EXAMPLES["int"].append(b"101\tP04637\t1\t0.5\n10.1/x\t7157\t1\t0.4\n")


@st.composite
def draw_damaged_run(draw):
    task = draw(st.sampled_from(sorted(KINDS_BY_TASK)))
    content = bytearray(draw(st.sampled_from(EXAMPLES[task])))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(content)))
        content[place : place + draw(st.integers(0, 4))] = draw(
            st.sampled_from([b"", b"\t", b"\n", b"101", b"0", b"-1", b"x", b" ", b"<RANK>", b"\xff", b"0.5"])
        )
    return task, bytes(content)


@settings(max_examples=120, deadline=20_000)
@given(draw_damaged_run(), st.sampled_from(sorted(RUN_RULES)))
def test_it_refuses_any_file_that_the_site_refuses_and_no_other(articles, run, rules):
    task, content = run
    options = ["--cap", "2", *([] if task == "gm" else ["--rules", rules])]
    assert refuse_offline(content, task, articles, *options) == refuse_on_site(content, task, rules)


def test_it_reads_both_article_files_of_the_site(articles, tmp_path):
    lines = [
        {"id": "10.1/x", "pmid": None, "doi": "10.1/x", "passages": [{"text": "A"}]},
        {"id": "101", "pmid": 101, "doi": "10.1/y", "passages": [{"text": "p53"}, {"text": "binds\tMdm2"}]},
    ]
    path = tmp_path / "articles.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = f"10.1/y\t{PAIR}\tp53 binds\n101\t{PAIR}\tMdm2\n".encode()
    assert refuse_offline(run, "iss", path) == ["0:0 R715"]
    path.write_text("only one column\n")
    assert refuse_offline(run, "iss", path)[0].endswith("R603")


def test_it_says_what_it_cannot_check_without_the_articles(tmp_path, capsys):
    path = Path(tmp_path / "run")
    path.write_text(f"101\t{PAIR}\tNot in any text.\t1\n")
    assert main(["check", "--task", "iss", str(path)]) == 0
    assert "(R717) was not checked; give --articles" in capsys.readouterr().err
