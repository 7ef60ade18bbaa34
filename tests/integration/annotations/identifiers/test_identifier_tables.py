"""Tables of identifiers become Entries; loading them again brings them up to date."""

import gzip
from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_storage import (
    store_identifier_table_all_or_none,
    upsert_entries_unless_second_hand_replaces_first,
)
from annotations.identifiers.loaded_namespaces import find_unchecked_entities
from annotations.identifiers.models import Entry
from annotations.identifiers.psi_mi_terms import load_shipped_psi_mi_terms
from annotations.identifiers.queries import find_named_entries, find_psi_mi_terms
from annotations.identifiers.tables.species import SPECIES_TABLE, list_species_of_bundled_table
from annotations.schema import EntityId
from annotations.search.entity_curies import list_method_curies_by_name_or_id
from tests.shared_data import require_shared_path

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LATER = datetime(2026, 1, 3, tzinfo=UTC)
TNF = EntryRecord("ncbigene", "7124", "HGNC", True, "tumor necrosis factor", "TNF", ("DIF", "TNFA"), 9606)
GENES = """\
#tax_id\tGeneID\tSymbol\tLocusTag\tSynonyms\tdescription
9606\t7124\tTNF\t-\tDIF|TNFA\ttumor necrosis factor
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def gene_info(tmp_path):
    """Writes a table and gives its path."""

    def write(text=GENES, name="gene_info"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_it_writes_an_entry_and_updates_it():
    assert upsert_entries_unless_second_hand_replaces_first([TNF], NOW) == 1
    Entry.objects.filter(identifier="7124").update(name="old", exists=None, reported=True)
    assert upsert_entries_unless_second_hand_replaces_first([TNF], LATER) == 1
    entry = Entry.objects.get()
    assert (entry.database, entry.identifier, entry.exists, entry.name) == ("ncbigene", "7124", True, TNF.name)
    assert (entry.symbol, entry.synonyms, entry.taxon, entry.source) == ("TNF", ["DIF", "TNFA"], 9606, "HGNC")
    assert (entry.checked, entry.reported, entry.withdrawn, entry.successors) == (LATER, True, False, [])


def test_it_leaves_no_names_for_lookups_to_read_through():
    upsert_entries_unless_second_hand_replaces_first([TNF], NOW)
    with connection.cursor() as cursor:
        cursor.execute("SELECT gin_clean_pending_list('entry_names') + gin_clean_pending_list('entry_lexemes')")
        assert cursor.fetchall() == [(0,)]


def test_it_takes_the_last_of_two_records_of_one_identifier():
    assert (
        upsert_entries_unless_second_hand_replaces_first(
            [TNF, EntryRecord("ncbigene", "7124", "HGNC", name="newer")], NOW
        )
        == 1
    )
    assert Entry.objects.get().name == "newer"


def test_it_takes_an_entry_before_another_entrys_old_name():
    old_name = EntryRecord("uniprot", "P01375", "UniProt", name="other", withdrawn=True, successors=("P99999",))
    upsert_entries_unless_second_hand_replaces_first(
        [EntryRecord("uniprot", "P01375", "UniProt", name="TNF"), old_name], NOW
    )
    entry = Entry.objects.get()
    assert (entry.name, entry.withdrawn, entry.successors) == ("TNF", False, [])


def test_it_knows_an_accession_that_was_divided():
    def named(successor):
        return EntryRecord("uniprot", "P62158", "UniProt", name=successor, withdrawn=True, successors=(successor,))

    upsert_entries_unless_second_hand_replaces_first([named("P0DP24"), named("P0DP23"), named("P0DP25")], NOW)
    entry = Entry.objects.get()
    assert (entry.exists, entry.withdrawn, entry.name) == (True, True, "")
    assert entry.successors == ["P0DP23", "P0DP24", "P0DP25"]


def test_it_lets_the_database_itself_have_the_last_word():
    upsert_entries_unless_second_hand_replaces_first([TNF], NOW)
    upsert_entries_unless_second_hand_replaces_first(
        [EntryRecord("ncbigene", "7124", "NCBI Gene", name="NCBI's name")], NOW
    )
    assert upsert_entries_unless_second_hand_replaces_first([TNF], LATER) == 0
    assert Entry.objects.get().name == "NCBI's name"


def test_it_keeps_the_genes_of_a_protein_whatever_source_knows_them():
    def protein(source, *genes):
        return EntryRecord("uniprot", "P01375", source, name=source, genes=genes)

    steps = (
        (protein("UniProt"), ("UniProt", [])),
        (protein("HGNC", "7124"), ("UniProt", ["7124"])),
        (protein("UniProt"), ("UniProt", ["7124"])),
        (protein("UniProt", "7124", "9"), ("UniProt", ["7124", "9"])),
        (protein("HGNC", "7124"), ("UniProt", ["7124", "9"])),
    )
    for record, expected in steps:
        upsert_entries_unless_second_hand_replaces_first([record], NOW)
        entry = Entry.objects.get()
        assert (entry.name, entry.genes) == expected


def test_it_cuts_texts_that_are_too_long():
    upsert_entries_unless_second_hand_replaces_first(
        [EntryRecord("uniprot", "P01375", "HGNC", name="n" * 300, symbol="s" * 70, synonyms=("y" * 501,))], NOW
    )
    entry = Entry.objects.get()
    assert (len(entry.name), len(entry.symbol), len(entry.synonyms[0])) == (255, 64, 500)
    assert entry.name.endswith("n…")


def test_it_stores_any_text():
    odd = ('a\\b "c" {d}', "\\N", "α, 𝔸", "one\ttwo\nthree\x1ffour", "\ud800")
    upsert_entries_unless_second_hand_replaces_first(
        [EntryRecord("uniprot", "P01375", "UniProt", name=odd[0], synonyms=odd)], NOW
    )
    entry = Entry.objects.get()
    assert entry.name == odd[0]
    assert entry.synonyms[:4] == [odd[0], "\\N", "α, 𝔸", "one two three four"]


def test_it_writes_many_by_few_statements(django_assert_max_num_queries):
    records = [EntryRecord("ncbigene", str(number), "HGNC") for number in range(1, 5001)]
    with django_assert_max_num_queries(10):
        assert upsert_entries_unless_second_hand_replaces_first(records, NOW) == 5000


def test_it_loads_our_species():
    loaded = store_identifier_table_all_or_none(SPECIES_TABLE)
    assert (loaded.title, loaded.entries) == ("species table", len(list_species_of_bundled_table()))
    entry = Entry.objects.get(database="ncbitaxon", identifier="9606")
    assert (entry.name, entry.taxon, entry.exists) == ("Homo sapiens", 9606, True)
    assert "human" in entry.synonyms


def test_it_stores_nothing_of_a_bad_table_and_tells_all_faults(gene_info):
    with pytest.raises(RefusedFileError) as caught:
        store_identifier_table_all_or_none(
            gene_info(GENES + "9606\tseven\tA\t-\t-\t-\n9606\n" + "9606\t8\tB\t-\t-\t-\n")
        )
    assert [fault.line for fault in caught.value.faults] == [3, 4]
    assert not Entry.objects.exists()


def test_it_tells_why_it_stopped_reading(gene_info):
    with pytest.raises(RefusedFileError, match=r"reading stopped after 1,000 faults"):
        store_identifier_table_all_or_none(gene_info(GENES + "9606\tseven\tA\t-\t-\t-\n" * 1001))
    assert not Entry.objects.exists()


def test_it_tells_how_far_it_is(gene_info):
    told = []
    rows = "".join(f"9606\t{number}\tG{number}\t-\t-\tgene\n" for number in range(1, 40_001))
    assert store_identifier_table_all_or_none(gene_info(GENES + rows), told.append).entries == 40_000
    assert len(told) == 5
    assert told[-1] == 1
    assert told == sorted(told)
    assert 0.2 < told[0] < 0.3


def test_it_loads_tables_from_the_command_line(capsys, gene_info):
    packed = gene_info(name="gene_info.gz")
    packed.write_bytes(gzip.compress(GENES.encode()))
    call_command("load_registry", str(SPECIES_TABLE), str(packed))
    assert capsys.readouterr().out == (
        f"species.tsv (species table): {len(list_species_of_bundled_table())} entries written.\n"
        "gene_info.gz (NCBI gene_info): 1 entries written.\n"
    )


NEWER_ONTOLOGY = """format-version: 1.2
ontology: mi

[Term]
id: MI:0000
name: molecular interaction

[Term]
id: MI:0001
name: interaction detection method
is_a: MI:0000 ! molecular interaction

[Term]
id: MI:9000
name: new hybrid
synonym: "N2H" EXACT PSI-MI-short []
is_a: MI:0001 ! interaction detection method
is_a: GO:0000001 ! another ontology

[Term]
id: MI:0018
name: two hybrid
is_a: MI:0001
is_obsolete: true
"""


def test_it_says_what_is_wrong_on_the_command_line(tmp_path, gene_info):
    with pytest.raises(CommandError, match=r"^Cannot read .*none\.tsv: No such file or directory\.$"):
        call_command("load_registry", str(tmp_path / "none.tsv"))
    with pytest.raises(CommandError, match=r"gene_info:3:1: R435 .*\ngene_info:4:1: R434 .*\nNothing of gene_info was"):
        call_command("load_registry", str(gene_info(GENES + "9606\tseven\tA\t-\t-\t-\n9606\n")))
    binary = tmp_path / "table.tsv"
    binary.write_bytes(b"\x1f\x8b\xff\xfe")
    with pytest.raises(CommandError, match=r"^table\.tsv:1:1: R431 .*\ntable\.tsv:1:1: R430 this table is not"):
        call_command("load_registry", str(binary))


def test_it_loads_the_real_ontology():
    loaded = store_identifier_table_all_or_none(require_shared_path("ontology", "psi-mi.obo.gz"))
    assert loaded.entries == Entry.objects.count() > 1600
    assert Entry.objects.filter(withdrawn=True, successors=[]).count() > 150
    assert Entry.objects.get(identifier="MI:0018").name == "two hybrid"


def test_a_loaded_ontology_takes_the_place_of_the_shipped_terms(tmp_path):
    assert find_psi_mi_terms() is load_shipped_psi_mi_terms()
    ontology = tmp_path / "psi-mi.obo"
    ontology.write_text(NEWER_ONTOLOGY, encoding="utf-8")
    store_identifier_table_all_or_none(ontology)
    terms = find_psi_mi_terms()
    assert [term.name for term in terms.list_terms_below("MI:0001")] == ["new hybrid"]
    assert terms.find_term("MI:0018") is None
    assert terms.list_terms_named("new-hybrid")[0].synonyms == ("N2H",)
    ontology.write_text(NEWER_ONTOLOGY.replace("new hybrid", "newer hybrid"), encoding="utf-8")
    store_identifier_table_all_or_none(ontology)
    assert find_psi_mi_terms().get_name("MI:9000") == "newer hybrid"


def test_it_knows_shipped_terms_without_an_ontology():
    two_hybrid, outside, unknown = (EntityId("psi-mi", each) for each in ("MI:0018", "MI:0002", "MI:9999"))
    Entry.objects.create(database="psi-mi", identifier="MI:0018", reported=True)
    found = find_named_entries([two_hybrid, outside, unknown])
    assert list(found) == [two_hybrid]
    assert (found[two_hybrid].name, found[two_hybrid].exists) == ("two hybrid", True)
    assert find_unchecked_entities([two_hybrid, outside, unknown]) == {outside, unknown}
    assert list_method_curies_by_name_or_id("Y2H") == ["psi-mi:MI:0018"]
    Entry.objects.update(exists=True, name="another name")
    assert find_named_entries([two_hybrid])[two_hybrid].name == "another name"


def test_it_maps_the_secondary_accessions_of_a_real_entry():
    store_identifier_table_all_or_none(require_shared_path("samples", "uniprot", "P62258.txt"))
    assert Entry.objects.get(identifier="P29360").successors == ["P62258"]
    assert Entry.objects.get(identifier="1433E_HUMAN").successors == ["P62258"]
    assert Entry.objects.get(identifier="P62258").symbol == "YWHAE"
