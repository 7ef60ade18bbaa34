"""Variants of dbSNP and ClinVar in VCF become entries with their alleles, gene and position."""

import gzip
from io import BytesIO

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.tables.recognition import recognize_table_by_first_lines
from annotations.identifiers.tables.table_lines import FaultNotingTableLines

HEADER = "##fileformat=VCFv4.2\n##dbSNP_BUILD_ID=156\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
DBSNP = HEADER + (
    "NC_000007.14\t140753336\trs113488022\tA\tC,G,T\t.\t.\tRS=113488022;GENEINFO=BRAF:673;VC=SNV\n"
    "NC_000007.14\t140753336\trs113488022\tA\tT\t.\t.\tRS=113488022;VC=SNV\n"
    f"NC_000001.11\t10\trs5\t{'A' * 80}\tC\t.\t.\tVC=DEL\n"
)
CLINVAR = (
    HEADER + "1\t10\t4321\tG\tA\t.\t.\tALLELEID=1;CLNVC=x;GENEINFO=MTHFR:4524|X:1;RS=1801133\n1\t11\t5\tG\tA\t.\t.\t.\n"
)
BRAF = EntryRecord("dbsnp", "rs113488022", "dbSNP", name="SNV A>C,G,T in BRAF", location="NC_000007.14:140753336")


def read_table(content):
    stream = BytesIO(content)
    table = recognize_table_by_first_lines(stream, "table")
    lines = FaultNotingTableLines(stream, "table")
    return table.title, list(table.read(lines)), lines


def test_it_reads_dbsnp_plain_and_gzipped():
    for content in (DBSNP.encode(), gzip.compress(DBSNP.encode())):
        title, records, lines = read_table(content)
        assert (title, lines.faults, lines.complete) == ("dbSNP VCF", [], {})
        assert records == [BRAF, EntryRecord("dbsnp", "rs5", "dbSNP", name="DEL", location="NC_000001.11:10")]


def test_it_reads_the_rs_numbers_of_clinvar():
    _, records, _ = read_table(CLINVAR.encode())
    assert records == [EntryRecord("dbsnp", "rs1801133", "dbSNP", name="G>A in MTHFR", location="1:10")]


def test_it_names_short_lines():
    _, records, lines = read_table((DBSNP + "1\t2\trs6\n").encode())
    assert len(records) == 2
    assert [str(each)[:58] for each in lines.faults] == ["table:7:1: R434 the line has 3 cells, but VCF has 8 - down"]
