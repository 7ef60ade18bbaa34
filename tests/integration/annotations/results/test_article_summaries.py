"""The figures of an article that lists find it by: what counts in them, when they are made, and that little is done."""

from dataclasses import replace
from unittest.mock import patch

import pytest
from django.core.management import call_command

from annotations.articles.imports.citation_import import import_citations_batch_by_batch
from annotations.articles.models import Article
from annotations.formats.pubmed.reader import Deletion
from annotations.identifiers.models import Entry
from annotations.identifiers.name_links import replace_outdated_identifiers
from annotations.identifiers.queries import add_stored_or_copied_successor_entries, find_named_entries
from annotations.results import article_summaries
from annotations.results.article_summaries import (
    list_first_articles_with_outdated_summary,
    update_summaries_returning_whether_more_remain,
)
from annotations.results.classification_balance import compute_classification_balance
from annotations.results.models import ArticleSummary, Producer
from annotations.results.producers import publish_producers_raising_article_versions
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import (
    AnnotationData,
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from annotations.search import pending_index_lists
from annotations.tasks import update_summaries_flushing_indexes_requeueing_unless_busy
from bcms.article_page.entry_names import EntryNames

CDH1, CANCER = EntityId("ncbigene", "999"), EntityId("mesh", "D001943")


def mention(start, end):
    return AnnotationData(Kind.MENTION, start=start, end=end, text="x" * (end - start))


def gene(identifier, taxon=None):
    return AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=identifier, taxon=taxon)


def relate(*ids, relation_type="Association", **options):
    """A relation between these entities; a number stands for a mention without links that starts there."""
    arguments = [
        RelationArgument("", (each,)) if isinstance(each, EntityId) else RelationArgument(spans=(Span(each, each + 4),))
        for each in ids
    ]
    return make_relation(relation_type, arguments, **options)


def name_roles(relation, *roles):
    arguments = tuple(replace(each, role=role) for each, role in zip(relation.arguments, roles, strict=True))
    return replace(relation, relation=replace(relation.relation, arguments=arguments))


def make_classification(relevant, confidence=None):
    return AnnotationData(Kind.CLASSIFICATION, relevant=relevant, confidence=confidence)


@pytest.fixture
def producer(db):
    def make(name, public=True, sort="server"):
        return Producer.objects.create(sort=sort, name=name, public=public)

    return make


def refresh_summary(article):
    update_summaries_returning_whether_more_remain()
    return ArticleSummary.objects.get(article=article)


def test_it_is_made_of_every_article(article):
    own = refresh_summary(article)
    assert (own.version, own.servers, own.producers, own.named) == (1, 0, [], [])
    assert (own.balance, own.disagreement, own.yes, own.no) == (None, None, 0, 0)


def test_a_server_counts_once_however_many_of_its_queues_are_public(article, producer):
    live, training, other = (producer(name) for name in ("one", "one", "two"))
    Producer.objects.filter(pk__in=[live.pk, training.pk]).update(server=7)
    for each, found in ((live, [make_classification(True, 0.8)]), (training, [make_classification(False)])):
        store_results_superseding_earlier(article, each, {Kind.CLASSIFICATION: found})
    store_results_superseding_earlier(article, other, {Kind.CLASSIFICATION: [make_classification(True, 0.8)]})
    store_results_superseding_earlier(article, training, {Kind.MENTION: [mention(0, 3)]})
    own = refresh_summary(article)
    assert (own.servers, own.yes, own.no, own.disagreement) == (2, 2, 0, 0.0)
    assert sorted(own.producers) == sorted([live.pk, training.pk, other.pk])


def test_it_counts_servers_that_found_nothing_too(article, producer):
    store_results_superseding_earlier(article, producer("one"), {Kind.MENTION: [], Kind.TAXON: []})
    store_results_superseding_earlier(article, producer("two"), {Kind.MENTION: [mention(0, 4)]})
    store_results_superseding_earlier(article, producer("author", sort="author"), {Kind.MENTION: [mention(0, 4)]})
    own = refresh_summary(article)
    assert (own.servers, len(own.producers)) == (2, 3)


def test_it_names_identifiers_partners_and_organisms(article, producer):
    pair = AnnotationData(Kind.PAIR, database="uniprot", identifier="P12830", partner="P35222")
    taxon = AnnotationData(Kind.TAXON, database="ncbitaxon", identifier="10090")
    method = AnnotationData(Kind.METHOD, database="psi-mi", identifier="MI:0018")
    said = {Kind.PAIR: [pair], Kind.TAXON: [taxon], Kind.METHOD: [method], Kind.NORMALIZATION: [gene("P12830", 9606)]}
    store_results_superseding_earlier(article, producer("one"), said)
    assert sorted(refresh_summary(article).named) == [
        "ncbitaxon:10090",
        "ncbitaxon:9606",
        "psi-mi:MI:0018",
        "uniprot:P12830",
        "uniprot:P35222",
    ]


def test_links_and_arguments_make_an_article_findable(article, producer):
    one, two = (make_mention([Span(0, 4)], "CDH1", "Gene", links) for links in ([CDH1], [CANCER, EntityId("", "c|1")]))
    said = {Kind.MENTION: [one, two], Kind.RELATION: [relate(CANCER, EntityId("psi-mi", "MI:0018"))]}
    store_results_superseding_earlier(article, producer("one"), said)
    assert sorted(refresh_summary(article).named) == [":c|1", "mesh:D001943", "ncbigene:999", "psi-mi:MI:0018"]


@pytest.mark.parametrize(
    "votes",
    [
        [make_classification(True, 0.9)],
        [make_classification(True, 0.9), make_classification(False, 0.25), make_classification(True)],
        [make_classification(False), make_classification(False, 0.5)],
    ],
)
def test_its_balance_is_that_of_the_article_page(article, producer, votes):
    for number, vote in enumerate(votes):
        store_results_superseding_earlier(article, producer(str(number)), {Kind.CLASSIFICATION: [vote]})
    own, expected = refresh_summary(article), compute_classification_balance(votes)
    assert own.balance == pytest.approx(expected.position)
    assert (own.yes, own.no) == (expected.yes, expected.no)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        # One server alone can agree with nobody.
        ([{Kind.MENTION: [mention(0, 4)]}], None),
        ([{Kind.MENTION: []}, {Kind.MENTION: []}], None),
        ([{Kind.MENTION: [mention(0, 4)]}, {Kind.TAXON: []}], None),
        # Of two servers: the share of annotations that only one of them makes.
        ([{Kind.MENTION: [mention(0, 4)]}, {Kind.MENTION: [mention(0, 4)]}], 0),
        ([{Kind.MENTION: [mention(0, 4)]}, {Kind.MENTION: []}], 1),
        ([{Kind.MENTION: [mention(0, 4), mention(5, 7)]}, {Kind.MENTION: [mention(0, 4)]}], 1 / 2),
        # Of three: for each annotation the share of the two others that do not make it, 0, 1/2 and 1.
        (
            [
                {Kind.NORMALIZATION: [gene("A"), gene("B"), gene("C")]},
                {Kind.NORMALIZATION: [gene("A"), gene("B")]},
                {Kind.NORMALIZATION: [gene("A", 9606)]},
            ],
            1 / 2,
        ),
        # A yes and a no are two things, each said by one.
        (
            [
                {Kind.CLASSIFICATION: [make_classification(True)]},
                {Kind.CLASSIFICATION: [make_classification(False, 0.2)]},
            ],
            1,
        ),
        (
            [
                {Kind.CLASSIFICATION: [make_classification(True)]},
                {Kind.CLASSIFICATION: [make_classification(True, 0.2)]},
            ],
            0,
        ),
        # A kind that one server alone looks for counts for nothing.
        (
            [
                {Kind.MENTION: [mention(0, 4)], Kind.NORMALIZATION: [gene("A")]},
                {Kind.MENTION: [mention(0, 4)]},
            ],
            0,
        ),
        # Partners are in no order.
        (
            [
                {Kind.PAIR: [AnnotationData(Kind.PAIR, database="uniprot", identifier="A", partner="B")]},
                {Kind.PAIR: [AnnotationData(Kind.PAIR, database="uniprot", identifier="B", partner="A")]},
            ],
            0,
        ),
    ],
)
def test_it_says_how_much_servers_disagree(article, producer, said, expected):
    for number, own in enumerate(said):
        store_results_superseding_earlier(article, producer(str(number)), own)
    assert refresh_summary(article).disagreement == (expected if expected is None else pytest.approx(expected))


GENE, UNTYPED = (make_mention([Span(0, 4)], "CDH1", each) for each in ("Gene", ""))
OTHER_GENE = make_mention([Span(5, 9)], "TP53", "GeneOrGeneProduct")
SICK = make_mention([Span(20, 26)], "cancer", "Disease")


@pytest.mark.parametrize(
    ("servers", "expected"),
    [
        # Each is a server: the types that it is registered for, and its mentions.
        ([([], [GENE]), ([], [SICK])], None),
        ([(["Gene"], [GENE]), (["Disease"], [SICK]), (["Gene"], [GENE])], 0),
        ([(["Gene"], [GENE]), (["Disease"], []), (["Gene"], [GENE])], 0),
        # A server that looks for genes and finds none disagrees.
        ([(["Gene"], [GENE]), (["Gene", "Disease"], [SICK])], 1),
        ([(["Gene"], [GENE]), (["gene product"], [])], None),
        ([(["GeneOrGeneProduct"], [GENE]), (["gene"], [])], 1),
        # Of two genes, one is found by both of the servers that look for them.
        ([([], [GENE, OTHER_GENE]), ([], [GENE]), ([], [SICK])], 1 / 2),
        # Servers of unknown types look for all: those that say nothing, and those that give no types.
        ([([], [GENE]), ([], [])], 1),
        ([([], [GENE]), ([], [UNTYPED])], 0),
        ([([], [SICK]), ([], [UNTYPED])], 1),
        # Types that are not given are those that the server is registered for.
        ([(["Gene"], [UNTYPED]), (["Disease"], [SICK])], None),
        ([(["Gene"], [UNTYPED]), (["Gene"], [])], 1),
    ],
)
def test_only_servers_that_look_for_a_type_disagree_about_it(article, producer, servers, expected):
    for number, (types, mentions) in enumerate(servers):
        own = producer(str(number))
        Producer.objects.filter(pk=own.pk).update(entity_types=types)
        store_results_superseding_earlier(article, own, {Kind.MENTION: mentions})
    assert refresh_summary(article).disagreement == (expected if expected is None else pytest.approx(expected))


TOPIC, OTHER_TOPIC, DESIGN = (make_label(*each) for each in (("topic", "A"), ("Topic", "B"), ("design", "A")))


@pytest.mark.parametrize(
    ("servers", "expected"),
    [
        ([[TOPIC], [DESIGN]], None),
        ([[TOPIC], [OTHER_TOPIC]], 1),
        ([[TOPIC], [TOPIC, DESIGN]], 0),
        ([[TOPIC], []], 1),
    ],
)
def test_only_servers_that_choose_from_a_set_of_labels_disagree_about_it(article, producer, servers, expected):
    """A server that makes up sets of labels makes no article disputed."""
    for number, labels in enumerate(servers):
        store_results_superseding_earlier(article, producer(str(number)), {Kind.LABEL: labels})
    assert refresh_summary(article).disagreement == expected


@pytest.mark.parametrize(("types", "expected"), [(50, None), (51, 1)])
def test_a_server_of_very_many_types_looks_for_all(article, producer, types, expected):
    """Each of them would be compared with those of all other servers, for each annotation without a type."""
    many = producer("many")
    Producer.objects.filter(pk=many.pk).update(entity_types=[f"Type {number}" for number in range(types)])
    store_results_superseding_earlier(article, many, {Kind.MENTION: [UNTYPED]})
    sick = producer("sick")
    Producer.objects.filter(pk=sick.pk).update(entity_types=["Disease"])
    store_results_superseding_earlier(article, sick, {Kind.MENTION: [SICK]})
    assert refresh_summary(article).disagreement == expected


def test_types_that_servers_make_up_do_not_hold_up_the_worker(article, producer):
    ids = [EntityId("mesh", f"D{number}") for number in range(3000)]
    typed = [make_entity(each, f"Made up {number}") for number, each in enumerate(ids)]
    untyped = [make_entity(EntityId("mesh", f"E{number}")) for number in range(2000)]
    Producer.objects.filter(pk=producer("one").pk).update(entity_types=["Disease"])
    store_results_superseding_earlier(article, Producer.objects.get(name="one"), {Kind.ENTITY: [*typed, *untyped]})
    store_results_superseding_earlier(article, producer("two"), {Kind.ENTITY: typed})
    assert refresh_summary(article).disagreement == pytest.approx(2000 / 5000)


def test_it_is_made_anew_by_new_rules(article, producer):
    store_results_superseding_earlier(article, producer("one"), {Kind.MENTION: [GENE]})
    assert refresh_summary(article).rules == article_summaries.RULES
    ArticleSummary.objects.update(rules=1, servers=7)
    own = refresh_summary(article)
    assert (own.rules, own.servers) == (article_summaries.RULES, 1)


def test_it_knows_only_what_is_public_and_no_gold_standard(article, producer):
    store_results_superseding_earlier(
        article, producer("test", public=False), {Kind.CLASSIFICATION: [make_classification(True)]}
    )
    store_results_superseding_earlier(
        article, producer("gold", sort="gold"), {Kind.CLASSIFICATION: [make_classification(True)]}
    )
    own = refresh_summary(article)
    assert (own.servers, own.producers, own.balance) == (0, [], None)


def test_it_is_made_anew_when_something_becomes_public(article, producer):
    hidden = producer("test", public=False)
    store_results_superseding_earlier(article, hidden, {Kind.NORMALIZATION: [gene("P12830")]})
    assert refresh_summary(article).servers == 0
    publish_producers_raising_article_versions(Producer.objects.filter(pk=hidden.pk))
    own = refresh_summary(article)
    assert (own.servers, own.named) == (1, ["uniprot:P12830"])


def test_it_forgets_what_was_said_of_an_older_text(article, producer):
    store_results_superseding_earlier(article, producer("one"), {Kind.NORMALIZATION: [gene("P12830")]})
    assert refresh_summary(article).servers == 1
    Article.objects.update(text_version=2, counted_version=5)
    own = refresh_summary(article)
    assert (own.version, own.servers, own.named) == (5, 0, [])


def test_it_forgets_what_was_said_before(article, producer):
    one = producer("one")
    store_results_superseding_earlier(article, one, {Kind.NORMALIZATION: [gene("P12830")]})
    store_results_superseding_earlier(article, one, {Kind.NORMALIZATION: [gene("P35222")]})
    assert refresh_summary(article).named == ["uniprot:P35222"]


def test_it_leaves_no_words_for_searches_to_read_through(article):
    assert pending_index_lists.flush_pending_gin_lists_counting_pages() > 0
    Article.objects.update(passages=[{"type": "title", "text": "Of ferrets"}])
    update_summaries_flushing_indexes_requeueing_unless_busy()
    assert pending_index_lists.flush_pending_gin_lists_counting_pages() == 0


def test_it_asks_two_things_when_nothing_has_changed(article, django_assert_num_queries):
    update_summaries_returning_whether_more_remain()
    with django_assert_num_queries(2):
        assert update_summaries_returning_whether_more_remain() is False


def test_it_goes_on_until_all_are_made(article, producer):
    Article.objects.bulk_create(
        Article(pmid=20000000 + number, passages=[], text="", content_hash=str(number)) for number in range(7)
    )
    with patch.object(article_summaries, "BATCH", 2), patch.object(article_summaries, "MOST_CHANGED_ARTICLES", 4):
        assert update_summaries_returning_whether_more_remain(time_limit_seconds=0) is True
        assert ArticleSummary.objects.count() == 2
        assert update_summaries_returning_whether_more_remain() is False
    assert ArticleSummary.objects.count() == 8
    assert list_first_articles_with_outdated_summary() == []


def test_its_task_says_how_far_it_came(article):
    assert update_summaries_flushing_indexes_requeueing_unless_busy() == "done"
    assert ArticleSummary.objects.count() == 1


def test_it_goes_with_an_article_that_is_withdrawn(article):
    """What is only made of an article is no reason to keep it."""
    update_summaries_returning_whether_more_remain()
    assert import_citations_batch_by_batch([Deletion(10000001, 1)]).deleted == 1
    assert not ArticleSummary.objects.exists()


@pytest.mark.django_db
def test_its_models_are_in_the_migrations():
    call_command("makemigrations", "annotations", check=True, dry_run=True, verbosity=0)


@pytest.fixture
def entries(db):
    """A gene with its protein, a secondary accession of the protein, and a protein of two genes."""
    Entry.objects.create(database="ncbigene", identifier="999", exists=True, symbol="CDH1")
    Entry.objects.create(database="uniprot", identifier="P12830", exists=True, genes=["999"])
    Entry.objects.create(
        database="uniprot", identifier="Q13799", exists=True, withdrawn=True, successors=["P12830"], genes=[]
    )
    Entry.objects.create(database="uniprot", identifier="P62805", exists=True, genes=["8359", "8360"])


def ncbi(identifier):
    return AnnotationData(Kind.NORMALIZATION, database="ncbigene", identifier=identifier)


def pair(database, identifier, partner):
    return AnnotationData(Kind.PAIR, database=database, identifier=identifier, partner=partner)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (gene("P12830"), ncbi("999"), 0),
        (gene("Q13799"), ncbi("999"), 0),
        (gene("Q13799"), gene("P12830"), 0),
        (gene("P62805"), ncbi("8359"), 1),
        (gene("P12830"), ncbi("8359"), 1),
        (gene("A00000"), gene("A00000"), 0),
        (pair("uniprot", "P62805", "P12830"), pair("uniprot", "Q13799", "P62805"), 0),
        (pair("uniprot", "P12830", "P12830"), pair("ncbigene", "999", "999"), 0),
        (pair("uniprot", "P12830", "P62805"), pair("uniprot", "P12830", "P12830"), 1),
        # Links and types of mentions do not count, their parts do.
        (make_mention([Span(0, 6)], "ERK1/2"), make_mention([Span(0, 6)], "ERK1/2", "Gene", [CDH1]), 0),
        (make_mention([Span(0, 6)], "ERK1/2", "", [CDH1]), make_mention([Span(0, 6)], "ERK1/2", "", [CANCER, CDH1]), 0),
        (make_mention([Span(0, 6)], "ERK1/2"), make_mention([Span(0, 3), Span(5, 6)], "ERK 2"), 1),
        (make_entity(CANCER, "Disease"), make_entity(CANCER, "Phenotype"), 0),
        (make_entity(CANCER), make_entity(CDH1), 1),
        (make_entity(CDH1), make_entity(EntityId("uniprot", "Q13799")), 0),
        (make_label("topic", "cancer"), make_label("topic", "cancer", confidence=0.5), 0),
        (make_label("topic", "cancer"), make_label("topic", "genes"), 1),
        (relate(CDH1, CANCER), relate(CANCER, EntityId("uniprot", "Q13799")), 0),
        (relate(CDH1, CANCER), relate(CDH1, CANCER, relation_type="Cause"), 1),
        (relate(CDH1, CANCER), relate(CDH1, CDH1), 1),
        (relate(CDH1, CANCER), relate(CDH1, CANCER, qualifiers={"novelty": "Novel", "negated": "false"}), 0),
        (relate(CDH1, CANCER), relate(CDH1, CANCER, qualifiers={"negated": "true"}), 1),
        (relate(CDH1, CANCER), relate(CDH1, CANCER, directed=True), 1),
        (relate(CDH1, CANCER, directed=True), relate(CANCER, CDH1, directed=True), 1),
        (relate(4, CDH1), relate(CDH1, 4), 0),
        (relate(4, 8), relate(8, 4), 0),
        (relate(4, 8, directed=True), relate(8, 4, directed=True), 1),
        (relate(4, CDH1), relate(5, CDH1), 1),
        (
            name_roles(relate(CDH1, CANCER, directed=True), "cause", "effect"),
            name_roles(relate(CANCER, CDH1, directed=True), "effect", "cause"),
            0,
        ),
        (name_roles(relate(CDH1, CANCER), "cause", "effect"), name_roles(relate(CDH1, CANCER), "effect", "cause"), 1),
        (
            make_relation("a", [RelationArgument(identifiers=(CDH1, CANCER)), RelationArgument(identifiers=(CANCER,))]),
            make_relation("a", [RelationArgument(identifiers=(CANCER,)), RelationArgument(identifiers=(CANCER, CDH1))]),
            0,
        ),
    ],
)
def test_identifiers_of_one_gene_agree_as_on_the_page(article, producer, entries, first, second, expected):
    for number, annotation in enumerate((first, second)):
        store_results_superseding_earlier(article, producer(str(number)), {annotation.kind: [annotation]})
    assert refresh_summary(article).disagreement == expected
    names = EntryNames(
        add_stored_or_copied_successor_entries(
            find_named_entries(
                (name.database, name.identifier) for one in (first, second) for name in one.iter_entity_ids()
            )
        ),
        {},
    )
    current = [replace_outdated_identifiers(one, names.entries) for one in (first, second)]
    assert (names.get_group_key(current[0]) == names.get_group_key(current[1])) == (expected == 0)
