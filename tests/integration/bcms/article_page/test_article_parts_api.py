"""What the article page shows beside text and annotations, by REST."""

import pytest

from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from servers.calls.models import Attempt, Call, Queue
from servers.calls.queues import contents
from servers.calls.states import CallState, QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests.integration.article_cast import gene, make_article_of_three_servers, span

ADDRESS = "/api/v1/articles/20000001/"


@pytest.fixture
def article(team):
    return make_article_of_three_servers(team)


def get(client, address, **query):
    response = client.get(ADDRESS + address, query)
    assert response.status_code == 200, response.content
    return response.json()


def mention(client, article, text, nth=0, **query):
    return get(client, f"mentions/{span(article, text, nth)}/", **query)


def texts(places):
    return [place["text"] for place in places]


def test_it_gives_what_the_databases_say_of_the_entries(client, article):
    entries = get(client, "entries/")["entries"]
    assert [own["identifier"] for own in entries] == ["P09803", "P12830", "P35222"]
    assert entries[1] == {
        "database": "uniprot",
        "identifier": "P12830",
        "symbol": "CDH1",
        "name": "Cadherin-1",
        "synonyms": ["E-cadherin", "Uvomorulin"],
        "taxon": 9606,
        "organism": "Homo sapiens",
        "location": "Cell membrane",
        "function": "Holds cells together.",
        "status": "",
        "page": "https://www.uniprot.org/uniprotkb/P12830/entry",
    }


def test_it_says_what_is_not_known_of_an_entry(client, article):
    store_results_superseding_earlier(article, Queue.objects.first().producer, {Kind.NORMALIZATION: [gene("Q00001")]})
    (entry,) = [own for own in get(client, "entries/")["entries"] if own["identifier"] == "Q00001"]
    assert (entry["status"], entry["name"], entry["synonyms"], entry["taxon"]) == ("unverified", "", [], None)


def test_it_gives_what_a_mention_may_mean(client, article):
    found = mention(client, article, "E-cadherin")
    assert (found["mention"]["text"], found["type"], found["looked"]) == ("E-cadherin", "gene", 3)
    assert [(own["entry"]["identifier"], own["because"], own["servers"]) for own in found["meanings"]] == [
        ("P12830", "synonym", 3),
        ("P09803", "synonym", 1),
    ]
    assert found["meanings"][0]["entry"]["location"] == "Cell membrane"
    assert set(found["servers"]) <= set(Server.objects.values_list("slug", flat=True))


def test_it_gives_every_sentence_that_tells_of_a_mention(client, article):
    found = mention(client, article, "CTNNB1")
    assert texts(found["sentences"]) == [
        "E-cadherin (CDH1) binds beta-catenin.",
        "CTNNB1 was lost.",
        "Without E-cadherin, beta-catenin moves.",
    ]
    assert all(article.text[own["start"] : own["end"]] == own["text"] for own in found["sentences"])
    assert [(own["text"], own["sentences"]) for own in found["beside"]] == [("CDH1", 2)]
    assert texts(mention(client, article, "Mouse Cdh1")["overlaps"]) == ["Cdh1"]


def test_it_gives_the_sentences_that_name_two(client, article):
    found = mention(client, article, "CTNNB1", beside=span(article, "CDH1"))
    assert texts(found["sentences"]) == [
        "E-cadherin (CDH1) binds beta-catenin.",
        "Without E-cadherin, beta-catenin moves.",
    ]


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("mentions/0-3/", 404, "No server marks the characters 0 to 3"),
        ("mentions/99999999999999999999-3/", 404, "No server marks"),
        ("mentions/8-12/?beside=0-3", 400, "No server marks the characters 0 to 3"),
        ("mentions/8-12/?beside=CDH1", 400, "as 20-24"),
        ("results/0/", 404, "This article has no such result"),
    ],
)
def test_it_says_what_is_not_there(client, article, address, status, said):
    reply = client.get(ADDRESS + address)
    assert reply.status_code == status
    assert said in reply.content.decode()


def test_it_says_who_is_awaited(client, article, server):
    Server.objects.filter(pk=server.pk).update(state=ServerState.ONLINE)
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    Call.objects.create(queue=queue, server=server, article=article, priority=3)
    by_server = {own["server"]: own for own in get(client, "servers/")}
    awaited = by_server.pop("genedict")
    assert (awaited["mode"], awaited["awaited"], awaited["words"]) == ("live", True, "waiting")
    assert awaited["age"] >= 0
    assert {own["words"].partition(",")[0] for own in by_server.values()} == {"answered"}


def test_it_says_where_annotations_come_from(client, article, server):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    call = Call.objects.create(queue=queue, server=server, article=article, priority=3, state=CallState.ANSWERED)
    rule = {"code": "R101", "where": "normalization[1]", "message": "It is 2.", "mend": "Scale it."}
    Attempt.objects.create(call=call, server=server, number=1, broken_rules=[rule])
    said = {Kind.NORMALIZATION: [gene("P12830", 0.5)]}
    store_results_superseding_earlier(
        article, queue.producer, said, call_id=call.pk, reply_body=b"<xml/>", duration_seconds=1.5
    )
    (one,) = [own for own in get(client, "annotations/")["results"] if own["server"] == "genedict"]
    found = get(client, f"results/{one['id']}/")
    assert (found["server"], found["kind"], found["duration"]) == ("genedict", "normalization", 1.5)
    assert (found["standing"], found["annotations"], found["broken_rules"]) == ("current", 1, [rule])
    assert client.get(found["reply"]).content == b"<xml/>"


def test_it_gives_what_servers_make_of_it(client, article):
    assert get(client, "")["standing"] is None
    update_summaries_returning_whether_more_remain()
    assert get(client, "")["standing"]["servers"] == 3


def test_it_gives_the_authors(client, article):
    article.metadata = {"authors": ["Curie M", "Meitner L"]}
    article.save()
    assert get(client, "")["authors"] == ["Curie M", "Meitner L"]


def test_it_takes_the_same_number_of_queries_however_much_there_is(client, article, django_assert_max_num_queries):
    for address in ("entries/", f"mentions/{span(article, 'E-cadherin')}/"):
        with django_assert_max_num_queries(11):
            get(client, address)
    with django_assert_max_num_queries(8):
        get(client, "servers/")
