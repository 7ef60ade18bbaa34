"""The commands with runs and gold standards of annotated text: PubTator, BioC and PubAnnotation."""

import gzip
import json
from pathlib import Path

import pytest

from annotations.formats.annotated_text.document_results import collect_document_results
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.result_sniffing import sniff_result_format_else_tsv
from evaluation.__main__ import main
from tests.shared_data import require_shared_path

# Genes of 1: 7157 twice, then 4193 and, further behind, 1; of 2 none that is named; 3 has no mention.
RUN = """\
1|t|Mdm2, p53 and p53
1|a|of mice with X
1\t0\t4\tMdm2\tGene\t4193
1\t6\t9\tp53\tgene\tNCBI Gene:7157
1\t14\t17\tp53\tGene_or_gene_product\t7157;1
1\t21\t25\tmice\tSpecies\tNCBITaxon:10090
1\tPPI\t4193\t7157
1\tPPIm\t7157\t4193
1\tBind\t4193\t1
2\t0\t3\tABC\tGene\t-
2\t4\t8\tcold\tDisease\tMESH:D003139
3|t|Nothing
3|a|
"""
GOLD_GENES = "1\t7157\n1\t4193\n2\t99\n"
GOLD_PAIRS = "1\t7157\t4193\n2\t1\t2\n"
PROTEINS = '{"sourceid": "1", "denotations": [{"span": {"begin": 0, "end": 3}, "obj": "Protein:P04637"}]}'
CLASSES = """\
{"documents": [{"id": "1", "infons": {"relevant": "yes"}}, {"id": "2", "infons": {"relevant": "no"}}, {"id": "3"}]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = {"run.tsv": RUN, "genes": GOLD_GENES, "pairs": GOLD_PAIRS, "proteins": PROTEINS, "classes": CLASSES}
    for name, text in files.items():
        Path(name).write_text(text)


def results(path: str, task: str) -> list[tuple[object, ...]]:
    """Document, item and rank of each row."""
    with Path(path).open("rb") as stream:
        found = collect_document_results(
            ANNOTATED_TEXT_FORMATS[sniff_result_format_else_tsv(stream)].read(stream, path), task
        ).table
    rows = zip(found.article.codes.tolist(), found.item.codes.tolist(), found.rank.tolist(), strict=True)
    return [(found.article.names[document], found.item.names[item], rank) for document, item, rank in rows]


def score_as_json(capsys, *arguments: str) -> dict:
    assert main(["score", "--format", "json", *arguments]) == 0
    [own] = json.loads(capsys.readouterr().out)["runs"]
    return own


def read_command_error(capsys, *arguments: str) -> str:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    return capsys.readouterr().err.splitlines()[-1].split("error: ")[1]


def test_it_ranks_identifiers_by_number_of_mentions_then_by_first_position():
    assert results("run.tsv", "gn") == [("1", "7157", 1), ("1", "4193", 2), ("1", "1", 3)]


def test_it_takes_the_types_that_a_task_asks_for():
    assert results("run.tsv", "tx") == [("1", "10090", 1)]
    assert results("run.tsv", "int") == []
    assert results("proteins", "int") == [("1", "P04637", 1)]


def test_it_takes_interactions_once_and_without_direction():
    assert results("run.tsv", "ipt") == [("1", ("4193", "7157"), 1)]


def test_it_knows_the_documents_of_which_a_file_says_nothing():
    with Path("run.tsv").open("rb") as stream:
        found = collect_document_results(
            ANNOTATED_TEXT_FORMATS[sniff_result_format_else_tsv(stream)].read(stream, "run"), "gn"
        ).table
    assert found.article.names == ["1", "2", "3"]


def test_it_scores_annotated_text_against_tab_separated_values(capsys):
    own = score_as_json(capsys, "--task", "gn", "run.tsv", "genes")
    assert (own["documents"], own["answered"]) == (2, 1)
    micro = own["figures"]["micro"]
    assert (micro["tp"], micro["fp"], micro["fn"]) == (2, 1, 1)
    micro = score_as_json(capsys, "--task", "ipt", "run.tsv", "pairs")["figures"]["micro"]
    assert (micro["tp"], micro["fp"], micro["fn"]) == (1, 0, 1)


def test_it_scores_pairs_and_interactors_against_psi_mitab(capsys):
    lines = [
        ["uniprotkb:P04637", f"uniprotkb:{name}", *["-"] * 6, "pubmed:1", *["-"] * 6] for name in ("Q00987", "P38398")
    ]
    Path("gold.mitab").write_text("".join("\t".join(line) + "\n" for line in lines))
    Path("pairs.run").write_text("1\tQ00987\tP04637\n1\tQ00987\tP38398\n")
    Path("proteins.run").write_text("1\tP38398\n")
    pairs = score_as_json(capsys, "--task", "ipt", "pairs.run", "gold.mitab")["figures"]["micro"]
    assert (pairs["tp"], pairs["fp"], pairs["fn"]) == (1, 1, 1)
    interactors = score_as_json(capsys, "--task", "int", "proteins.run", "gold.mitab")["figures"]["micro"]
    assert (interactors["tp"], interactors["fp"], interactors["fn"]) == (1, 0, 2)
    Path("gold.mitab").write_text("\t".join(lines[0] + ["-"] * 3) + "\n")
    assert main(["score", "--task", "ipt", "pairs.run", "gold.mitab"]) == 1
    assert "gold.mitab:1:1: R751 the line has 18 columns, and PSI-MITAB has 15" in capsys.readouterr().err


def test_it_counts_what_is_reported_for_a_gold_document_without_a_gene(capsys):
    Path("run").write_text("2\t5\n3\t6\n4\t7\n")
    own = score_as_json(capsys, "--task", "gn", "run", "run.tsv")
    assert (own["documents"], own["unknown_document_names"]) == (3, ["4"])
    assert (own["figures"]["micro"]["fp"], own["figures"]["micro"]["fn"]) == (2, 3)


def test_it_scores_classes_of_bioc(capsys):
    Path("calls").write_text("1\t1\n2\t1\n3\t1\n")
    own = score_as_json(capsys, "--task", "act", "calls", "classes")
    assert (own["documents"], own["unknown_document_names"]) == (2, ["3"])
    assert (own["figures"]["tp"], own["figures"]["fp"]) == (1, 1)
    assert score_as_json(capsys, "--task", "act", "classes", "classes")["figures"]["mcc"] == 1.0


def test_it_tells_what_it_takes_from_each_file(capsys):
    assert main(["check", "--task", "gn", "run.tsv", "proteins", "--gold", "run.tsv"]) == 0
    named = "mentions of Gene, Gene_or_gene_product, gene: 4, of these with an identifier: 3"
    assert capsys.readouterr().err.splitlines() == [
        f"run.tsv: PubTator; {named}; lists by number of mentions, then first position",
        "proteins: PubAnnotation; mentions of Protein: 1, of these with an identifier: 1; "
        "lists by number of mentions, then first position",
        f"run.tsv: PubTator; {named}",
    ]
    assert main(["check", "--task", "tx", "proteins"]) == 0
    said = "proteins: PubAnnotation; no mention has a type for organisms; types of mentions: Protein"
    assert capsys.readouterr().err.splitlines() == [f"{said}; lists by number of mentions, then first position"]


def test_it_tells_few_warnings_to_who_scores_and_all_to_who_checks(capsys):
    lines = "".join(f"1\t{start}\t{start + 1}\tX\tGene\t1\n" for start in range(5))
    Path("other").write_text(f"1|t|p53ab\n{lines}")
    assert main(["check", "--task", "gn", "other"]) == 0
    _, *every = capsys.readouterr().err.splitlines()
    assert len(every) == 5
    assert main(["score", "--task", "gn", "other", "genes"]) == 0
    _, *few = capsys.readouterr().err.splitlines()
    assert few == [*every[:3], "other: more warnings of R657; the command check lists all of them"]


def test_it_refuses_a_gold_standard_in_which_nothing_counts(capsys):
    assert main(["score", "--task", "int", "proteins", "run.tsv"]) == 1
    assert capsys.readouterr().err == (
        "run.tsv:0:0: R610 the file has no gold annotations for int (PubTator; mentions of Gene, Gene_or_gene_product, "
        "gene: 4, of these with a UniProt accession: 0) - choose another task or file\n"
    )


def test_it_refuses_a_file_with_a_fault(capsys):
    Path("bad").write_text("1|t|p53\n1\tx\t3\tp53\tGene\t7157\n")
    assert main(["score", "--task", "gn", "bad", "genes"]) == 1
    assert capsys.readouterr().err == ("bad:2:3: R654 “x” is not a position - write a whole number from 0\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("score", "--task", "gn", "--columns", "rank", "run.tsv", "genes"),
            "--columns works only with tab-separated values, but run.tsv is PubTator; leave it out.",
        ),
        (
            ("score", "--task", "gn", "--rules", "bc25", "run.tsv", "genes"),
            "--rules works only with tab-separated values, but run.tsv is PubTator; leave it out.",
        ),
        (
            ("score", "--task", "imt", "classes", "genes"),
            "classes is BioC JSON, which cannot hold results for --task imt; use tab-separated values.",
        ),
        (
            ("score", "--task", "act", "run.tsv", "classes"),
            "run.tsv is PubTator, which cannot hold results for --task act; use tab-separated values, or BioC.",
        ),
        (
            ("score", "--task", "gn", "--order", "confidence", "run.tsv", "genes"),
            "run.tsv has no confidence column; choose another --order.",
        ),
    ],
)
def test_it_says_what_does_not_go_with_annotated_text(arguments, said, capsys):
    assert read_command_error(capsys, *arguments) == said


def test_it_compares_agrees_overlaps_and_joins_runs_of_different_formats(capsys):
    Path("other").write_text(
        '{"id": "1", "passages": [{"offset": 0, "text": "p53", "annotations": [{"infons": {"type": "Gene", '
        '"identifier": "7157"}, "text": "p53", "locations": [{"offset": 0, "length": 3}]}]}]}'
    )
    assert main(["overlap", "--task", "gn", "run.tsv", "other", "genes"]) == 0
    assert main(["agree", "--task", "gn", "run.tsv", "other"]) == 0
    assert main(["ensemble", "--task", "gn", "--votes", "2", "run.tsv", "other", "-o", "joined"]) == 0
    assert Path("joined").read_text() == "1\t7157\t1\n"
    assert main(["score", "--task", "gm", "run.tsv", "run.tsv"]) == 0


@pytest.mark.parametrize(
    ("task", "name", "rows", "documents"),
    [("ipt", "Relations_TrainingSet.json.gz", 752, 597), ("act", "Triage_TrainingSet.xml.gz", 4082, 4082)],
)
def test_it_takes_published_gold_standards(task, name, rows, documents):
    content = gzip.decompress(require_shared_path("corpora", "bc6pm", f"PMtask_{name}").read_bytes())
    Path("gold").write_bytes(content)
    with Path("gold").open("rb") as stream:
        found = collect_document_results(
            ANNOTATED_TEXT_FORMATS[sniff_result_format_else_tsv(stream)].read(stream, "gold"), task
        ).table
    assert (len(found), len(found.article.names)) == (rows, documents)


def test_it_scores_real_systems(capsys):
    for name in ("pubtator_central", "gold"):
        packed = require_shared_path("system_runs", "tmvar3", f"{name}.txt.gz").read_bytes()
        Path(name).write_bytes(gzip.decompress(packed))
    own = score_as_json(capsys, "--task", "gn", "pubtator_central", "gold")
    micro = own["figures"]["micro"]
    assert (own["documents"], micro["tp"], micro["fp"], micro["fn"]) == (318, 491, 45, 78)
