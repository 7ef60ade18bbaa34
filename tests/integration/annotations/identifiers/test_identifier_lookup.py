"""Identifiers that annotations name are asked for outside, once for all, by a task that nobody waits for."""

import threading
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.utils import timezone

from annotations import tasks
from annotations.advisory_locks import try_advisory_lock
from annotations.identifiers.lookup import due_identifiers
from annotations.identifiers.lookup.registry_pauses import pause_cache_key
from annotations.identifiers.models import Entry
from annotations.identifiers.reported_identifiers import (
    mark_result_batch_noted_queueing_identifiers,
    raise_article_or_private_producer_versions,
)
from annotations.identifiers.verification import check_identifiers, find_known_nonexistent_identifier_faults
from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_mention,
    make_relation,
)
from tests.integration.article_cast import read_version
from tests.registries import Answer, Registries, gene, inactive, protein

pytestmark = pytest.mark.django_db
P53 = AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P04637", taxon=9606)
TNF = AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier="7124")
CDH1, CDH4, CANCER = EntityId("ncbigene", "999"), EntityId("ncbigene", "1002"), EntityId("mesh", "D001943")
TUMOR, ASSAY, MOUSE = EntityId("mesh", "D009369"), EntityId("psi-mi", "MI:0018"), EntityId("ncbitaxon", "10090")
PAIR = AnnotationData(Kind.PAIR, database="uniprot", identifier="P04637", partner="Q00987")


@pytest.fixture
def held(settings):
    """The databases on loopback, and the settings that lead to them."""
    with Registries() as registries:
        settings.ASK_REGISTRIES = True
        settings.UNIPROT_URL = registries.url
        settings.ENTREZ_URL = registries.url + "eutils/"
        settings.PSI_MI_URL = registries.url + "psi-mi.obo"
        settings.CONTACT_EMAIL = "site@example.org"
        yield registries


def store_server_annotations(article, *findings, name="a server"):
    producer, _ = Producer.objects.get_or_create(sort=Producer.Type.SERVER, name=name, public=True)
    kinds = {kind: [finding for finding in findings if finding.kind == kind] for kind in {f.kind for f in findings}}
    return store_results_superseding_earlier(article, producer, kinds)


def entry(database, identifier):
    return Entry.objects.get(database=database, identifier=identifier)


def test_it_notes_what_is_reported_once_whoever_reports_it(article):
    store_server_annotations(article, P53, PAIR)
    store_server_annotations(article, P53, TNF, name="another server")
    assert mark_result_batch_noted_queueing_identifiers() == 3
    assert mark_result_batch_noted_queueing_identifiers() == 0
    named = set(Entry.objects.filter(reported=True, exists=None).values_list("database", "identifier"))
    assert named == {("uniprot", "P04637"), ("uniprot", "Q00987"), ("ncbigene", "7124"), ("ncbitaxon", "9606")}


def test_it_keeps_what_is_known_of_what_is_reported(article):
    Entry.objects.create(database="uniprot", identifier="P04637", exists=True, name="p53")
    store_server_annotations(article, P53)
    mark_result_batch_noted_queueing_identifiers()
    assert (entry("uniprot", "P04637").name, entry("uniprot", "P04637").reported) == ("p53", True)


def test_it_leaves_results_without_identifiers_alone(article):
    store_server_annotations(
        article,
        AnnotationData(Kind.MENTION, start=8, end=12, text="CDH1"),
        AnnotationData(Kind.CLASSIFICATION, relevant=True),
    )
    assert mark_result_batch_noted_queueing_identifiers() == 0
    assert not Entry.objects.filter(reported=True).exists()


def test_it_marks_stored_results_without_identifiers_once(article):
    """Results of mentions that were stored when mentions had no links."""
    store_server_annotations(article, AnnotationData(Kind.MENTION, start=8, end=12, text="CDH1"))
    Result.objects.update(noted=False)
    assert mark_result_batch_noted_queueing_identifiers() == 1
    assert mark_result_batch_noted_queueing_identifiers() == 0
    assert not Entry.objects.filter(reported=True).exists()


def test_it_notes_links_of_mentions_and_the_entities_of_open_kinds(article):
    one, two = (make_mention([Span(8, 12)], "CDH1", "Gene", links) for links in ([CDH1], [CDH4, CANCER]))
    unknown = make_mention([Span(0, 4)], "1858", "Variant", [EntityId("", "c|SUB|C|1858|T"), EntityId("x", "y" * 65)])
    arguments = [RelationArgument(identifiers=(TUMOR,)), RelationArgument(identifiers=(ASSAY,), spans=(Span(0, 4),))]
    store_server_annotations(
        article, one, two, unknown, make_entity(MOUSE, "Species", taxon=10090), make_relation("Association", arguments)
    )
    assert mark_result_batch_noted_queueing_identifiers() == 3
    named = set(Entry.objects.filter(reported=True).values_list("database", "identifier"))
    assert named == {CDH1, CDH4, CANCER, TUMOR, ASSAY, MOUSE}


@pytest.mark.parametrize("identifier", ["999", "1002", "7", "8"])
def test_pages_are_updated_when_entries_of_links_or_arguments_change(article, identifier):
    one, two = (make_mention([Span(8, 12)], "CDH1", "Gene", links) for links in ([CDH1], [CDH4, CANCER]))
    arguments = [RelationArgument(identifiers=(EntityId("ncbigene", name),)) for name in ("7", "8")]
    store_server_annotations(article, one, two, make_relation("Bind", arguments))
    before = read_version(article)
    assert raise_article_or_private_producer_versions("mesh", [identifier]) == 0
    assert raise_article_or_private_producer_versions("ncbigene", [identifier]) == 1
    assert read_version(article) == before + 1


def test_it_asks_and_the_page_learns_of_it(article, held):
    held.proteins = {"P04637": protein("P04637", "Cellular tumor antigen p53", "TP53", taxon=9606)}
    held.genes = {"7124": gene("7124", "TNF", taxon="10090")}
    held.taxa = {"9606": "<Taxon><TaxId>9606</TaxId><ScientificName>Homo sapiens</ScientificName></Taxon>"}
    store_server_annotations(article, P53, TNF)
    before = read_version(article)
    assert not due_identifiers.queue_and_look_up_due_identifiers(
        5
    ) or not due_identifiers.queue_and_look_up_due_identifiers(5)
    p53 = entry("uniprot", "P04637")
    assert (p53.exists, p53.name, p53.symbol, p53.source) == (True, "Cellular tumor antigen p53", "TP53", "UniProt")
    assert entry("ncbitaxon", "9606").name == "Homo sapiens"
    assert entry("ncbitaxon", "10090").exists is False
    assert read_version(article) > before
    assert len(held.named("accessions=P04637")) == 1
    assert held.senders == {"site@example.org"}


def test_it_asks_for_each_identifier_once(article, held):
    held.proteins = {"P04637": protein("P04637"), "Q00987": protein("Q00987")}
    store_server_annotations(article, P53, PAIR)
    due_identifiers.queue_and_look_up_due_identifiers(5)
    store_server_annotations(article, P53, PAIR, name="another server")
    held.asked.clear()
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert held.named("accessions") == []


def test_it_asks_again_when_an_answer_is_old(article, held, settings):
    settings.REGISTRY_DAYS = 30
    held.proteins = {"P04637": protein("P04637", "old name")}
    store_server_annotations(article, PAIR)
    due_identifiers.queue_and_look_up_due_identifiers(5)
    days = {name: (entry("uniprot", name).due - timezone.now()).days for name in ("P04637", "Q00987")}
    assert days == {"P04637": 29, "Q00987": 6}
    Entry.objects.update(due=timezone.now() - timedelta(seconds=1))
    held.proteins["P04637"] = protein("P04637", "new name")
    before = read_version(article)
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert entry("uniprot", "P04637").name == "new name"
    assert read_version(article) == before + 1


def test_it_tells_no_page_when_nothing_is_new(article, held):
    held.proteins = {"P04637": protein("P04637")}
    store_server_annotations(article, P53)
    due_identifiers.queue_and_look_up_due_identifiers(5)
    before = read_version(article)
    Entry.objects.update(due=timezone.now())
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert read_version(article) == before


def test_it_does_not_ask_for_what_nobody_reports(held):
    Entry.objects.create(database="uniprot", identifier="P04637")
    assert due_identifiers.queue_and_look_up_due_identifiers(5) is False
    assert held.asked == []


def test_it_asks_for_the_newest_first(article, held, monkeypatch):
    for name in ("P00001", "P00002", "P00003"):
        store_server_annotations(
            article, AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=name), name=name
        )
        mark_result_batch_noted_queueing_identifiers()
    assert due_identifiers.list_next_reported_due_identifiers("uniprot", 2) == ["P00003", "P00002"]


def test_it_breaks_a_rule_only_when_an_identifier_never_was(article, held):
    held.proteins = {"Q15086": "P04637", "P04637": protein("P04637"), "A0A001": inactive("A0A001", "DELETED")}
    names = ("Q15086", "A0A001", "Q99999", "P04637-2")
    findings = [AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=name) for name in names]
    assert find_known_nonexistent_identifier_faults(findings) == []
    store_server_annotations(article, *findings)
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert [(rule.code, rule.index) for rule in find_known_nonexistent_identifier_faults(findings)] == [("R301", 2)]


def test_a_link_that_never_was_breaks_no_rule_of_its_mention(article):
    Entry.objects.create(database="ncbigene", identifier="999", exists=False)
    assert check_identifiers([make_mention([Span(8, 12)], "CDH1", "Gene", [CDH1])]).broken_rules == []
    (fault,) = check_identifiers([make_entity(CDH1, "Gene")]).broken_rules
    assert (fault.code, fault.where) == ("R301", "entity[0].identifier")


def test_it_looks_into_the_ontology_once(article, held):
    held.ontology = b"format-version: 1.2\n\n[Term]\nid: MI:0018\nname: two hybrid\n"
    store_server_annotations(
        article, *(AnnotationData(Kind.METHOD, database="psi-mi", identifier=name) for name in ("MI:0018", "MI:9999"))
    )
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert [entry("psi-mi", name).exists for name in ("MI:0018", "MI:9999")] == [True, False]
    assert len(held.named("psi-mi.obo")) == 1


def test_it_does_not_ask_for_what_can_be_no_identifier(article, held):
    store_server_annotations(article, AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P53_HUMAN"))
    store_server_annotations(
        article, AnnotationData(Kind.NORMALIZATION, database="nowhere", identifier="1"), name="another"
    )
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert held.asked == []
    assert entry("uniprot", "P53_HUMAN").exists is None
    assert due_identifiers.list_next_reported_due_identifiers("uniprot", 5) == []


def test_it_keeps_what_it_knows_when_a_database_passes_over_it(article, held):
    held.genes = {"7124": "<DocumentSummary uid='7124'><error>try later</error></DocumentSummary>"}
    Entry.objects.create(database="ncbigene", identifier="7124", exists=True, name="TNF", due=timezone.now())
    store_server_annotations(article, TNF)
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert (entry("ncbigene", "7124").exists, entry("ncbigene", "7124").name) == (True, "TNF")
    assert due_identifiers.list_next_reported_due_identifiers("ncbigene", 5) == []


def test_it_leaves_a_database_alone_that_does_not_answer(article, held, caplog):
    held.genes = {"7124": gene("7124", "TNF", taxon="0")}
    held.troubles = [Answer(500, b"")] * 2
    store_server_annotations(article, P53, TNF)
    Entry.objects.create(database="ncbitaxon", identifier="9606", exists=True, due=timezone.now() + timedelta(1))
    due_identifiers.queue_and_look_up_due_identifiers(5)
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert entry("uniprot", "P04637").exists is None
    assert entry("ncbigene", "7124").exists is True
    assert [text for text in caplog.messages if "UniProt" in text] == [
        "UniProt returned no usable answer (HTTP status 500). "
        "Retrying in 1 min; until then identifiers are not verified."
    ]
    cache.delete(pause_cache_key("uniprot"))
    held.proteins = {"P04637": protein("P04637")}
    due_identifiers.queue_and_look_up_due_identifiers(5)
    assert entry("uniprot", "P04637").exists is True
    assert "UniProt is available again" in caplog.messages


def test_it_waits_as_long_as_it_is_told_and_longer_each_time(article, held, caplog):
    store_server_annotations(article, AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier="P04637"))
    for trouble in (Answer(429, b"", {"Retry-After": "600"}), Answer(429, b"", {"Retry-After": "10"})):
        held.troubles = [trouble]
        cache.delete(pause_cache_key("uniprot"))
        due_identifiers.queue_and_look_up_due_identifiers(5)
    assert [text.split("Retrying in ")[1].split(";")[0] for text in caplog.messages] == ["10 min", "2 min"]


def test_it_is_off_where_the_settings_say_so(article, held, settings):
    settings.ASK_REGISTRIES = False
    store_server_annotations(article, P53)
    assert tasks.look_up_due_identifiers_requeueing_unless_busy() == "off"
    assert held.asked == []


def test_it_runs_until_there_is_no_more(article, held):
    held.proteins = {"P04637": protein("P04637")}
    store_server_annotations(article, P53)
    assert [
        tasks.look_up_due_identifiers_requeueing_unless_busy(),
        tasks.look_up_due_identifiers_requeueing_unless_busy(),
    ] == [
        "more",
        "done",
    ]
    assert entry("uniprot", "P04637").exists is True


@pytest.mark.django_db(transaction=True)
def test_it_asks_from_one_worker_at_a_time(article, held):
    store_server_annotations(article, P53)
    words = []

    def another_worker():
        words.append(tasks.look_up_due_identifiers_requeueing_unless_busy())
        connection.close()

    with try_advisory_lock(tasks.LOOKUP_LOCK) as free:
        assert free
        thread = threading.Thread(target=another_worker)
        thread.start()
        thread.join()
    assert words == ["busy"]
    assert held.asked == []
