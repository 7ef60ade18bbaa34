"""Withdrawing a published digital abstract: who may, with a reason, and that nothing has it afterwards."""

import xmlrpc.client

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.articles.models import Corpus
from annotations.curation.models import PublishedAbstract
from annotations.curation.projects.adjudication import accept_agreed_articles
from annotations.curation.publishing import publish_curation, withdraw_published_abstract
from annotations.results.models import Result
from annotations.tasks import update_summaries_flushing_indexes_requeueing_unless_busy
from servers.audit.models import AuditEvent
from tests.integration.article_cast import URL, create_known_genes, make_read_article, read_page_words
from tests.integration.curation_cast import NOON
from tests.integration.project_cast import curate, make_project
from tests.integration.published_cast import PASSAGE, publish_interaction

pytestmark = pytest.mark.django_db
PAGE = "/articles/20000001/digital-abstract/withdraw/"
REST = "/api/v1/articles/20000001/digital-abstract/"
REASON = "The passage is of another article."


@pytest.fixture
def article():
    article = make_read_article()
    create_known_genes()
    return article


@pytest.fixture
def published(article, carol):
    return publish_interaction(carol, article)


@pytest.fixture
def reviewer(django_user_model):
    reviewer = django_user_model.objects.create_user("rita", "rita@example.org", "a-long-password")
    reviewer.user_permissions.add(Permission.objects.get(codename="review_server"))
    return reviewer


def withdraw_by_rest(client, reason=REASON):
    return client.post(f"{REST}withdraw/", {"reason": reason}, content_type="application/json")


def test_its_curator_withdraws_it_on_a_page(client, carol, published):
    client.force_login(carol)
    assert PAGE in client.get(URL).content.decode()
    assert "Why it is withdrawn" in read_page_words(client.get(PAGE))
    assert client.post(PAGE, {"reason": REASON}).url == URL
    words = read_page_words(client.get(URL))
    assert "Structured digital abstract" not in words
    assert "The digital abstract of this article was withdrawn on" in words
    assert REASON in words
    row = PublishedAbstract.objects.get()
    assert (row.withdrawal_reason, row.withdrawer) == (REASON, carol)
    event = AuditEvent.objects.get(action="curation.record_withdrawn")
    assert (event.actor, event.reason, event.subject) == (carol, REASON, "digital abstract of 20000001")
    assert client.get(PAGE).status_code == 404


def test_a_reason_is_needed_and_what_was_typed_is_kept(client, carol, published):
    client.force_login(carol)
    reply = client.post(PAGE, {"reason": " "})
    assert reply.status_code == 422
    assert "Write why it is withdrawn" in read_page_words(reply)
    reply = client.post(PAGE, {"reason": "long " * 101})
    assert (reply.status_code, "long long" in reply.content.decode()) == (422, True)
    for reason in ("", "x" * 501):
        assert withdraw_by_rest(client, reason).json()["errors"][0]["loc"] == "reason"
    assert PublishedAbstract.objects.get().withdrawn is None


def test_reviewers_withdraw_it_and_its_curator_gets_mail(client, carol, reviewer, published, mailoutbox):
    EmailAddress.objects.get_or_create(user=carol, email=carol.email, defaults={"verified": True, "primary": True})
    client.force_login(reviewer)
    reply = withdraw_by_rest(client)
    assert (reply.status_code, reply.json()["reason"]) == (200, REASON)
    [mail] = mailoutbox
    assert (mail.to, REASON in mail.body, URL in mail.body) == ([carol.email], True, True)
    assert withdraw_by_rest(client).status_code == 404


def test_others_may_not(client, alice, olga, published):
    for user in (alice, olga):
        client.force_login(user)
        assert "Withdraw" not in read_page_words(client.get(URL))
        assert client.get(PAGE).status_code == 403
        assert client.post(PAGE, {"reason": REASON}).status_code == 403
        assert withdraw_by_rest(client).status_code == 403
    client.logout()
    assert client.post(PAGE, {"reason": REASON}).url.startswith("/login/")
    assert withdraw_by_rest(client).status_code == 401
    assert PublishedAbstract.objects.get().withdrawn is None


def test_the_owner_of_a_project_withdraws_its_outcome_and_its_curators_do_not(client, article, olga, carol, alice):
    corpus = Corpus.objects.create(name="Read", slug="read")
    corpus.articles.add(article, through_defaults={"position": 1})
    project = make_project(olga, carol, corpus=corpus)
    curate(project, carol, 20000001, "P12830")
    accept_agreed_articles(project, olga.pk, NOON)
    publish_curation(project.outcome.curations.get().pk, None, NOON)
    for user, status in ((carol, 403), (alice, 403), (olga, 200)):
        client.force_login(user)
        assert withdraw_by_rest(client).status_code == status


def test_nothing_has_it_afterwards(client, carol, published):
    update_summaries_flushing_indexes_requeueing_unless_busy()
    assert client.get("/api/v1/articles/", {"curated": "1"}).json()["count"] == 1
    assert client.get("/api/v1/articles/", {"entity": "uniprot:P12830"}).json()["count"] == 1
    result = Result.objects.filter(producer__name="Published curations", kind="normalization").get()
    client.force_login(carol)
    client.post(PAGE, {"reason": REASON})
    client.logout()
    update_summaries_flushing_indexes_requeueing_unless_busy()
    for address in (
        URL,
        f"{URL}results/",
        "/api/v1/articles/20000001/annotations/",
        "/api/v1/articles/20000001/export/ndjson/",
        "/api/v1/export/ndjson/",
        "/api/v1/digital-abstracts/ndjson/",
        "/api/v1/digital-abstracts/mitab/",
        "/api/v1/data/curations/files/ndjson/",
    ):
        reply = client.get(address)
        body = (b"".join(reply.streaming_content) if reply.streaming else reply.content).decode()
        assert "P12830" not in body, address
        assert "MI:0915" not in body, address
    assert client.get(f"{URL}results/{result.pk}/").status_code == 404
    assert client.get(f"/api/v1/articles/20000001/results/{result.pk}/").status_code == 404
    assert client.get("/api/v1/data/curations/").json()["articles"] == 0
    for query in ({"curated": "1"}, {"entity": "uniprot:P12830"}):
        assert client.get("/api/v1/articles/", query).json()["count"] == 0


def test_rest_and_xmlrpc_say_that_it_was_withdrawn(client, carol, published):
    client.force_login(carol)
    withdraw_by_rest(client)
    for address in (REST, f"{REST}mitab/"):
        reply = client.get(address)
        assert reply.status_code == 404
        assert REASON in reply.json()["detail"]
    call = xmlrpc.client.dumps((20000001,), "Annotations.getDigitalAbstract")
    with pytest.raises(xmlrpc.client.Fault, match="was withdrawn on"):
        xmlrpc.client.loads(client.post("/xmlrpc/", call, content_type="text/xml").content)


def test_it_can_be_published_again_and_the_notice_is_gone(client, carol, published):
    client.force_login(carol)
    withdraw_by_rest(client)
    publish_curation(published.curation_id, None, NOON)
    words = read_page_words(client.get(URL))
    assert PASSAGE in words
    assert "was withdrawn" not in words


def test_a_record_that_replaced_it_is_not_withdrawn_with_it(carol, alice, article, published):
    """Another record is published between the check and the withdrawal."""
    publish_interaction(alice, article)
    assert not withdraw_published_abstract(article.pk, NOON, reason=REASON, published_id=published.pk)
    assert PublishedAbstract.objects.get(withdrawn=None).curation.curator.user == alice


def test_whether_a_reader_may_takes_three_queries_more_than_for_its_curator(client, carol, alice, published):
    counts = []
    for user in (carol, alice):
        client.force_login(user)
        with CaptureQueriesContext(connection) as queries:
            client.get(URL)
        counts.append(len(queries))
    assert counts[1] - counts[0] == 3
