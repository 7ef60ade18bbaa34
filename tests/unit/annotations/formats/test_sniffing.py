"""The format of a file is found from how it begins."""

import gzip
from io import BytesIO

import pytest

from annotations.formats.result_sniffing import SNIFFED_BYTES, ResultFormat, sniff_result_format_else_tsv
from tests.shared_data import require_shared_path

BEGINNINGS = {
    "pubtator": (ResultFormat.PUBTATOR, "1|t|A title\n1|a|An abstract\n1\t0\t3\tABC\tGene\t7\n"),
    "pubtator without text": (
        ResultFormat.PUBTATOR,
        "158\t40\t45\tMLYCD\tgene\tNCBI Gene:23417\n158\t59\t66\tpatient\tspecies\n",
    ),
    "pubtator after a blank line": (ResultFormat.PUBTATOR, "\n1|t|A title\n1|a|\n"),
    "pubtator with windows line ends": (ResultFormat.PUBTATOR, "1|t|A title\r\n1|a|\r\n1\t0\t1\tA\tGene\t7\r\n"),
    "bioc xml": (
        ResultFormat.BIOC_XML,
        "<?xml version='1.0'?><!DOCTYPE collection SYSTEM 'BioC.dtd'><collection><source/>",
    ),
    "bioc xml with a subset": (
        ResultFormat.BIOC_XML,
        "<!DOCTYPE collection [<!ELEMENT x ANY>]>\n<!-- <ENTRY> --><collection>",
    ),
    "biocreative II xml": (ResultFormat.BC2_XML, "<?xml version='1.0'?>\n<ENTRY><PMID>1</PMID></ENTRY>"),
    "bioc json": (ResultFormat.BIOC_JSON, '{"source": "x", "documents": [{"passages": [{"text": "y"}]}]}'),
    "bioc json of one document": (ResultFormat.BIOC_JSON, '{"id": "1", "infons": {}, "passages": [{"text": "y"}]}'),
    "bioc json of the PubTator service": (ResultFormat.BIOC_JSON, '{"PubTator3": [{"_id": "1|None", "passages": []}]}'),
    "pubannotation": (ResultFormat.PUBANNOTATION, '{"text": "source: x", "denotations": []}'),
    "several of pubannotation": (ResultFormat.PUBANNOTATION, '[{"sourcedb": "PubMed", "sourceid": "1", "text": "x"}]'),
    "gene mentions": (ResultFormat.GENE_EVAL, "P02196565T0000|14 33|alkaline phosphatases\nP1|0 3|GTP-binding\n"),
    "gene mentions without their texts": (ResultFormat.GENE_EVAL, "P1|0 3|\nP1|5 8\n"),
    "trec run": (ResultFormat.TREC_RUN, "1 Q0 P12345 1 0.5 mine\n1 Q0 P12346 2 0.25 mine\n"),
    "trec judgements": (ResultFormat.TREC_QRELS, "1 0 P12345 1\n1 0 P12346 0\n"),
    "tab-separated": (ResultFormat.TSV, "1\tP12345\t1\t0.5\n"),
    "calls with rank and confidence": (ResultFormat.TSV, "1\t0\t1\t0.5\n2\t0\t2\t0.25\n"),
    "passages of interactors by number": (ResultFormat.TSV, "1\t7157\t7158\tthey bind\t1\t0.5\n"),
    "passages with a tiny confidence": (ResultFormat.TSV, "1\t7157\t7158\tthey bind\t1e-05\n"),
    "judged passages of interactors by number": (ResultFormat.TSV, "1\t7157\t7158\tthey bind\ttrue\tfalse\n"),
    "nothing": (ResultFormat.TSV, ""),
    "bytes that are no text": (ResultFormat.TSV, "\x00\udcff\udcfe"),
}


@pytest.mark.parametrize(("expected", "text"), BEGINNINGS.values(), ids=BEGINNINGS)
def test_it_knows_a_format_by_its_beginning(expected: ResultFormat, text: str) -> None:
    assert sniff_result_format_else_tsv(BytesIO(text.encode("utf-8", "surrogateescape"))) == expected


def test_it_rewinds_the_stream_and_ignores_a_byte_order_mark() -> None:
    stream = BytesIO(b"\xef\xbb\xbf1|t|A title\n")
    assert sniff_result_format_else_tsv(stream) == ResultFormat.PUBTATOR
    assert stream.tell() == 0


def test_it_keeps_the_format_of_a_file_with_a_broken_line() -> None:
    text = "1|t|A title\n1\tzero\t3\tABC\tGene\t7\n1\t4\t9\ttitle\n"
    assert sniff_result_format_else_tsv(BytesIO(text.encode())) == ResultFormat.PUBTATOR
    text = "1\t0\t3\tABC\tGene\t7\n1\tzero\t3\tABC\tGene\t7\n1\t4\t9\ttitle\tGene\t8\n"
    assert sniff_result_format_else_tsv(BytesIO(text.encode())) == ResultFormat.PUBTATOR


def test_it_does_not_judge_a_line_that_is_cut_off_by_the_end_of_what_it_reads() -> None:
    line = "1|0 3|GTP\n"
    assert sniff_result_format_else_tsv(BytesIO((line * SNIFFED_BYTES).encode())) == ResultFormat.GENE_EVAL


def test_it_knows_a_single_line_longer_than_what_it_reads() -> None:
    assert sniff_result_format_else_tsv(BytesIO(b"1|t|" + b"a" * 2 * SNIFFED_BYTES)) == ResultFormat.PUBTATOR


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("corpora", "biored", "Dev.PubTator.gz"), ResultFormat.PUBTATOR),
        (("corpora", "biored", "Dev.BioC.XML.gz"), ResultFormat.BIOC_XML),
        (("corpora", "biored", "Dev.BioC.JSON.gz"), ResultFormat.BIOC_JSON),
        (("corpora", "bc6pm", "PMtask_Relations_TrainingSet.json.gz"), ResultFormat.BIOC_JSON),
        (("corpora", "bc6pm", "PMtask_Relations_TrainingSet.pairs.tsv"), ResultFormat.TSV),
        (("corpora", "bc2gm", "train", "GENE.eval.gz"), ResultFormat.GENE_EVAL),
        (("system_runs", "tmvar3", "bern2.txt.gz"), ResultFormat.PUBTATOR),
        (("system_runs", "tmvar3", "bent.txt.gz"), ResultFormat.PUBTATOR),
        (("samples", "formats", "bconv", "pubanno_json", "BC5CDR-example.json"), ResultFormat.PUBANNOTATION),
        (("samples", "formats", "kindred", "example.json"), ResultFormat.PUBANNOTATION),
    ],
)
def test_it_knows_published_files(parts: tuple[str, ...], expected: ResultFormat) -> None:
    path = require_shared_path(*parts)
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    assert sniff_result_format_else_tsv(BytesIO(content)) == expected
