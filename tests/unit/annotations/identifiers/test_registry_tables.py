"""Tables as NCBI, UniProt and PSI-MI publish them become entries; what they are shows in their content."""

import gzip
from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.tables import table_lines
from annotations.identifiers.tables.recognition import recognize_table_by_first_lines
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from annotations.identifiers.tables.uniprot import split_protein_names_at_round_brackets
from tests.shared_data import require_shared_path

GENES = """\
#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdbXrefs\tdescription\tOther_designations
9606\t7124\tTNF\t-\tDIF|TNFA\tMIM:191160\ttumor necrosis factor\tcachectin|TNF, macrophage-derived
9606\t9\tNEWENTRY\tL9\t-\t-\tRecord to support submission\t-
"""
HISTORY = """\
#tax_id\tGeneID\tDiscontinued_GeneID\tDiscontinued_Symbol\tDiscontinue_Date
9606\t7124\t11\tOLD1\t20100101
9606\t-\t12\tGONE1\t20100101
"""
NAMES = """\
9606\t|\tHomo sapiens\t|\t\t|\tscientific name\t|
9606\t|\thuman\t|\t\t|\tgenbank common name\t|
9606\t|\tHomo sapiens Linnaeus, 1758\t|\t\t|\tauthority\t|
10090\t|\tMus musculus\t|\t\t|\tscientific name\t|
"""
SPECLIST = """\
Name:        speclist.txt

AADNV V  648330: N=Aedes albopictus densovirus (isolate Boublik/1994)
                 C=AalDNV
MOUSE E   10090: N=Mus musculus
                 C=Mouse
"""
FLAT = """\
ID   TNFA_HUMAN              Reviewed;         233 AA.
AC   P01375; O43647; Q9P1Q2;
AC   Q9UIV3;
DE   RecName: Full=Tumor necrosis factor {ECO:0000303|PubMed:1};
DE            Short=TNF-a;
DE   AltName: Full=Cachectin;
DE   Contains:
DE     RecName: Full=ICD1;
DE   Flags: Precursor;
GN   Name=TNF {ECO:0000312|HGNC:HGNC:11892}; Synonyms=TNFA, {ECO:0000305}
GN   TNFSF2;
OX   NCBI_TaxID=9606 {ECO:0000312|Proteomes:UP000005640};
DR   DNASU; 7124; -.
DR   GeneID; 7124; -.
DR   KEGG; hsa:7124; -.
//
"""
TSV = """\
Entry\tEntry Name\tProtein names\tGene Names (primary)\tGene Names\tOrganism (ID)
P01375\tTNFA_HUMAN\tTumor necrosis factor (Cachectin) (TNF-a) [Cleaved into: ICD1]\tTNF\tTNF TNFA TNFSF2\t9606
"""
OBO = """\
format-version: 1.2

[Term]
id: MI:0018
name: two hybrid
synonym: "2 hybrid" EXACT PSI-MI-short []
synonym: "yeast \\"two\\" hybrid" EXACT PSI-MI-alternate []
alt_id: MI:0229
is_a: MI:0232 ! transcriptional complementation assay

[Term]
id: MI:0021
name: colocalization by fluorescent probes cloning
is_obsolete: true
replaced_by: MI:0428 ! imaging technique

[Typedef]
id: part_of
name: part of
"""


def lines(text):
    return FaultNotingTableLines(BytesIO(text if isinstance(text, bytes) else text.encode()), "table")


def read_table_entries(text):
    stream = BytesIO(text.encode())
    table = lines(text)
    found = list(recognize_table_by_first_lines(stream, "table").read(table))
    assert not table.faults
    return {entry.identifier: entry for entry in found}


def faults(text):
    stream = BytesIO(text if isinstance(text, bytes) else text.encode())
    table = recognize_table_by_first_lines(stream, "table")
    content = FaultNotingTableLines(stream, "table")
    assert list(table.read(content)) is not None
    return [str(fault).split(" - ")[0] for fault in content.faults]


def test_it_reads_genes():
    genes = read_table_entries(GENES)
    tnf = genes["7124"]
    assert (tnf.database, tnf.name, tnf.symbol, tnf.taxon) == ("ncbigene", "tumor necrosis factor", "TNF", 9606)
    assert tnf.synonyms == ("DIF", "TNFA", "cachectin", "TNF, macrophage-derived")
    assert (genes["9"].symbol, genes["9"].synonyms) == ("", ("L9",))


def test_it_reads_where_genes_are():
    table = (
        "#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tchromosome\tmap_location\tdescription\n"
        "9606\t999\tCDH1\t-\t-\t16\t16q22.1\tcadherin 1\n"
        "559292\t850295\tTEL01L\t-\t-\tI\t-\ttelomere\n"
    )
    genes = read_table_entries(table)
    assert (genes["999"].location, genes["850295"].location) == ("16q22.1", "chromosome I")
    assert read_table_entries(GENES)["7124"].location == ""


def test_it_reads_what_became_of_genes():
    genes = read_table_entries(HISTORY)
    assert [(genes[name].withdrawn, genes[name].successors) for name in ("11", "12")] == [(True, ("7124",)), (True, ())]
    assert genes["12"].exists is True


def test_it_reads_organisms():
    organisms = read_table_entries(NAMES)
    human = organisms["9606"]
    assert (human.name, human.symbol, human.synonyms) == ("Homo sapiens", "H. sapiens", ("human",))
    assert organisms["10090"].taxon == 10090


def test_it_reads_organisms_that_are_no_more():
    assert read_table_entries("12\t|\t74109\t|\n")["12"].successors == ("74109",)
    assert read_table_entries("395\t|\n")["395"].withdrawn


def test_it_reads_the_list_of_species():
    organisms = read_table_entries(SPECLIST)
    assert organisms["648330"].name == "Aedes albopictus densovirus (isolate Boublik/1994)"
    assert organisms["10090"].synonyms == ("Mouse",)


def test_it_reads_a_flat_file_with_all_names_of_an_entry():
    proteins = read_table_entries(FLAT)
    tnf = proteins["P01375"]
    assert (tnf.name, tnf.symbol, tnf.taxon) == ("Tumor necrosis factor", "TNF", 9606)
    assert tnf.synonyms == ("TNF-a", "Cachectin", "TNFA", "TNFSF2")
    assert list(proteins) == ["P01375", "O43647", "Q9P1Q2", "Q9UIV3", "TNFA_HUMAN"]
    assert proteins["Q9UIV3"].successors == proteins["TNFA_HUMAN"].successors == ("P01375",)
    assert [proteins[name].withdrawn for name in ("P01375", "O43647", "TNFA_HUMAN")] == [False, True, False]


def test_it_reads_location_and_function_of_a_flat_file():
    comments = """\
CC   -!- FUNCTION: Cytokine that binds to TNFRSF1A-
CC       like receptors (PubMed:1). {ECO:0000269|PubMed:1}.
CC   -!- FUNCTION: The ICD form acts elsewhere.
CC   -!- SUBUNIT: Homotrimer.
CC   -!- SUBCELLULAR LOCATION: Cell membrane {ECO:0000269|PubMed:2};
CC       Single-pass membrane protein. Note=By shedding.
CC   ---------------------------------------------------------------------------
CC   Copyrighted by the UniProt Consortium, see https://www.uniprot.org/terms
//
"""
    proteins = read_table_entries(FLAT.replace("//\n", comments))
    tnf = proteins["P01375"]
    assert tnf.function == "Cytokine that binds to TNFRSF1A-like receptors."
    assert tnf.location == "Cell membrane; Single-pass membrane protein"
    assert (proteins["TNFA_HUMAN"].function, proteins["O43647"].location) == ("", "")


def test_it_reads_location_and_function_of_the_table_of_uniprot():
    header, row = TSV.splitlines()
    more = "SUBCELLULAR LOCATION: Nucleus {ECO:1}. SUBCELLULAR LOCATION: [Isoform 2]: Cytoplasm.\tFUNCTION: Binds DNA."
    tnf = read_table_entries(f"{header}\tSubcellular location [CC]\tFunction [CC]\n{row}\t{more}\n")["P01375"]
    assert (tnf.location, tnf.function) == ("Nucleus", "Binds DNA.")
    assert read_table_entries(TSV)["P01375"].location == ""


def test_it_reads_the_genes_of_proteins():
    header, row = TSV.splitlines()
    assert read_table_entries(FLAT)["P01375"].genes == ("7124",)
    assert read_table_entries(f"{header}\tGeneID\n{row}\t7124;8359;\n")["P01375"].genes == ("7124", "8359")
    assert read_table_entries(TSV)["P01375"].genes == ()


def test_it_reads_the_table_of_uniprot():
    proteins = read_table_entries(TSV)
    tnf = proteins["P01375"]
    assert (tnf.name, tnf.symbol, tnf.taxon) == ("Tumor necrosis factor", "TNF", 9606)
    assert tnf.synonyms == ("Cachectin", "TNF-a", "TNFA", "TNFSF2")
    assert proteins["TNFA_HUMAN"].successors == ("P01375",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Protein A (Beta (3) chain) (B)", ["Protein A", "Beta (3) chain", "B"]),
        ("D(1B) dopamine receptor", ["D(1B) dopamine receptor"]),
        ("Receptor D(4)", ["Receptor D(4)"]),
        ("Open (bracket", ["Open (bracket"]),
        ("Wrong) bracket)", ["Wrong) bracket)"]),
        ("", []),
    ],
)
def test_it_takes_the_names_of_a_protein_apart(text, names):
    assert split_protein_names_at_round_brackets(text) == names


def test_it_reads_an_ontology():
    terms = read_table_entries(OBO)
    assert list(terms) == ["MI:0018", "MI:0229", "MI:0021"]
    assert terms["MI:0018"].synonyms == ("2 hybrid", 'yeast "two" hybrid')
    assert terms["MI:0229"].successors == ("MI:0018",)
    assert (terms["MI:0021"].withdrawn, terms["MI:0021"].successors) == (True, ("MI:0428",))


def test_it_reads_packed_tables():
    stream = BytesIO(gzip.compress(GENES.encode()))
    table = recognize_table_by_first_lines(stream, "table.gz")
    assert table.title == "NCBI gene_info"
    assert len(list(table.read(FaultNotingTableLines(stream, "table.gz")))) == 2


def test_it_tells_all_faults():
    assert faults(GENES + "9606\tseven\tA\t-\t-\t-\t-\t-\n9606\t7\n0\t8\tB\t-\t-\t-\t-\t-\n") == [
        "table:4:1: R435 “seven” is not the number of a gene",
        "table:5:1: R434 the line has 2 cells, but the header has 8",
        "table:6:1: R435 “0” is not the number of a taxon",
    ]
    assert faults(NAMES + "9606\t|\tHomo\n") == [
        "table:5:1: R434 a line of names.dmp must have 4 fields, each ending in a tab and |"
    ]
    assert faults(FLAT.replace("AC   ", "CC   ") + FLAT.replace("P01375", "TNF") + FLAT[:-3] + FLAT[:20]) == [
        "table:1:1: R436 the entry TNFA_HUMAN has no accession, name or taxon (AC, DE, OX)",
        "table:17:1: R435 “TNF” is not a UniProt accession or entry name",
        "table:48:1: R436 an entry begins before the previous one ended with //",
        "table:48:1: R436 the file ends within the entry TNFA_HUMAN",
    ]
    assert faults(TSV.replace("P01375\t", "7124\t")) == [
        "table:2:1: R435 “7124” is not an accession, or “TNFA_HUMAN” is not an entry name"
    ]
    assert faults(OBO.replace("id: MI:0018", "id: GO:1").replace("name: colocalization", "nome: x")) == [
        "table:3:1: R435 “GO:1” is not a PSI-MI identifier",
        "table:11:1: R436 the term that begins here has no id or name",
    ]


def test_it_tells_where_a_table_is_not_text():
    assert faults(GENES.encode() + b"9606\t7\tna\xefve\n9606\t7\tNU\0L\n") == [
        "table:4:10: R432 the byte 0xEF is not valid UTF-8",
        "table:5:10: R432 there is a NUL character, which is not allowed",
    ]


def test_it_tells_where_an_archive_breaks():
    packed = gzip.compress(GENES.encode() * 500, mtime=0)
    assert faults(packed[:-20])[-1].endswith("R431 the archive is truncated or damaged here")


def test_it_does_not_list_faults_without_end(monkeypatch):
    monkeypatch.setattr(table_lines, "MOST_FAULTS", 3)
    with pytest.raises(RefusedFileError) as caught:
        faults(GENES + "x\n" * 10)
    assert len(caught.value.faults) == 4
    assert "R434 reading stopped after 3 faults" in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"<html></html>", b"\x1f\x8b\x08broken", b"\xff\xfe", b"a\tb\nc\td\n"]
)
def test_it_says_that_a_file_is_no_table_that_it_knows(content):
    with pytest.raises(RefusedFileError, match="R430 this table is not supported - use one of: NCBI"):
        recognize_table_by_first_lines(BytesIO(content), "file")


@pytest.mark.parametrize(
    ("path", "title", "number", "looked_up"),
    [
        ("dictionary/gene_info.9606_human.tsv.gz", "NCBI gene_info", 19766, "7157"),
        ("dictionary/gene_info.559292_yeast.tsv.gz", "NCBI gene_info", 6029, "850295"),
        ("dictionary/hgnc.protein_coding.tsv.gz", "HGNC complete set", None, "P04637"),
        ("taxonomy/speclist.txt.gz", "UniProt species list", None, "9606"),
        ("ontology/psi-mi.obo.gz", "PSI-MI ontology", 1654, "MI:0018"),
        ("samples/uniprot/P62258.txt", "UniProt flat file", None, "P29360"),
        ("samples/uniprot/O95832.txt", "UniProt flat file", 2, "CLD1_HUMAN"),
    ],
)
def test_it_reads_real_tables(path, title, number, looked_up):
    with require_shared_path(*path.split("/")).open("rb") as stream:
        table = recognize_table_by_first_lines(stream, path)
        assert table.title == title
        content = FaultNotingTableLines(stream, path)
        entries = {entry.identifier: entry for entry in table.read(content)}
    assert content.faults == []
    assert number in (None, len(entries))
    assert entries[looked_up].name or entries[looked_up].successors
