"""The many spellings of a database's name, as annotation servers write them."""

from bcms.lib.text import strip_case_spaces_and_dashes

DATABASES_BY_SPELLING = {
    "uniprot": "uniprot",
    "uniprotkb": "uniprot",
    "uniprotkb/swissprot": "uniprot",
    "uniprot/swissprot": "uniprot",
    "uniprotac": "uniprot",
    "uniprotaccession": "uniprot",
    "swissprot": "uniprot",
    "trembl": "uniprot",
    "sp": "uniprot",
    "ncbigene": "ncbigene",
    "ncbi_gene": "ncbigene",
    "ncbi:gene": "ncbigene",
    "entrez": "ncbigene",
    "entrezgene": "ncbigene",
    "entrez_gene": "ncbigene",
    "entrezgeneid": "ncbigene",
    "entrezgene/locuslink": "ncbigene",
    "locuslink": "ncbigene",
    "gene": "ncbigene",
    "geneid": "ncbigene",
    "gene_id": "ncbigene",
}
# How we write them in our own answers.
DATABASE_SPELLINGS = {"uniprot": "UniProt", "ncbigene": "EntrezGene"}


def normalize_known_database_name(spelling: str) -> str:
    """Our short name of a database ("UniProt-KB" is "uniprot"); the spelling itself when it is none that we know."""
    return DATABASES_BY_SPELLING.get(strip_case_spaces_and_dashes(spelling), spelling)
