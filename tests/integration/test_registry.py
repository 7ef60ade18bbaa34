"""Tables of identifiers become Entries; loading them again brings them up to date."""

from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from annotations.models import Entry
from annotations.registering import BATCH, load_registry, register
from annotations.registry.entries import EntryRecord
from annotations.registry.taxonomy import TABLE, species

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LATER = datetime(2026, 1, 3, tzinfo=UTC)
TNF = EntryRecord("ncbigene", "7124", "HGNC", True, "tumor necrosis factor", "TNF", ("DIF", "TNFA"), 9606)

pytestmark = pytest.mark.django_db


def test_it_writes_an_entry_and_updates_it():
    assert register([TNF], NOW) == 1
    Entry.objects.filter(identifier="7124").update(name="old", exists=None)
    assert register([TNF], LATER) == 1
    entry = Entry.objects.get()
    assert (entry.database, entry.identifier, entry.exists, entry.name) == ("ncbigene", "7124", True, TNF.name)
    assert (entry.symbol, entry.synonyms, entry.taxon, entry.source) == ("TNF", ["DIF", "TNFA"], 9606, "HGNC")
    assert entry.checked == LATER


def test_it_takes_the_last_of_two_records_of_one_identifier():
    assert register([TNF, EntryRecord("ncbigene", "7124", "HGNC", name="newer")], NOW) == 1
    assert Entry.objects.get().name == "newer"


def test_it_cuts_texts_that_are_too_long():
    register([EntryRecord("uniprot", "P01375", "HGNC", name="n" * 300, symbol="s" * 70, synonyms=("y" * 501,))], NOW)
    entry = Entry.objects.get()
    assert (len(entry.name), len(entry.symbol), len(entry.synonyms[0])) == (255, 64, 500)
    assert entry.name.endswith("n…")


def test_it_writes_in_batches(django_assert_max_num_queries):
    records = [EntryRecord("ncbigene", str(number), "HGNC") for number in range(1, BATCH + 2)]
    with django_assert_max_num_queries(8):
        assert register(records, NOW) == BATCH + 1


def test_it_loads_our_species():
    assert load_registry(TABLE, "species") == len(species())
    entry = Entry.objects.get(database="ncbitaxon", identifier="9606")
    assert (entry.name, entry.taxon, entry.exists) == ("Homo sapiens", 9606, True)
    assert "human" in entry.synonyms


def test_it_loads_a_table_from_the_command_line(capsys):
    call_command("load_registry", str(TABLE), "--format", "species")
    assert capsys.readouterr().out == f"{len(species())} entries of species.tsv are in the registry.\n"


def test_it_says_what_is_wrong_on_the_command_line(tmp_path):
    with pytest.raises(CommandError, match=r"none\.tsv cannot be read: No such file or directory\.$"):
        call_command("load_registry", str(tmp_path / "none.tsv"), "--format", "hgnc")
    with pytest.raises(CommandError, match=r"^species\.tsv:1:1: R411 the column “Approved symbol” is missing"):
        call_command("load_registry", str(TABLE), "--format", "hgnc")
    binary = tmp_path / "table.tsv"
    binary.write_bytes(b"\x1f\x8b\xff\xfe")
    for format in ("hgnc", "species"):
        with pytest.raises(CommandError, match=r"^table\.tsv:.* is not text in UTF-8"):
            call_command("load_registry", str(binary), "--format", format)
