"""Types, entities, relations and labels that are not public are told to nobody else, by whatever producer they are.

Every producer that can be hidden annotates with names of its own, on articles that everybody sees and on those that
nobody does. Every address is requested, and searches, suggestions, exports and figures, and read for these names.
"""

import gzip
import zipfile
from io import BytesIO

import pyarrow.parquet
import pytest
from django.test import Client
from django.utils import timezone

from annotations.articles.models import ArticleTakedown
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_storage import upsert_entries_unless_second_hand_replaces_first
from annotations.identifiers.reported_identifiers import mark_result_batch_noted_queueing_identifiers
from annotations.results.annotated_terms import count_articles_of_annotated_terms
from annotations.results.article_summaries import update_summaries_returning_whether_more_remain
from annotations.results.models import Producer
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import (
    EntityId,
    Kind,
    RelationArgument,
    Span,
    make_entity,
    make_label,
    make_mention,
    make_relation,
)
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from servers.calls.queues.contents import get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from servers.registry.models import Server
from tests.integration.evaluation_cast import PMIDS, answer, get_article, make_server, relevant, species
from tests.integration.every_address import iter_all_responses

pytestmark = [pytest.mark.django_db, pytest.mark.long]
# What is public, so that the walk is seen to look where there is something, and what is not.
PUBLIC, HIDDEN = "Zorilla", ("Quagga", "Okapi", "Wombat", "Numbat", "Gerenuk", "Dibatag", "Kouprey", "Saola")
NUMBERS = {name: f"88000{number}" for number, name in enumerate((PUBLIC, *HIDDEN))}
FILTERS = (
    *("type={name}Type", "entity=mesh:D{number}", "relation={name}s", "pair=mesh:D{number};mesh:D1"),
    *("type={name}Typ", "entity={name}om", "mention=Article&type={name}Type&confidence=0.5"),
)
SEARCHES = {
    **{"/api/v1/articles/": FILTERS, "/articles/": FILTERS[:3]},
    **{f"/api/v1/export/{slug}/": FILTERS[:1] for slug in ("ndjson", "tsv", "bioc-json", "parquet-annotations")},
    **{f"/api/v1/export/{slug}/": FILTERS[1:2] for slug in ("uima-xmi", "brat", "web-annotation-turtle")},
}
MORE = (
    *("/api/v1/articles/101/export/ndjson/", "/api/v1/articles/101/entries/", "/api/v1/articles/101/annotations/"),
    *("/api/v1/articles/101/consensus/?method=union", "/corpora/four/compare/?kind=entity", "/articles/101/?all=1"),
    *("/api/v1/articles/101/mentions/0-7/", "/articles/101/?mention=0-7", "/api/v1/corpora/four/croissant/"),
    *("/api/v1/corpora/four/compare/?kind=mention", "/api/v1/corpora/four/compare/?kind=relation", "/data/"),
    *("/api/v1/data/", "/articles/101/live/?v=0", "/articles/101/results/", "/articles/"),
)


def annotate(producer, name, pmid=101):
    """Annotations of every open kind, each with the name."""
    entity = EntityId("mesh", f"D{NUMBERS[name]}")
    upsert_entries_unless_second_hand_replaces_first(
        [EntryRecord(*entity, "MeSH", name=f"{name}oma", synonyms=(f"{name}itis",))], timezone.now()
    )
    other = EntityId("mesh", "D000001")
    found = {
        Kind.MENTION: [make_mention([Span(0, 7)], "Article", f"{name}Type", [entity], confidence=0.9)],
        Kind.ENTITY: [make_entity(entity, f"{name}Type", text=f"{name}oma")],
        Kind.RELATION: [
            make_relation(
                f"{name}s",
                [RelationArgument(f"{name}role", (entity,)), RelationArgument("", (other,))],
                qualifiers={f"{name}mark": "yes"},
            )
        ],
        Kind.LABEL: [make_label(f"{name}set", f"{name}ish")],
    }
    store_results_superseding_earlier(get_article(pmid), producer, found)


def make_producer(sort, name, *, public=False):
    return Producer.objects.create(sort=sort, name=f"By {name}", public=public)


@pytest.fixture
def run(challenge, testing, team, alice, settings):
    """A server in the training and test phase whose results are not published, beside all other hidden producers."""
    settings.API_FILES_PER_MINUTE = 1000
    annotate(get_live_producer(make_server(team, "reader")), PUBLIC)
    server = Server.objects.get(slug="reader")
    runs = enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training"), alice)
    for each in runs:
        for pmid in PMIDS:
            answer(each, pmid, relevant(True) if each.task.name == "ACT" else species("9606"))
    tx = next(each for each in runs if each.task.name == "TX")
    annotate(tx.producer, "Quagga")
    for each in enter_eligible_server_and_enqueue_articles(server, testing, alice):
        annotate(each.producer, "Okapi", 201)
    private = make_server(team, "private")
    Server.objects.filter(pk=private.pk).update(review="private")
    annotate(get_live_producer(private), "Wombat")
    gold = Producer.objects.get(gold__task__name="TX")
    annotate(gold, "Numbat")
    annotate(make_producer("curator", "Gerenuk"), "Gerenuk")
    annotate(make_producer("consensus", "Dibatag"), "Dibatag")
    # What is public of the server, but in articles that are not.
    annotate(get_live_producer(server), "Kouprey", 201)
    annotate(get_live_producer(server), "Saola", 104)
    ArticleTakedown.objects.create(article=get_article(104))
    submission = RunSubmission("Aye", "", "aye.tsv", f"{get_article(201).opaque}\t9606\t1\t0.5\n".encode())
    uploaded = intake.store_run_upload_and_process_or_enqueue(submission, tx.task, testing, team, alice)
    assert uploaded.run is not None
    mark_result_batch_noted_queueing_identifiers()
    update_summaries_returning_whether_more_remain()
    return tx


def get_live_producer(server):
    return get_or_create_queue_and_producer(server, QueueMode.LIVE).producer


def log_in(user):
    client = Client()
    if user:
        client.force_login(user)
    return client


def read_text(reply):
    """The body with what is in archives and columns of it."""
    body = b"".join(reply.streaming_content) if reply.streaming else reply.content
    if body[:2] == b"PK":
        archive = zipfile.ZipFile(BytesIO(body))
        body = b"".join(name.encode() + archive.read(name) for name in archive.namelist())
    if body[:2] == b"\x1f\x8b":
        body = gzip.decompress(body)
    if body[:4] == b"PAR1":
        return str(pyarrow.parquet.read_table(BytesIO(body)).to_pylist())
    return body.decode("utf-8", "replace") + str(reply.headers)


def list_names(text, names=HIDDEN):
    return [name for name in names if name in text or NUMBERS[name] in text]


@pytest.fixture(params=["visitor", "carol", "curator", "other organizer"])
def other(request, run, django_user_model, carol):
    """Readers who may see nothing of it."""
    if request.param == "visitor":
        return None
    if request.param == "other organizer":
        Challenge.objects.create(name="Other", slug="other").organizers.add(carol)
    return carol


def test_no_address_names_what_is_hidden(run, other):
    client = log_in(other)
    found = {form: body.decode("utf-8", "replace") for form, _, body in iter_all_responses(client, run)}
    found |= {address: read_text(client.get(address)) for address in MORE}
    assert {form: names for form, text in found.items() if (names := list_names(text))} == {}
    assert sum(PUBLIC in text for text in found.values()) >= 8


@pytest.mark.parametrize("address", SEARCHES)
def test_no_search_finds_what_is_hidden(run, carol, address):
    client = log_in(carol)
    everything = read_text(client.get(address))
    assert list_names(everything) == []
    assert PUBLIC in everything or address == "/api/v1/articles/"
    for name in HIDDEN:
        for search in SEARCHES[address]:
            asked = search.format(name=name, number=NUMBERS[name])
            reply = client.get(f"{address}?{asked}")
            # A page says once more what was looked for.
            assert list_names(read_text(reply), [each for each in HIDDEN if each != name]) == [], asked
            if address == "/api/v1/articles/":
                assert reply.json()["count"] == 0, asked
                assert list_names(str([each["near"] for each in reply.json()["unknown_names"]])) == [], asked


def test_no_suggestion_names_what_is_hidden(run, other):
    client = log_in(other)

    def suggest(text):
        return [each["name"] for each in client.get("/api/v1/entries/", {"q": text}).json()["results"]]

    for counted in (False, True):
        if counted:
            count_articles_of_annotated_terms()
        for name in HIDDEN:
            for text in (name, f"{name}it", f"mesh:D{NUMBERS[name]}", f"D{NUMBERS[name]}"):
                assert suggest(text) == [], text
        assert suggest(PUBLIC) == [f"{PUBLIC}oma"]
        assert list_names(client.get("/articles/").content.decode()) == []
