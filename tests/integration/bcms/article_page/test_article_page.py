"""The article page as everybody, the team and the organizer see it."""

import re

import pytest
from django.db.models import F
from django.utils.html import strip_tags

from annotations.articles.models import Article
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.models import Attempt, Batch, Call
from servers.calls.queues import contents
from servers.calls.states import IN_FLIGHT_CALLS, CallState, QueueMode
from servers.registry.models import Server
from servers.registry.states import ServerState
from tests.integration.evaluation_cast import hide_article

URL = "/articles/10000001/"
# With two to learn whether the page can be kept for other visitors.
QUERIES = 11


def read_page_text(response):
    return re.sub(r"\s+", " ", strip_tags(response.content.decode()))


def mention(article, text, nth=0, confidence=0.8):
    start = [m.start() for m in re.finditer(re.escape(text), article.text)][nth]
    return AnnotationData(Kind.MENTION, confidence, start=start, end=start + len(text), text=text, type="protein")


def protein(identifier, confidence=None, rank=None):
    return AnnotationData(Kind.NORMALIZATION, confidence, rank, database="uniprot", identifier=identifier, taxon=9606)


@pytest.fixture
def live(server):
    Server.objects.update(state=ServerState.ONLINE)
    return contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)


@pytest.fixture
def second(team):
    server = Server.objects.create(
        review="accepted",
        team=team,
        name="Symbols",
        slug="symbols",
        url="http://127.0.0.1:9/",
        kinds=["mention"],
        state=ServerState.ONLINE,
    )
    return contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)


@pytest.fixture
def cadherin(db):
    Entry.objects.create(database="ncbitaxon", identifier="9606", exists=True, name="Homo sapiens")
    return Entry.objects.create(
        database="uniprot",
        identifier="P12830",
        exists=True,
        name="Cadherin-1",
        symbol="CDH1",
        synonyms=["E cadherin"],
        taxon=9606,
    )


@pytest.fixture
def annotated(article, live, second, cadherin):
    store_results_superseding_earlier(
        article,
        live.producer,
        {
            Kind.MENTION: [mention(article, "CDH1"), mention(article, "E-cadherin")],
            Kind.NORMALIZATION: [protein("P12830", 0.9, 1), protein("P99999")],
        },
        duration_seconds=0.42,
    )
    store_results_superseding_earlier(
        article, second.producer, {Kind.MENTION: [mention(article, "CDH1")]}, duration_seconds=0.1
    )
    return article


def test_it_shows_title_and_abstract_before_anybody_answered(client, article):
    response = client.get(URL)
    assert response.status_code == 200
    assert "Loss of CDH1 releases CTNNB1" in read_page_text(response)
    assert "α-catenin was not needed." in read_page_text(response)
    assert "No server has annotated this article." in read_page_text(response)


def test_it_shows_an_article_by_its_opaque_identifier(client, article):
    assert client.get(f"/articles/{article.opaque}/").status_code == 200


@pytest.mark.parametrize("ident", ["999", "1" * 30, "Bnothing", "<b>x"])
def test_it_says_in_one_sentence_that_an_article_is_not_here(client, db, ident):
    response = client.get(f"/articles/{ident}/")
    assert response.status_code == 404
    assert "Article not found" in read_page_text(response)
    assert b"<b>x" not in response.content


def test_it_offers_to_search_when_the_address_ends_in_words(client, db):
    page = client.get("/articles/tumor & co/").content.decode()
    assert 'href="/articles/?q=tumor%20%26%20co"' in page
    assert "Check the identifier" not in page
    assert "Check the identifier" in client.get("/articles/999/").content.decode()


def test_it_shades_mentions_by_number_of_servers(client, annotated):
    page = client.get(URL).context["page"]
    marked = [(p.text, p.level, p.count) for passage in page.reading.passages for p in passage.pieces if p.mention]
    assert marked == [("CDH1", 4, 2), ("E-cadherin", 1, 1)]
    assert page.legend == [(1, "1"), (4, "both servers")]


def test_it_lists_annotations_with_names_links_servers_and_provenance(client, annotated):
    response = client.get(URL, {"kind": "normalization"})
    words = read_page_text(response)
    assert "CDH1 Homo sapiens" in words
    assert 'href="https://www.uniprot.org/uniprotkb/P12830/entry"' in response.content.decode()
    assert "GeneDict, confidence 0.90, rank 1" in words
    assert "took 0.42 s" in words


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["", "live/"])
def test_it_knows_no_article_with_a_nul_in_its_name(client, page):
    assert client.get(f"/articles/a%00b/{page}").status_code == 404


def test_it_says_that_an_identifier_is_unverified_or_unknown(client, annotated):
    assert "P99999" not in read_page_text(client.get(URL, {"kind": "normalization"}))
    unverified = {"kind": "normalization", "show": "unverified"}
    assert "P99999 unverified" in read_page_text(client.get(URL, unverified))
    Entry.objects.create(database="uniprot", identifier="P99999", exists=False)
    assert "P99999 not in the database" in read_page_text(client.get(URL, unverified))


def test_it_says_what_became_of_an_identifier(client, annotated):
    Entry.objects.create(database="uniprot", identifier="P99999", exists=True, withdrawn=True)
    assert "P99999 withdrawn" in read_page_text(client.get(URL))
    Entry.objects.update_or_create(identifier="P99999", defaults={"successors": ["P0DP23", "P0DP24"]})
    assert "P99999 split into P0DP23, P0DP24" in read_page_text(client.get(URL))


def test_it_gathers_what_servers_call_by_an_old_name(client, annotated, second, cadherin):
    old = {"exists": True, "name": "Cadherin-1", "withdrawn": True, "successors": ["P12830"]}
    Entry.objects.create(database="uniprot", identifier="Q13799", **old)
    store_results_superseding_earlier(
        annotated, second.producer, {Kind.NORMALIZATION: [protein("Q13799", 0.5)]}, duration_seconds=0.1
    )
    page = client.get(URL, {"kind": "normalization"})
    first = page.context["page"].listing.rows[0]
    assert (first.entities[0].references[0].identifier, first.count) == ("P12830", 2)
    assert [line.answer for line in first.lines] == ["", "as Q13799"]
    assert "as Q13799, confidence 0.50" in read_page_text(page)


def test_it_names_an_entry_that_is_known_by_its_old_name_only(client, annotated, second):
    old = {"exists": True, "name": "Calmodulin", "withdrawn": True, "successors": ["P0DP23"]}
    Entry.objects.create(database="uniprot", identifier="P99999", **old)
    rows = client.get(URL, {"kind": "normalization"}).context["page"].listing.rows
    (found,) = (one for row in rows for one in row.entities[0].references if one.identifier == "P0DP23")
    assert (found.name, found.status) == ("Calmodulin", "")


def test_it_orders_by_confidence_or_by_servers(client, annotated):
    first = [row.text for row in client.get(URL, {"kind": "mention"}).context["page"].listing.rows]
    assert first == ["CDH1", "E-cadherin"]
    annotated.results.filter(kind="mention").first().annotations.filter(text="E-cadherin").update(confidence=1.0)
    by_confidence = client.get(URL, {"kind": "mention", "order": "confidence"}).context["page"].listing.rows
    assert [row.text for row in by_confidence] == ["E-cadherin", "CDH1"]


def test_it_links_a_chosen_mention_to_its_entries_without_scripts(client, annotated):
    span = mention(annotated, "E-cadherin")
    response = client.get(URL, {"mention": f"{span.start}-{span.end}"})
    words = read_page_text(response)
    assert "CDH1 Cadherin-1, Homo sapiens UniProt P12830 Matched by synonym “E cadherin”, reported by 1 of 1" in words
    assert "1 of 2 servers: GeneDict" in words
    chosen = [p.text for passage in response.context["page"].reading.passages for p in passage.pieces if p.chosen]
    assert chosen == ["CDH1", "E-cadherin"], "mentions of the same entry are highlighted too"


@pytest.mark.parametrize("mention", ["0-3", "9-4", "x", "0-99999999999", "1-1"])
def test_it_ignores_a_mention_that_is_not_there(client, annotated, mention):
    assert client.get(URL, {"mention": mention, "kind": "nonsense", "order": "?"}).context["page"].chosen is None


def test_it_says_yes_or_no_with_a_bar_and_words(client, article, live):
    store_results_superseding_earlier(
        article, live.producer, {Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, 0.5, relevant=True)]}
    )
    response = client.get(URL)
    assert '<i class="pc75"></i>' in response.content.decode()
    assert "Yes: 1 of 1 server, confidence 0.50." in read_page_text(response)


def test_it_gives_the_confidence_of_each_side_beside_it(client, article, live, second):
    def answer(queue, relevant, confidence):
        vote = AnnotationData(Kind.CLASSIFICATION, confidence, relevant=relevant)
        store_results_superseding_earlier(article, queue.producer, {Kind.CLASSIFICATION: [vote]})

    answer(live, relevant=False, confidence=0.9)
    answer(second, relevant=False, confidence=0.7)
    assert client.get(URL).context["page"].balance_text == "No: 2 of 2 servers, mean confidence 0.80."
    answer(second, relevant=True, confidence=None)
    assert client.get(URL).context["page"].balance_text == "Yes: 1 of 2 servers. No: 1 of 2 servers, confidence 0.90."


def test_it_never_runs_what_a_server_sent(client, article, live):
    bad = "<script>alert(1)</script>"
    findings = [AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=f'"{bad}', taxon=1)]
    passage = [
        AnnotationData(Kind.PASSAGE, database="uniprot", identifier="P1", partner="javascript:alert(1)", text=bad)
    ]
    store_results_superseding_earlier(article, live.producer, {Kind.NORMALIZATION: findings, Kind.PASSAGE: passage})
    for kind in ("normalization", "passage"):
        response = client.get(URL, {"kind": kind})
        assert bad.encode() not in response.content
        assert b'href="javascript' not in response.content


@pytest.mark.parametrize(
    ("state", "tries", "words"),
    [
        (CallState.ASKING, 0, r"asked \d+ s ago"),
        (CallState.PENDING, 0, r"asked \d+ s ago"),
        (CallState.WAITING, 0, r"waiting \d+ s"),
        (CallState.WAITING, 2, "failed twice: refused, next try"),
        (CallState.FAILED, 5, "failed: refused"),
    ],
)
def test_it_says_how_it_stands_with_a_server(client, article, live, state, tries, words):
    batch = Batch.objects.create(server=live.server) if state in IN_FLIGHT_CALLS else None
    fields = {"state": state, "tries": tries, "batch": batch}
    call = Call.objects.create(queue=live, server=live.server, article=article, priority=Call.Priority.LIVE, **fields)
    Attempt.objects.create(call=call, server=call.server, number=1, diagnosis="refused")
    assert re.search(words, read_page_text(client.get(URL)))


def test_it_says_who_answered_found_nothing_and_sleeps(client, annotated, live, second):
    store_results_superseding_earlier(annotated, second.producer, {Kind.MENTION: []}, duration_seconds=0.1)
    words = read_page_text(client.get(URL))
    assert "GeneDict answered, 0.42 s" in words
    assert "Symbols no annotations, 0.1 s" in words
    Server.objects.filter(pk=second.server_id).update(state=ServerState.OFFLINE)
    second.producer.results.all().delete()
    assert "Symbols not asked, offline" in read_page_text(client.get(URL))


def test_it_answers_a_poll_only_when_something_changed(client, annotated, live):
    version = client.get(URL).context["page"].version
    assert client.get(f"{URL}live/", {"v": version}).status_code == 204
    call = Call.objects.create(queue=live, server=live.server, article=annotated, priority=Call.Priority.LIVE)
    waiting = client.get(f"{URL}live/", {"v": version})
    assert waiting.status_code == 200
    assert waiting.headers["Cache-Control"].startswith("max-age=0, no-cache")
    version = waiting.context["page"].version
    store_results_superseding_earlier(annotated, live.producer, {Kind.MENTION: []})
    assert client.get(f"{URL}live/", {"v": version}).status_code == 200
    assert client.get("/articles/999/live/").status_code == 404
    assert call.article_id == annotated.pk


def test_it_is_done_when_nobody_is_awaited(client, annotated, live, second):
    assert client.get(URL).context["page"].done
    Call.objects.create(queue=live, server=live.server, article=annotated, priority=Call.Priority.LIVE)
    assert not client.get(URL).context["page"].done
    Server.objects.filter(pk=live.server_id).update(state=ServerState.OFFLINE)
    assert client.get(URL).context["page"].done


def test_it_asks_the_servers_once_however_often_it_is_pressed(client, article, live, second):
    assert b"data-ask" in client.get(URL).content
    assert client.get(f"{URL}ask/").status_code == 405
    for _ in range(2):
        assert client.post(f"{URL}ask/").status_code == 302
    assert sorted(Call.objects.values_list("server__name", flat=True)) == ["GeneDict", "Symbols"]
    assert b"data-ask" not in client.get(URL).content


def test_it_asks_only_who_has_not_answered(client, annotated, live, second):
    second.producer.results.all().delete()
    client.post(f"{URL}ask/")
    assert [call.queue for call in Call.objects.all()] == [second]


def test_it_refuses_to_ask_for_another_site(article, live):
    from django.test import Client

    assert Client(enforce_csrf_checks=True).post(f"{URL}ask/").status_code == 403
    assert not Call.objects.exists()


@pytest.fixture
def blind_article(article):
    hide_article(article)
    return article


def test_it_hides_a_blind_article_from_everybody_but_staff(client, blind_article, live, carol, olga):
    assert client.get(URL).status_code == client.get(f"{URL}live/").status_code == 404
    client.force_login(carol)
    assert client.post(f"{URL}ask/").status_code == client.get(f"/articles/{blind_article.opaque}/").status_code == 404
    olga.is_staff = True
    olga.save(update_fields=["is_staff"])
    client.force_login(olga)
    assert client.get(f"/articles/{blind_article.opaque}/").status_code == 200
    client.post(f"/articles/{blind_article.opaque}/ask/")
    assert not Call.objects.exists(), "servers annotate a blind article in its phase only"


def test_it_shows_training_results_to_their_team_only(client, article, server, alice, carol):
    training = contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING)
    store_results_superseding_earlier(article, training.producer, {Kind.MENTION: [mention(article, "CDH1")]})
    for user, seen in [(None, False), (carol, False), (alice, True)]:
        if user:
            client.force_login(user)
        assert ("GeneDict (training)" in read_page_text(client.get(URL))) is seen


def test_it_counts_a_server_once_though_it_answered_in_two_queues(client, annotated, server, alice):
    training = contents.get_or_create_queue_and_producer(server, QueueMode.TRAINING)
    store_results_superseding_earlier(annotated, training.producer, {Kind.MENTION: [mention(annotated, "CTNNB1")]})
    client.force_login(alice)
    assert client.get(URL).context["page"].reading.looked == 2


def test_it_shows_nothing_of_superseded_results_and_earlier_texts(client, annotated, live):
    store_results_superseding_earlier(annotated, live.producer, {Kind.MENTION: [], Kind.NORMALIZATION: []})
    assert "P12830" not in read_page_text(client.get(URL))
    Article.objects.update(text_version=2, counted_version=F("counted_version") + 1)
    assert not client.get(URL).context["page"].reading.source_results


def test_it_takes_the_same_number_of_queries_however_much_there_is(
    client, annotated, live, second, django_assert_num_queries
):
    with django_assert_num_queries(QUERIES):
        client.get(URL)
    many = [mention(annotated, word) for word in ("CTNNB1", "beta-catenin", "cells", "binds")]
    store_results_superseding_earlier(
        annotated, second.producer, {Kind.MENTION: many, Kind.NORMALIZATION: [protein("P35222")]}
    )
    with django_assert_num_queries(QUERIES):
        client.get(URL)


def test_it_answers_an_idle_poll_with_one_query(client, annotated, django_assert_num_queries):
    version = client.get(URL).context["page"].version
    with django_assert_num_queries(1):
        client.get(f"{URL}live/", {"v": version})
