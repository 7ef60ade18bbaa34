"""What four real systems said of a real abstract: each file served by the kit, registered, asked and shown."""

from contextlib import ExitStack

import pytest

from annotations.articles.imports.article_files import (
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
    unpack_if_gzipped_within_limit,
)
from annotations.articles.imports.article_storage import store_annotated_articles
from servers.calls import loop
from servers.kit.replay import ReplayAnnotator, read_annotated_text_file, read_pmid_by_document_id
from servers.registry.models import Server
from servers.review.decisions import apply_review_decision
from servers.review.states import ReviewState
from tests.integration.servers.kit.test_kit_server import serve_annotate_function
from tests.shared_data import require_shared_path

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.shared]

SYSTEMS = {"PubTator Central": "pubtator_central", "BERN2": "bern2", "HunFlair2": "hunflair2", "BENT": "bent"}
PMID = 22104738
URL = f"/articles/{PMID}/"


def import_article():
    with require_shared_path("corpora", "tmvar3", "tmVar3_Train.PubTator.gz").open("rb") as stream:
        read = read_unpacked_non_pubmed_article_file(
            unpack_if_gzipped_within_limit(stream, "tmvar3"),
            "tmvar3",
            sniff_article_format_unpacking_gzip(stream, "tmvar3"),
        )
    store_annotated_articles([each for each in read.articles if each.ids.pmid == PMID])


def make_replay_annotator(file):
    folder = require_shared_path("system_runs", "tmvar3")
    return ReplayAnnotator(
        read_annotated_text_file(folder / f"{file}.txt.gz"), read_pmid_by_document_id(folder / "doc_map.tsv")
    )


def register(client, team, name, address):
    kinds = ["mention", "normalization", "taxon"]
    sent = {"team": team.slug, "name": name, "url": address, "kinds": kinds, "protocol": "rest"}
    made = client.post("/api/v1/servers/", sent, content_type="application/json")
    assert made.status_code == 201, made.content
    assert client.post(f"/api/v1/servers/{made.json()['slug']}/start/").status_code == 200


@pytest.fixture
def answered(client, alice, team):
    """The four systems are asked by whoever opens the article."""
    import_article()
    client.force_login(alice)
    with ExitStack() as stack:
        for name, file in SYSTEMS.items():
            register(
                client, team, name, stack.enter_context(serve_annotate_function("rest", make_replay_annotator(file)))
            )
        for server in Server.objects.all():
            apply_review_decision(server, ReviewState.ACCEPTED)
        client.logout()
        client.post(f"{URL}ask/")
        for server in Server.objects.all():
            loop.run_slices_if_slot_and_lease_free(server.pk)


def list_page_rows(client, **query):
    """The rows of the list: what each is, how many of how many servers say so, and who."""
    listing = client.get(URL, {"show": "all", **query}).context["page"].listing
    return {
        row.mention or row.entities[0].references[0].identifier: (row.count, {line.source.name for line in row.lines})
        for row in listing.rows
    }, listing.total


def test_the_page_shows_where_real_systems_agree_and_differ(client, answered):
    page = client.get(URL).context["page"]
    assert {line.source.name: line.tone for line in page.servers} == dict.fromkeys(SYSTEMS, "good")
    heat = {piece.text: piece.count for own in page.reading.passages for piece in own.pieces if piece.mention}
    assert (heat["malonic aciduria"], heat["patient"], heat["boy"], heat["short stature"]) == (4, 4, 3, 2)

    genes, total = list_page_rows(client, kind="normalization")
    assert total == 4
    # The gene of another species is the fourth system's mistake.
    assert genes == {"23417": (3, set(SYSTEMS) - {"BENT"}), "108314633": (1, {"BENT"})}
    assert list_page_rows(client, kind="taxon")[0] == {"9606": (2, {"PubTator Central", "BERN2"})}

    mentions, _ = list_page_rows(client, kind="mention")
    assert mentions["40-45"] == (4, set(SYSTEMS))
    # One system takes the word behind the symbol for a part of the name, another half of the symbol for a disease.
    assert (mentions["421-431"][1], mentions["421-423"][1]) == ({"BERN2"}, {"BENT"})
    types = {row.mention: row.type for row in client.get(URL, {"kind": "mention"}).context["page"].listing.rows}
    assert (types["40-45"].lower(), types["59-66"].lower(), types["72-88"].lower()) == ("gene", "species", "disease")
    in_dispute = {place for place, (count, _) in mentions.items() if count < 4}
    assert set(list_page_rows(client, kind="mention", differ="1")[0]) == in_dispute
