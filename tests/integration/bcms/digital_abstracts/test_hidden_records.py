"""What a curator has finished but nobody has published: no reader, search, export, service or consensus has it."""

import xmlrpc.client

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User

from annotations.articles.models import Corpus
from annotations.curation.models import Curation
from annotations.curation.projects.adjudication import accept_agreed_articles
from annotations.curation.projects.models import CurationProject
from annotations.curation.session import finish_curation
from annotations.results.models import Producer, Result
from annotations.tasks import update_summaries_flushing_indexes_requeueing_unless_busy
from servers.audit.models import AuditEvent
from tests.integration.article_cast import create_known_genes, make_read_article, three_servers
from tests.integration.curation_cast import NOON, begin, decide, propose_gene
from tests.integration.project_cast import curate, make_project

pytestmark = pytest.mark.django_db
# No server reports it.
GENE = "Q9UBN7"
ADDRESSES = (
    "/articles/20000001/?kind=normalization&unreviewed=1",
    "/articles/20000001/results/",
    "/articles/20000001/?version=1&kind=normalization",
    "/corpora/read/compare/?kind=normalization",
    "/api/v1/corpora/read/compare/?kind=normalization",
    "/articles/20000001/export/ndjson/",
    "/api/v1/articles/20000001/annotations/?unreviewed=1",
    "/api/v1/articles/20000001/entries/",
    "/api/v1/articles/20000001/consensus/?kind=normalization&method=union",
    "/api/v1/articles/20000001/export/tsv/",
    "/api/v1/articles/20000001/digital-abstract/",
    "/api/v1/export/ndjson/?unreviewed=1",
    "/api/v1/digital-abstracts/ndjson/",
    "/api/v1/data/curations/files/ndjson/",
    "/data/curations/",
    "/data/new/",
    "/servers/alpha/",
    "/api/v1/servers/alpha/decisions/",
    "/search/?q=CDH1",
    "/admin/annotations/article/",
    "/audit/",
)
READERS = ("visitor", "carol", "alice", "olga", "staff")


@pytest.fixture
def staff(django_user_model):
    return django_user_model.objects.create_superuser("staff", "staff@example.org", "a-long-password")


@pytest.fixture
def article(team, alice, carol, olga):
    """Alice has finished it twice, alone and in a project of olga's, in which it has an outcome; carol's is open."""
    article = make_read_article()
    create_known_genes()
    three_servers(team, article)
    curation = begin(alice, article)
    decide(curation, "accept", propose_gene(GENE))
    finish_curation(curation.pk, 1, NOON)
    decide(begin(carol, article), "accept", propose_gene(GENE))
    corpus = Corpus.objects.create(name="Read", slug="read")
    corpus.articles.add(article, through_defaults={"position": 1})
    project = make_project(olga, alice, carol, corpus=corpus)
    curate(project, alice, 20000001, GENE)
    accept_agreed_articles(project, olga.pk, NOON)
    assert Result.objects.filter(producer=project.outcome.producer, kind="normalization").exists()
    update_summaries_flushing_indexes_requeueing_unless_busy()
    return article


def log_in(client, name):
    if name != "visitor":
        client.force_login(User.objects.get(username=name))


@pytest.mark.parametrize("reader", READERS)
def test_nobody_reads_it(client, article, staff, reader):
    log_in(client, reader)
    for address in ADDRESSES:
        reply = client.get(address)
        body = b"".join(reply.streaming_content) if reply.streaming else reply.content
        assert GENE not in body.decode(), address


@pytest.mark.parametrize("reader", READERS)
def test_nobody_reads_its_results_by_their_numbers(client, article, staff, reader):
    """Those of each curator and of the outcome, which nothing links to."""
    log_in(client, reader)
    results = Result.objects.filter(producer__curator__isnull=False)
    assert results.filter(kind="normalization").count() == 3
    for pk in results.values_list("pk", flat=True):
        assert client.get(f"/articles/20000001/results/{pk}/").status_code == 404
        assert client.get(f"/articles/20000001/results/{pk}/reply/").status_code == 404
        assert client.get(f"/api/v1/articles/20000001/results/{pk}/").status_code == 404


@pytest.mark.parametrize("reader", READERS)
def test_nobody_else_opens_the_curation_itself(client, article, staff, reader):
    log_in(client, reader)
    for curation in Curation.objects.exclude(curator__user__username=reader):
        for address in (f"/curation/{curation.pk}/", f"/curation/{curation.pk}/item/?kind=entity&key=uniprot:{GENE}"):
            assert client.get(address).status_code == (302 if reader == "visitor" else 404)
        for address in ("", "candidates/"):
            assert client.get(f"/api/v1/curations/{curation.pk}/{address}").status_code in (401, 404)


@pytest.mark.parametrize("reader", ["visitor", "carol", "alice", "staff"])
def test_only_those_who_decide_read_what_a_project_has(client, article, staff, reader):
    log_in(client, reader)
    project = CurationProject.objects.get().pk
    for address in (
        f"/curation/projects/{project}/outcome/",
        f"/curation/projects/{project}/articles/20000001/",
        f"/api/v1/curation-projects/{project}/outcome/",
        f"/api/v1/curation-projects/{project}/articles/20000001/",
    ):
        reply = client.get(address)
        assert reply.status_code in (302, 401, 403), address
        assert GENE not in reply.content.decode()


def test_staff_read_it_once_they_are_adjudicators_which_is_recorded(client, article, staff, carol):
    EmailAddress.objects.create(user=staff, email=staff.email, verified=True, primary=True)
    client.force_login(staff)
    project = CurationProject.objects.get()
    Curation.objects.filter(curator__user=carol).delete()
    client.post(f"/curation/projects/{project.pk}/adjudicators/", {"person": "staff"})
    event = AuditEvent.objects.get(action="curation.adjudicator_added")
    assert (event.actor, event.person) == (staff, staff)
    assert GENE in client.get(f"/curation/projects/{project.pk}/articles/20000001/").content.decode()


@pytest.mark.parametrize("kind", ["normalization", "taxon"])
def test_no_data_set_and_no_consensus_of_staff_is_made_from_it(client, article, staff, kind):
    client.force_login(staff)
    for producer in Producer.objects.filter(curator__isnull=False):
        body = {"name": "Mine", "licence": "CC0-1.0", "kinds": [kind], "method": "union", "producers": [producer.pk]}
        reply = client.post("/api/v1/data/", body | {"corpus": "read"}, content_type="application/json")
        assert reply.status_code == 400
        assert "no producer" in reply.content.decode()


@pytest.mark.parametrize("method", ["Annotations.getAnnotations", "Annotations.getAnnotationServerList"])
def test_xmlrpc_does_not_have_it(client, article, method):
    call = xmlrpc.client.dumps((20000001,), method)
    reply = client.post("/xmlrpc/", call, content_type="text/xml").content.decode()
    assert "alpha" in reply
    assert GENE not in reply
    assert "curator" not in reply


def test_searches_do_not_find_it(client, article):
    assert client.get("/api/v1/articles/", {"entity": "uniprot:P12830"}).json()["count"] == 1
    for query in ({"entity": f"uniprot:{GENE}"}, {"gene": f"uniprot:{GENE}"}, {"curated": "1"}):
        assert client.get("/api/v1/articles/", query).json()["count"] == 0
