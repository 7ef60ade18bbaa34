"""The species annotator names the organisms of small texts."""

import pytest

from servers.kit.articles import parse_xmlrpc_article_parameter
from servers.reference.species_dictionary import NamedSpecies, SpeciesDictionary, parse_species_table

TABLE = """taxon	name	common	words
9606	Homo sapiens	human|man	human|patient|children
10090	Mus musculus	mouse|house mouse	mouse|mice|murine
10116	Rattus norvegicus	rat	rat|rats
10141	Cavia porcellus	guinea pig	guinea pig|guinea pigs
9823	Sus scrofa	pig	pig|pigs|swine
562	Escherichia coli	colibacillus	coliform
"""
SPECIES = [
    NamedSpecies(9606, ("Homo sapiens", "human")),
    NamedSpecies(10090, ("Mus musculus", "mouse", "mice")),
    NamedSpecies(10141, ("Cavia porcellus", "guinea pig")),
    NamedSpecies(9823, ("Sus scrofa", "pig")),
    NamedSpecies(562, ("Escherichia coli",)),
]


def taxa(text):
    return [finding.identifier for finding in SpeciesDictionary(SPECIES).annotate(parse_xmlrpc_article_parameter(text))]


def test_it_reads_the_table_of_species():
    mouse = parse_species_table(TABLE.splitlines())[1]
    assert mouse == NamedSpecies(10090, ("Mus musculus", "mouse", "house mouse", "mouse", "mice", "murine"))


def test_it_says_which_column_is_missing():
    with pytest.raises(ValueError, match="no column 'words'"):
        parse_species_table(["taxon\tname\tcommon", "9606\tHomo sapiens\thuman"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Growth of mice\nThe mouse is small.", ["10090"]),
        ("Lungs\nGuinea pigs were kept for two weeks.", ["10141"]),
        ("Guinea pigs and a pig\nBoth were fed.", ["10141", "9823"]),
        ("Phage\nIt infects E. coli and Escherichia coli K12.", ["562"]),
        ("Outcome\nTwelve women were treated.", ["9606"]),
        ("Prognosis of carcinoma\nSurgery was of use.", ["9606"]),
        ("The MICE package\nA CAT assay.", []),
        ("Crystal structure\nOf a small molecule.", []),
    ],
)
def test_it_finds_the_organisms(text, expected):
    assert taxa(text) == expected


def test_it_leaves_out_people_named_once_beside_an_animal():
    assert taxa("Growth of mice\nThe drug is safe in patients.") == ["10090"]


def test_it_is_surer_of_what_stands_in_the_title():
    article = parse_xmlrpc_article_parameter("Of mice\nMice, a pig.")
    mouse, pig = SpeciesDictionary(SPECIES).annotate(article)
    assert (mouse.identifier, pig.identifier) == ("10090", "9823")
    assert 1.0 >= mouse.confidence > pig.confidence > 0.0
