"""The gene dictionary finds names, leads them to one gene, and knows when the gene is another organism's."""

import pytest

from annotations.schema import Kind
from servers.kit.articles import parse_xmlrpc_article_parameter
from servers.reference.gene_dictionary import HGNC_COLUMNS, GeneDictionary, GeneNameTable
from servers.reference.species_dictionary import NamedSpecies, SpeciesDictionary

COLUMNS = ("Status", "Locus type", *HGNC_COLUMNS)
PROTEIN = ("Approved", "gene with protein product")
HUMAN_GENES = [
    (*PROTEIN, "TP53", "tumor protein p53", "", "p53, LFS1", "7157", "P04637", "MGI:98834", ""),
    (*PROTEIN, "TNF", "tumor necrosis factor", "TNFA", "TNF-alpha", "7124", "P01375", "", "RGD:3876"),
    (*PROTEIN, "IL6", "interleukin 6", "", "HGF", "3569", "P05231", "", ""),
    (*PROTEIN, "HGF", "hepatocyte growth factor", "", "", "3082", "P14210", "", ""),
    (*PROTEIN, "CALM1", "calmodulin 1", "", "caM", "801", "P0DP23", "", ""),
    (*PROTEIN, "CALM2", "calmodulin 2", "", "caM", "805", "P0DP23", "", ""),
    (*PROTEIN, "WAS", "WASP actin nucleation promoting factor", "", "", "7454", "P42768", "", ""),
    (*PROTEIN, "NDP", "norrin cystine knot growth factor NDP", "", "", "4693", "Q00604", "", ""),
    ("Entry Withdrawn", "", "GONE1", "entry withdrawn", "", "", "", "", "", ""),
    ("Approved", "pseudogene", "TP53P9", "a pseudogene", "", "", "", "", "", ""),
]
MOUSE_GENES = ["ID\tsymbol\tsynonyms", "98834\tTrp53\tp44|Tsg53", "1\tGm1\tlone1"]
ORGANISMS = [NamedSpecies(9606, ("Homo sapiens", "human")), NamedSpecies(10090, ("Mus musculus", "mouse", "mice"))]


def format_table_lines(columns, rows):
    return ["\t".join(row) for row in (columns, *rows)]


@pytest.fixture(scope="module")
def dictionary():
    names = GeneNameTable()
    names.read_human(format_table_lines(COLUMNS, HUMAN_GENES))
    names.read_orthologs(MOUSE_GENES, "MGI:")
    return GeneDictionary(names, SpeciesDictionary(ORGANISMS))


def list_annotated_texts(dictionary, text, kind):
    findings = [
        finding for finding in dictionary.annotate(parse_xmlrpc_article_parameter(text)) if finding.kind is kind
    ]
    return [finding.text or f"{finding.database}:{finding.identifier}" for finding in findings]


def mentions(dictionary, text):
    return list_annotated_texts(dictionary, text, Kind.MENTION)


def genes(dictionary, text):
    return list_annotated_texts(dictionary, text, Kind.NORMALIZATION)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TP53\nand p53, not P-53s", ["TP53", "p53"]),
        ("TNF-α\ntumor  necrosis, Tumor necrosis factor and TNFα", ["TNF-α", "Tumor necrosis factor", "TNFα"]),
        ("IL-6-induced\nIL 6R and Interleukin-6.", ["IL-6", "Interleukin-6"]),
        ("It was\nWas it? GONE1, TP53P9.", []),
    ],
)
def test_it_finds_the_longest_names_of_whole_words(dictionary, text, expected):
    assert mentions(dictionary, text) == expected


def test_it_normalizes_to_ncbi_gene_and_uniprot_of_the_human_gene(dictionary):
    findings = dictionary.annotate(parse_xmlrpc_article_parameter("p53\nIn human cells, TP53."))
    named = [(f.database, f.identifier, f.taxon, f.confidence) for f in findings if f.kind is Kind.NORMALIZATION]
    assert named == [("ncbigene", "7157", 9606, 0.8), ("uniprot", "P04637", 9606, 0.8)]


def test_it_prefers_the_official_symbol_to_another_genes_alias(dictionary):
    assert genes(dictionary, "HGF\nis secreted.") == ["ncbigene:3082", "uniprot:P14210"]


def test_it_leaves_a_name_of_equals_without_a_gene(dictionary):
    assert mentions(dictionary, "CaM\nbinds.") == ["CaM"]
    assert genes(dictionary, "CaM\nbinds.") == []


def test_it_takes_the_equal_that_the_article_names_otherwise(dictionary):
    assert genes(dictionary, "CaM\nthat is, CALM2.") == ["ncbigene:805", "uniprot:P0DP23"]


def test_it_gives_a_shared_accession_once(dictionary):
    assert genes(dictionary, "CALM1\nand CALM2.") == ["ncbigene:801", "uniprot:P0DP23", "ncbigene:805"]


def test_it_drops_an_abbreviation_explained_as_something_else(dictionary):
    assert mentions(dictionary, "Drugs\nNew drug policies (NDP) work. NDP is cheap.") == []


def test_it_knows_mouse_names_in_an_article_of_mice_only(dictionary):
    assert mentions(dictionary, "Trp53\nin mice") == ["Trp53"]
    assert mentions(dictionary, "Trp53\nin cells") == []


def test_it_is_unsure_of_human_identifiers_in_an_article_of_mice(dictionary):
    def sureness(text):
        return max(
            f.confidence
            for f in dictionary.annotate(parse_xmlrpc_article_parameter(text))
            if f.kind is Kind.NORMALIZATION
        )

    assert sureness("TP53\nin mice") < 0.5 < sureness("TP53\nin mice and in human cells")


def test_it_says_which_column_is_missing():
    with pytest.raises(ValueError, match="no column 'Status'"):
        GeneNameTable().read_human(["symbol\tname", "TP53\tp53"])
