"""The table of species: every id and name is the taxonomy's, and no word or heading means two species."""

import gzip
import re
from collections import Counter
from io import BytesIO

import pytest

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.tables.species import (
    list_known_taxa_of_mesh_headings,
    list_species_of_bundled_table,
    read_known_species,
    read_species_entries,
)
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from tests.shared_data import require_shared_path

# The words that speak of any organism, or of none.
TOO_BROAD = {"animal", "animals", "virus", "viruses", "bacteria", "monkey", "monkeys", "plant", "plants", "mammal"}


def test_it_has_the_ids_and_names_of_the_taxonomy():
    named = {}
    with gzip.open(require_shared_path("taxonomy", "speclist.txt.gz"), "rt", encoding="ascii") as lines:
        for line in lines:
            if found := re.match(r"\S+\s+[ABEVO]\s+(\d+): N=(.*)", line):
                named[int(found[1])] = found[2]
    assert {known.taxon: named.get(known.taxon) for known in list_species_of_bundled_table()} == {
        known.taxon: known.name for known in list_species_of_bundled_table()
    }


def test_it_names_each_species_once():
    for names in (
        [known.taxon for known in list_species_of_bundled_table()],
        [known.name for known in list_species_of_bundled_table()],
        [heading for known in list_species_of_bundled_table() for heading in known.mesh],
    ):
        assert [name for name, count in Counter(names).items() if count > 1] == []


def test_it_lets_no_word_mean_two_species():
    words = Counter(word.lower() for known in list_species_of_bundled_table() for word in {*known.words, known.name})
    assert [word for word, count in words.items() if count > 1] == []
    assert not TOO_BROAD & words.keys()


def test_it_has_no_stray_white_space():
    for known in list_species_of_bundled_table():
        for text in (known.name, *known.common, *known.mesh, *known.words):
            assert text == " ".join(text.split())


@pytest.mark.parametrize(
    ("headings", "taxa"),
    [
        (["Humans", "Animals", "Rats", "Time Factors"], [9606, 10116]),
        (["Mice", "Macaca mulatta", "Rabbits", "Dogs", "Cattle"], [9544, 9615, 9913, 9986, 10090]),
        (["Escherichia coli", "Escherichia coli"], [562]),
        (["Papio", "Trout", "Haplorhini"], []),
    ],
)
def test_it_turns_headings_at_species_level_into_taxa(headings, taxa):
    assert list_known_taxa_of_mesh_headings(headings) == taxa


def test_it_gives_every_form_of_a_name():
    known = {each.taxon: each for each in list_species_of_bundled_table()}
    assert known[562].forms[:2] == ("Escherichia coli", "E. coli")
    assert {"mouse", "mice", "murine", "M. musculus"} <= set(known[10090].forms)


def lines(text):
    return FaultNotingTableLines(BytesIO(text.encode()), "species.tsv")


def test_it_gives_entries_of_the_taxonomy():
    table = "taxon\tname\tcommon\tmesh\twords\n9606\tHomo sapiens\thuman|man\tHumans\tpatients\n"
    (entry,) = read_species_entries(lines(table))
    assert (entry.database, entry.identifier, entry.name, entry.taxon) == ("ncbitaxon", "9606", "Homo sapiens", 9606)
    assert entry.synonyms == ("human", "man", "patients")


def test_it_says_which_column_is_missing():
    with pytest.raises(RefusedFileError, match=r"^species\.tsv:1:1: R433 the column “common” is missing"):
        list(read_known_species(lines("taxon\tname\n")))


def test_it_says_which_taxon_is_no_number():
    table = lines("taxon\tname\tcommon\tmesh\twords\nman\tHomo sapiens\t\t\t\n")
    assert list(read_known_species(table)) == []
    assert str(table.faults[0]).startswith("species.tsv:2:1: R421 “man” is not an NCBI Taxonomy id")
