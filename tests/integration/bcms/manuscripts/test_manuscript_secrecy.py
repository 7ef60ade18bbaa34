"""Nothing of a manuscript is anywhere else: whoever asks, and whatever servers have answered."""

import re
from xmlrpc.client import Fault, dumps, loads

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotations import tasks
from annotations.articles.models import Article, CorpusArticle
from annotations.articles.snapshots import delete_snapshots_in_no_corpus
from annotations.curation.errors import CurationError
from annotations.curation.manuscripts.assignment import assign_curator, revoke_assignment
from annotations.curation.models import Curation
from annotations.curation.session import open_curation
from annotations.formats.exports import EXPORTS
from annotations.results.models import AnnotatedTerm
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from bcms.curation.continuation.known_records import take_over_found_record
from evaluation.challenges.setup.corpora import find_articles_for_corpus
from evaluation.visibility import list_visible_articles
from tests.integration.article_cast import read_page_words
from tests.integration.curation_cast import NOON
from tests.integration.every_address import addresses
from tests.integration.manuscript_cast import ABSTRACT, SECRET_WORDS, TITLE, URL, submit

pytestmark = pytest.mark.django_db

IDENTIFIER = "Q9ZLP9"
TYPE = "quarkinoid"
SECRETS = (*SECRET_WORDS, TITLE, ABSTRACT, IDENTIFIER, TYPE)
SEARCHES = (
    *("q=ZLP9", "q=quarkin", "q=Flumoxite", "q=Q9ZLP9", f"entity=uniprot:{IDENTIFIER}", f"entity_type={TYPE}"),
    *("sort=servers", "sort=date", "sort=disagreement", "sort=likelihood", ""),
)


@pytest.fixture
def annotated(manuscript, queues):
    """The private article, which an accepted server has annotated, and whose summary is computed."""
    article = manuscript.article
    mention = AnnotationData(Kind.MENTION, 0.9, start=18, end=22, text="ZLP9", type=TYPE)
    named = AnnotationData(Kind.NORMALIZATION, 0.9, database="uniprot", identifier=IDENTIFIER)
    found = {Kind.MENTION: [mention], Kind.NORMALIZATION: [named]}
    store_results_superseding_earlier(article, queues[0].producer, found, reply_body=b'{"said": "ZLP9"}')
    tasks.update_summaries_flushing_indexes_requeueing_unless_busy()
    tasks.count_articles_of_annotated_terms_unless_busy()
    return article


def read(response):
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return f"{body.decode('utf-8', 'replace')} {response.headers}"


@pytest.fixture
def readers(carol, olga, django_user_model, settings):
    """A visitor, somebody on no team, an organizer, and an administrator; none of them is on the team of a server."""
    settings.API_PER_MINUTE_ADDRESS = settings.API_PER_MINUTE_ACCOUNT = settings.API_FILES_PER_MINUTE = 10**6
    staff = django_user_model.objects.create_superuser("root", "root@example.org", "a-long-password")
    clients = {name: Client() for name in ("visitor", "carol", "olga", "staff")}
    for name, user in {"carol": carol, "olga": olga, "staff": staff}.items():
        clients[name].force_login(user)
    return clients


def fill(form, article):
    """The address with the ids of the manuscript wherever one fits."""
    result = article.results.first().pk
    words = {"ident": article.opaque, "identifier": article.opaque, "start": "18", "end": "22", "result_id": result}
    own = {"manuscripts": article.manuscript.pk, "curation": article.manuscript.curation_id, "articles": result}
    part = next((each for each in form.strip("/").split("/") if each in own), "")
    slug = "alpha" if "/servers/" in form else "tsv"
    words |= {"pk": own.get(part, article.pk), "slug": slug, "source": "pubmed", "object_id": article.pk}
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda match: str(words.get(match[1], "1")), form)


def list_all_addresses(article):
    forms = [form for form in sorted(set(addresses())) if not form.startswith("/static") and "logout" not in form]
    searches = [f"{path}?{query}" for query in SEARCHES for path in ("/articles/", "/api/v1/articles/")]
    exports = [f"/api/v1/export/{slug}/?q=quarkin" for slug in EXPORTS]
    exports += [f"/articles/{article.opaque}/export/{slug}/" for slug in EXPORTS]
    return [fill(form, article) for form in forms] + searches + exports


# What the team of a server was sent and has answered, administrators see as all attempts and calls of servers.
OF_SERVER = re.compile(r"/servers/alpha/(attempts|calls|log|live|$)")


@pytest.mark.long
@pytest.mark.usefixtures("site_at_work")
def test_no_page_and_no_resource_shows_it(annotated, readers):
    shown = []
    for who, client in readers.items():
        for address in list_all_addresses(annotated):
            response = client.get(address)
            assert response.status_code < 500, address
            query = address.partition("?")[2].rpartition("=")[2].rpartition(":")[2]
            text = read(response)
            # A search repeats its query.
            text = text.replace(query, "") if query else text
            if who == "staff" and OF_SERVER.search(address):
                continue
            shown += [(who, address, secret) for secret in SECRETS if secret in text]
    assert shown == []


def test_its_addresses_are_unknown(annotated, readers):
    for client in readers.values():
        for path in ("", "results/", "live/", "export/tsv/"):
            assert client.get(f"/articles/{annotated.opaque}/{path}").status_code == 404
        for path in ("", "annotations/", "consensus/", "entries/", "servers/"):
            assert client.get(f"/api/v1/articles/{annotated.opaque}/{path}").status_code == 404
        assert client.post(f"/articles/{annotated.opaque}/ask/").status_code == 404


def test_the_gate_lets_nobody_through(annotated, journal, alice, olga, django_user_model):
    staff = django_user_model.objects.create_superuser("root", "root@example.org", "a-long-password")
    for user in (journal, alice, olga, staff):
        assert not list_visible_articles(user).filter(pk=annotated.pk).exists()


def test_nobody_curates_it_but_its_author(annotated, as_alice):
    assert as_alice.post(f"/articles/{annotated.opaque}/curate/").status_code == 404
    assert as_alice.get(f"/curation/{annotated.manuscript.curation_id}/").status_code == 404


@pytest.mark.parametrize("method", ["getAnnotations", "getAwaited", "getAnnotationServerList"])
def test_xmlrpc_does_not_know_it(annotated, client, method):
    for name in (annotated.opaque, str(annotated.pk)):
        body = dumps((name, {}), f"Annotations.{method}")
        with pytest.raises(Fault) as raised:
            loads(client.post("/xmlrpc/", body, content_type="text/xml").content)
        assert raised.value.faultCode in (-32602, 1)
        assert not [secret for secret in SECRETS if secret in raised.value.faultString]


def test_suggestions_do_not_have_its_types_and_entities(annotated, client):
    assert not AnnotatedTerm.objects.exists()
    for query in ("ZLP9", "quark", IDENTIFIER):
        assert not [
            secret
            for secret in SECRETS
            if secret in read(client.get("/api/v1/entries/", {"q": query})).replace(query, "")
        ]


def test_no_corpus_takes_it(annotated, challenge):
    for blind in (False, True):
        assert find_articles_for_corpus(challenge, [annotated.opaque], blind=blind) == {}
    assert not CorpusArticle.objects.filter(article=annotated).exists()


def test_the_clearing_of_left_snapshots_keeps_it(program, db):
    manuscript, _ = submit(program)
    delete_snapshots_in_no_corpus()
    assert Article.objects.filter(pk=manuscript.article_id).exists()


def test_a_file_with_its_text_is_another_article(annotated, client, olga, challenge):
    client.force_login(olga)
    text = f"0|t|{TITLE}\n0|a|{ABSTRACT}\n".encode()
    response = client.post("/api/v1/articles/", {"file": SimpleUploadedFile("same.txt", text)})
    assert (response.json()["new"], annotated.opaque in response.content.decode()) == (1, False)
    annotated.refresh_from_db()
    assert annotated.blind


def test_it_is_found_once_it_is_published(annotated, program, client):
    program.post(f"{URL}{annotated.manuscript.pk}/publish/", {}, content_type="application/json")
    assert TITLE in read_page_words(client.get(f"/articles/{annotated.opaque}/"))
    assert annotated.opaque in read(client.get("/articles/?q=Flumoxite"))


def test_a_revoked_curator_is_not_let_in_again_by_a_request_that_was_under_way(finished_by_author, alice):
    curation, _ = assign_curator(finished_by_author.pk, alice.pk, "alice")
    open_curation(curation.pk, None, NOON)
    under_way = Curation.objects.select_related("basis").get(pk=curation.pk)
    assert revoke_assignment(finished_by_author.pk, curation.pk)
    with pytest.raises(CurationError, match="not assigned to you any more"):
        take_over_found_record(under_way, "token-0001", alice.pk, NOON)
    curation.refresh_from_db()
    assert curation.basis is None and not curation.items.exists()
