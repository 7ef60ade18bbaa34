"""Reader of reference SNPs in VCF, as dbSNP publishes them, whole or in part, and as ClinVar does.

A line has the rs number as its ID, or behind RS= in its information. Formats: https://samtools.github.io/hts-specs/,
https://ftp.ncbi.nih.gov/snp/latest_release/VCF/. The table is never complete: it has the variants of one organism.
"""

import re
from collections.abc import Iterator

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.tables.table_lines import WRONG_COLUMNS, FaultNotingTableLines

DBSNP, DBSNP_SOURCE = "dbsnp", "dbSNP"
# Chromosome, position, ID, reference, alternatives, quality, filter, information; samples may follow.
FEWEST_CELLS = 8
LONGEST_ALLELES = 60
RS_NUMBER = re.compile(r"rs[1-9][0-9]{0,11}", re.ASCII)
INFORMATION = re.compile(r"(?:^|;)(RS|VC|GENEINFO)=([^;]*)")


def read_reference_snps(lines: FaultNotingTableLines) -> Iterator[EntryRecord]:
    """The variants with an rs number, each once for all of its lines that follow each other."""
    previous = ""
    for text in lines:
        if text.startswith("#") or not text:
            continue
        cells = text.split("\t")
        if len(cells) < FEWEST_CELLS:
            message = f"the line has {len(cells)} cells, but VCF has {FEWEST_CELLS} - download the file again"
            lines.add_fault(1, WRONG_COLUMNS, message)
            continue
        entry = _make_entry_or_none(cells)
        if entry and entry.identifier != previous:
            previous = entry.identifier
            yield entry


def _make_entry_or_none(cells: list[str]) -> EntryRecord | None:
    chromosome, position, identifier, reference, alternatives, _, _, information, *_ = cells
    known = dict(INFORMATION.findall(information))
    number = identifier if RS_NUMBER.fullmatch(identifier) else f"rs{known.get('RS', '')}"
    if not RS_NUMBER.fullmatch(number):
        return None
    alleles = f"{reference}>{alternatives}"
    genes = [gene.partition(":")[0] for gene in known.get("GENEINFO", "").split("|")]
    parts = (
        known.get("VC", ""),
        alleles if len(alleles) <= LONGEST_ALLELES else "",
        f"in {genes[0]}" if genes[0] else "",
    )
    return EntryRecord(
        DBSNP,
        number,
        DBSNP_SOURCE,
        name=" ".join(filter(None, parts)),
        location=f"{chromosome}:{position}",
    )
