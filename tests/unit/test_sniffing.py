"""The format of a file is found from how it begins."""

import gzip
from io import BytesIO

import pytest

from annotations.formats.sniffing import HEAD, Format, format_of
from tests.shared_data import shared

BEGINNINGS = {
    "pubtator": (Format.PUBTATOR, "1|t|A title\n1|a|An abstract\n1\t0\t3\tABC\tGene\t7\n"),
    "pubtator without text": (
        Format.PUBTATOR,
        "158\t40\t45\tMLYCD\tgene\tNCBI Gene:23417\n158\t59\t66\tpatient\tspecies\n",
    ),
    "pubtator after a blank line": (Format.PUBTATOR, "\n1|t|A title\n1|a|\n"),
    "pubtator with windows line ends": (Format.PUBTATOR, "1|t|A title\r\n1|a|\r\n1\t0\t1\tA\tGene\t7\r\n"),
    "bioc xml": (Format.BIOC_XML, "<?xml version='1.0'?><!DOCTYPE collection SYSTEM 'BioC.dtd'><collection><source/>"),
    "bioc xml with a subset": (
        Format.BIOC_XML,
        "<!DOCTYPE collection [<!ELEMENT x ANY>]>\n<!-- <ENTRY> --><collection>",
    ),
    "biocreative II xml": (Format.BC2_XML, "<?xml version='1.0'?>\n<ENTRY><PMID>1</PMID></ENTRY>"),
    "bioc json": (Format.BIOC_JSON, '{"source": "x", "documents": [{"passages": [{"text": "y"}]}]}'),
    "bioc json of one document": (Format.BIOC_JSON, '{"id": "1", "infons": {}, "passages": [{"text": "y"}]}'),
    "bioc json of the PubTator service": (Format.BIOC_JSON, '{"PubTator3": [{"_id": "1|None", "passages": []}]}'),
    "pubannotation": (Format.PUBANNOTATION, '{"text": "source: x", "denotations": []}'),
    "several of pubannotation": (Format.PUBANNOTATION, '[{"sourcedb": "PubMed", "sourceid": "1", "text": "x"}]'),
    "gene mentions": (Format.GENE_EVAL, "P02196565T0000|14 33|alkaline phosphatases\nP1|0 3|GTP-binding\n"),
    "gene mentions without their texts": (Format.GENE_EVAL, "P1|0 3|\nP1|5 8\n"),
    "trec run": (Format.TREC_RUN, "1 Q0 P12345 1 0.5 mine\n1 Q0 P12346 2 0.25 mine\n"),
    "trec judgements": (Format.TREC_QRELS, "1 0 P12345 1\n1 0 P12346 0\n"),
    "tab-separated": (Format.TSV, "1\tP12345\t1\t0.5\n"),
    "calls with rank and confidence": (Format.TSV, "1\t0\t1\t0.5\n2\t0\t2\t0.25\n"),
    "passages of interactors by number": (Format.TSV, "1\t7157\t7158\tthey bind\t1\t0.5\n"),
    "passages with a tiny confidence": (Format.TSV, "1\t7157\t7158\tthey bind\t1e-05\n"),
    "judged passages of interactors by number": (Format.TSV, "1\t7157\t7158\tthey bind\ttrue\tfalse\n"),
    "nothing": (Format.TSV, ""),
    "bytes that are no text": (Format.TSV, "\x00\udcff\udcfe"),
}


@pytest.mark.parametrize(("expected", "text"), BEGINNINGS.values(), ids=BEGINNINGS)
def test_it_knows_a_format_by_its_beginning(expected: Format, text: str) -> None:
    assert format_of(BytesIO(text.encode("utf-8", "surrogateescape"))) == expected


def test_it_rewinds_the_stream_and_ignores_a_byte_order_mark() -> None:
    stream = BytesIO(b"\xef\xbb\xbf1|t|A title\n")
    assert format_of(stream) == Format.PUBTATOR
    assert stream.tell() == 0


def test_it_keeps_the_format_of_a_file_with_a_broken_line() -> None:
    text = "1|t|A title\n1\tzero\t3\tABC\tGene\t7\n1\t4\t9\ttitle\n"
    assert format_of(BytesIO(text.encode())) == Format.PUBTATOR
    text = "1\t0\t3\tABC\tGene\t7\n1\tzero\t3\tABC\tGene\t7\n1\t4\t9\ttitle\tGene\t8\n"
    assert format_of(BytesIO(text.encode())) == Format.PUBTATOR


def test_it_does_not_judge_a_line_that_is_cut_off_by_the_end_of_what_it_reads() -> None:
    line = "1|0 3|GTP\n"
    assert format_of(BytesIO((line * HEAD).encode())) == Format.GENE_EVAL


def test_it_knows_a_single_line_longer_than_what_it_reads() -> None:
    assert format_of(BytesIO(b"1|t|" + b"a" * 2 * HEAD)) == Format.PUBTATOR


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("corpora", "biored", "Dev.PubTator.gz"), Format.PUBTATOR),
        (("corpora", "biored", "Dev.BioC.XML.gz"), Format.BIOC_XML),
        (("corpora", "biored", "Dev.BioC.JSON.gz"), Format.BIOC_JSON),
        (("corpora", "bc6pm", "PMtask_Relations_TrainingSet.json.gz"), Format.BIOC_JSON),
        (("corpora", "bc6pm", "PMtask_Relations_TrainingSet.pairs.tsv"), Format.TSV),
        (("corpora", "bc2gm", "train", "GENE.eval.gz"), Format.GENE_EVAL),
        (("system_runs", "tmvar3", "bern2.txt.gz"), Format.PUBTATOR),
        (("system_runs", "tmvar3", "bent.txt.gz"), Format.PUBTATOR),
        (("samples", "formats", "bconv", "pubanno_json", "BC5CDR-example.json"), Format.PUBANNOTATION),
        (("samples", "formats", "kindred", "example.json"), Format.PUBANNOTATION),
    ],
)
def test_it_knows_published_files(parts: tuple[str, ...], expected: Format) -> None:
    path = shared(*parts)
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    assert format_of(BytesIO(content)) == expected
