"""What servers said in a test of identifiers that turn out not to exist is dropped, and told, before it is scored."""

from dataclasses import replace

import pytest

from annotations.identifiers.models import Entry
from annotations.results.models import Annotation, Producer
from annotations.results.queries import list_current_results_on_current_text, load_annotations_by_result_id
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import EntityId, Kind, RelationArgument, Span, make_entity, make_mention, make_relation
from evaluation import tasks
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.scoring.models import Score
from evaluation.scoring.nonexistent_identifiers import delete_servers_nonexistent_identifiers_from_unpublished_tests
from servers.calls.models import Attempt, Call, Queue
from servers.calls.states import CallState, Outcome
from tests.integration.evaluation_cast import get_article, make_corpus, make_server, species

pytestmark = pytest.mark.django_db
LOST, GONE, KEPT = EntityId("ncbigene", "99999999"), EntityId("mesh", "D999999"), EntityId("mesh", "D001943")


@pytest.fixture
def phase(challenge):
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    store_gold_sealed_or_open(challenge.tasks.get(name="TX"), phase, b"201\t559292\n202\t7955\n", "species.tsv")
    return phase


@pytest.fixture
def run(challenge, phase, team):
    """Of two organisms that it names in one article nobody has checked the second."""
    server = make_server(team, "reader")
    for own in enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training")):
        for pmid in (101, 102, 103, 104):
            store_server_answer(own, pmid, "77777777", "9606")
    (own,) = [each for each in enter_eligible_server_and_enqueue_articles(server, phase) if each.task.name == "TX"]
    store_server_answer(own, 201, "77777777", "559292")
    store_server_answer(own, 202, "7955")
    return own


def store_server_answer(run, pmid, *organisms):
    """An answer as the loop leaves it behind."""
    article, queue = get_article(pmid), Queue.objects.get(producer=run.producer)
    call, _ = Call.objects.update_or_create(
        queue=queue, article=article, defaults={"server": queue.server, "priority": 1, "state": CallState.ANSWERED}
    )
    Attempt.objects.create(call=call, server=queue.server, number=1, outcome=Outcome.ANSWERED)
    findings = species(*organisms) if run.task.name == "TX" else []
    store_results_superseding_earlier(article, run.producer, {Kind(run.task.kind): findings}, call_id=call.pk)


def create_nonexistent_entry(identifier):
    Entry.objects.create(database="ncbitaxon", identifier=identifier, exists=False, reported=True)


def list_stored_identifiers(run):
    rows = Annotation.objects.filter(result__producer=run.producer).order_by("result__article__snapshot__pmid", "rank")
    return list(rows.values_list("result__article__snapshot__pmid", "identifier"))


def test_it_drops_what_turns_out_not_to_exist(run):
    assert delete_servers_nonexistent_identifiers_from_unpublished_tests() == 0
    create_nonexistent_entry("77777777")
    assert delete_servers_nonexistent_identifiers_from_unpublished_tests() == 1
    assert list_stored_identifiers(run) == [(201, "559292"), (202, "7955")]
    assert Producer.objects.get(pk=run.producer_id).renewed == 1
    assert delete_servers_nonexistent_identifiers_from_unpublished_tests() == 0


def test_it_tells_the_team(run):
    create_nonexistent_entry("77777777")
    delete_servers_nonexistent_identifiers_from_unpublished_tests()
    call = Call.objects.get(article__snapshot__pmid=201)
    (rule,) = call.attempts.get().broken_rules
    assert (rule["code"], rule["where"]) == ("R301", "taxon.identifier")
    assert "77777777" in rule["message"]
    assert "77777777" in call.reason
    assert Call.objects.get(article__snapshot__pmid=202).attempts.get().broken_rules == []


def test_it_drops_nothing_of_training_and_nothing_of_what_is_published(run, phase):
    create_nonexistent_entry("77777777")
    Phase.objects.filter(pk=phase.pk).update(published="2026-01-01T00:00Z")
    assert delete_servers_nonexistent_identifiers_from_unpublished_tests() == 0
    assert Annotation.objects.filter(identifier="77777777").count() == 5


def test_it_scores_anew_without_it(run):
    tasks.score_due_runs_after_cleaning_unless_busy()
    before = Score.objects.get(run=run, scenario="all", superseded=None)
    create_nonexistent_entry("77777777")
    tasks.score_due_runs_after_cleaning_unless_busy()
    after = Score.objects.get(run=run, scenario="all", superseded=None)
    assert (before.figures["macro_precision"], after.figures["macro_precision"]) == (0.75, 1.0)
    assert tasks.score_due_runs_after_cleaning_unless_busy() == "0 of 0 scored"


def store_open_annotations(run):
    """Mentions with one link, with two and with both that do not exist, and relations, beside a run's answer."""
    linked = [make_mention([Span(0, 5)], "BRCA1", "Gene", links) for links in ([LOST], [KEPT, LOST], [LOST, GONE])]
    mention = RelationArgument("Gene", (LOST,), (Span(0, 5),), "Gene", "BRCA1")
    related = [
        make_relation("of a mention", [mention, RelationArgument(identifiers=(KEPT,))]),
        make_relation("of an entity", [RelationArgument(identifiers=(each,)) for each in (LOST, KEPT)]),
        make_relation("of both", [RelationArgument(identifiers=(LOST, KEPT)), RelationArgument(identifiers=(KEPT,))]),
        make_relation("kept", [RelationArgument(identifiers=(KEPT,)), RelationArgument(identifiers=(KEPT,))]),
    ]
    call = Call.objects.get(article__snapshot__pmid=202)
    said = {Kind.MENTION: linked, Kind.RELATION: related, Kind.ENTITY: [make_entity(each) for each in (LOST, KEPT)]}
    store_results_superseding_earlier(call.article, run.producer, said, call_id=call.pk)


def load_open_annotations(run):
    results = list_current_results_on_current_text(get_article(202), [run.producer_id])
    loaded = load_annotations_by_result_id(results)
    return {result.kind: loaded[result.id] for result in results}


def test_a_mention_only_loses_links_that_do_not_exist(run):
    store_open_annotations(run)
    before = load_open_annotations(run)
    assert delete_servers_nonexistent_identifiers_from_unpublished_tests() == 0
    for database, identifier in (LOST, GONE):
        Entry.objects.create(database=database, identifier=identifier, exists=False, reported=True)
    assert delete_servers_nonexistent_identifiers_from_unpublished_tests() == 7
    after = load_open_annotations(run)
    assert [each.identifiers for each in after[Kind.MENTION]] == [(), (KEPT,), ()]
    assert [replace(each, identifiers=()) for each in after[Kind.MENTION]] == [
        replace(each, identifiers=()) for each in before[Kind.MENTION]
    ]
    assert after[Kind.ENTITY] == before[Kind.ENTITY][1:]
    arguments = {each.type: each.arguments for each in after[Kind.RELATION]}
    assert list(arguments) == ["of a mention", "kept"]
    assert (arguments["of a mention"][0].identifiers, arguments["of a mention"][0].text) == ((), "BRCA1")
    assert delete_servers_nonexistent_identifiers_from_unpublished_tests() == 0


def test_it_tells_the_team_which_links_do_not_exist(run):
    store_open_annotations(run)
    Entry.objects.create(database="mesh", identifier="D999999", exists=False, reported=True)
    delete_servers_nonexistent_identifiers_from_unpublished_tests()
    rules = Call.objects.get(article__snapshot__pmid=202).attempts.get().broken_rules
    assert {(rule["code"], rule["where"]) for rule in rules} == {("R301", "mention.identifiers")}
    assert "D999999" in rules[0]["message"]


def test_it_asks_the_database_once_while_no_test_is_open(run, phase, django_assert_num_queries):
    Phase.objects.filter(pk=phase.pk).update(published="2026-01-01T00:00Z")
    with django_assert_num_queries(3):
        delete_servers_nonexistent_identifiers_from_unpublished_tests()
