"""A complete table of a database shows which identifiers do not exist; without a table, that is not checked."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotations.formats.errors import RefusedFileError
from annotations.identifiers.entry_storage import store_identifier_table_all_or_none
from annotations.identifiers.loaded_namespaces import find_unchecked_entities
from annotations.identifiers.models import Entry, LoadedNamespace
from annotations.identifiers.verification import check_identifiers, find_known_nonexistent_identifier_faults
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    RelationParts,
    Span,
    make_entity,
    make_mention,
)
from annotations.search.entity_curies import list_gene_curies_by_name_or_id

GO = """\
format-version: 1.2
ontology: go

[Term]
id: GO:0006915
name: apoptotic process
alt_id: GO:0006917

[Term]
id: GO:0000005
name: obsolete ribosomal chaperone activity
is_obsolete: true
"""
DESCRIPTORS = "D001943\tBreast Neoplasms\tBreast Cancer\tC04\t\n"
SUPPLEMENT = "C000002\tbevonium\t\tD001561\n"
HGNC = (
    "HGNC ID\tApproved symbol\tApproved name\tStatus\tAlias symbols\tPrevious symbols\t"
    "NCBI Gene ID(supplied by NCBI)\tUniProt ID(supplied by UniProt)\n"
    "HGNC:11892\tTNF\ttumor necrosis factor\tApproved\tDIF\tTNFA\t7124\tP01375\n"
    "HGNC:6\tA1S9T~withdrawn\tsymbol withdrawn, see [HGNC:12469](/data/x/HGNC:12469)\tSymbol Withdrawn\t\t\t\t\n"
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def load(tmp_path):
    """Loads the text of a table."""

    def load_text(text, name="table"):
        path = tmp_path / name
        path.write_text(text)
        return store_identifier_table_all_or_none(path)

    return load_text


def list_faults(*entities):
    return find_known_nonexistent_identifier_faults([make_entity(entity) for entity in entities])


def age_tables(days):
    LoadedNamespace.objects.update(completed=timezone.now() - timedelta(days=days))


def test_it_records_the_databases_of_a_table(load):
    load(GO, "go.obo")
    row = LoadedNamespace.objects.get()
    assert (row.database, row.title, row.source, row.entries) == ("go", "OBO ontology", "go.obo", 3)
    assert (row.complete_start, row.completed) == ("", row.loaded)
    load(HGNC, "hgnc.tsv")
    found = {row.database: row.completed is not None for row in LoadedNamespace.objects.all()}
    assert found == {"go": True, "hgnc": True, "ncbigene": False, "uniprot": False}


def test_a_refused_table_is_not_recorded(load):
    with pytest.raises(RefusedFileError):
        load(GO + "nonsense\n")
    assert not LoadedNamespace.objects.exists()


def test_it_reads_hgnc_ids_with_the_genes(load):
    load(HGNC)
    tnf, withdrawn = (Entry.objects.get(database="hgnc", identifier=number) for number in ("11892", "6"))
    assert (tnf.symbol, tnf.genes, tnf.withdrawn) == ("TNF", ["7124"], False)
    assert (withdrawn.symbol, withdrawn.successors, withdrawn.withdrawn) == ("A1S9T", ["12469"], True)


def test_an_identifier_that_a_complete_table_lacks_breaks_a_rule(load):
    load(GO)
    known = [EntityId("go", name) for name in ("0006915", "0006917", "0000005")]
    assert list_faults(*known, EntityId("chebi", "15377"), EntityId("go", "nonsense")) == []
    (fault,) = list_faults(*known, EntityId("go", "9999999"))
    assert (fault.code, fault.where, fault.index) == ("R301", "entity[3].identifier", 3)
    assert fault.message == "Gene Ontology has no entry 9999999: it is not in the table that this site has."


def test_links_and_arguments_are_checked(load):
    load(GO)
    wrong = EntityId("go", "9999999")
    mention = make_mention([Span(0, 5)], "death", "Process", [EntityId("go", "0006915"), wrong])
    arguments = (RelationArgument(identifiers=(wrong,)), RelationArgument(spans=(Span(0, 5),)))
    relation = AnnotationData(Kind.RELATION, type="causes", relation=RelationParts(arguments))
    faults = find_known_nonexistent_identifier_faults([mention, relation])
    assert [fault.where for fault in faults] == ["mention[0].identifiers", "relation[1].arguments"]


def test_a_mention_only_loses_the_link(load):
    load(GO)
    known, wrong = EntityId("go", "0006915"), EntityId("go", "9999999")
    mention = make_mention([Span(0, 5)], "death", "Process", [known, wrong])
    linked = RelationArgument(identifiers=(wrong,), spans=(Span(0, 5),), text="death")
    relations = [
        AnnotationData(Kind.RELATION, type="causes", relation=RelationParts((argument, linked)))
        for argument in (RelationArgument(identifiers=(known,)), RelationArgument(identifiers=(known, wrong)))
    ]
    checked = check_identifiers([mention, *relations])
    assert [fault.where for fault in checked.broken_rules] == ["relation[2].arguments"] * 2
    assert [fault.where for fault in checked.removed_links] == ["mention[0].identifiers", "relation[1].arguments"]
    assert [len(each.relation.arguments[1].identifiers) for each in checked.annotations[1:]] == [0, 0]
    assert checked.annotations[0] == replace(mention, identifiers=(known,))
    assert check_identifiers([make_mention([Span(0, 5)], "death")]).removed_links == []


def test_an_incomplete_table_says_nothing_about_other_identifiers(load):
    load(DESCRIPTORS)
    load(SUPPLEMENT)
    assert [fault.index for fault in list_faults(EntityId("mesh", "C999999"), EntityId("mesh", "D999999"))] == [1]


def test_a_complete_table_becomes_too_old(load, settings):
    load(GO)
    age_tables(settings.REGISTRY_DAYS + 1)
    assert list_faults(EntityId("go", "9999999")) == []
    assert find_unchecked_entities([EntityId("go", "9999999"), EntityId("go", "0006915")]) == {
        EntityId("go", "9999999")
    }


def test_an_entry_that_is_not_looked_up_yet_is_not_known(load):
    load(GO)
    Entry.objects.create(database="go", identifier="9999999", reported=True)
    assert len(list_faults(EntityId("go", "9999999"))) == 1
    Entry.objects.create(database="uniprot", identifier="P04637", reported=True)
    assert list_faults(EntityId("uniprot", "P04637")) == []


def test_what_is_not_checked(load, django_assert_num_queries):
    load(GO)
    load(DESCRIPTORS)
    Entry.objects.create(database="uniprot", identifier="P00000", exists=False, reported=True)
    Entry.objects.create(database="uniprot", identifier="P04637", reported=True)
    checked = {EntityId("go", "0006915"), EntityId("go", "9999999"), EntityId("mesh", "D999999")}
    checked.add(EntityId("uniprot", "P00000"))
    unchecked = {EntityId("mesh", "C999999"), EntityId("uniprot", "P04637"), EntityId("dbsnp", "rs334")}
    unchecked.add(EntityId("", "c|SUB|C|1858|T"))
    with django_assert_num_queries(1):
        assert find_unchecked_entities([*checked, *unchecked, *checked]) == unchecked
    with django_assert_num_queries(0):
        assert find_unchecked_entities([]) == set()


def test_tables_of_other_databases_do_not_change_the_search_for_genes(load):
    load(HGNC)
    before = list_gene_curies_by_name_or_id("TNF")
    load("format-version: 1.2\nontology: chebi\n\n[Term]\nid: CHEBI:1\nname: TNF\n")
    assert list_gene_curies_by_name_or_id("TNF") == before == ["ncbigene:7124", "uniprot:P01375"]


def test_it_loads_ontologies_from_the_command_line(tmp_path, capsys):
    path = tmp_path / "go.obo"
    path.write_text(GO)
    call_command("load_registry", str(path))
    assert capsys.readouterr().out == "go.obo (OBO ontology): 3 entries written.\n"
