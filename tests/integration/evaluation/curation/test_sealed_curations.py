"""What became the sealed gold standard of a test: until that is published, those who made it and organizers read it."""

import xmlrpc.client

import pytest
from django.contrib.auth.models import User
from django.core import mail

from annotations.articles.models import Article
from annotations.curation.contents import build_annotation_content
from annotations.curation.decisions import ItemProposal
from annotations.curation.models import Curation
from annotations.curation.projects.adjudication import accept_agreed_articles
from annotations.curation.states import ItemKind
from annotations.results.models import Result
from annotations.schema import AnnotationData, Kind
from annotations.tasks import update_summaries_flushing_indexes_requeueing_unless_busy
from evaluation.challenges.models import Task
from evaluation.challenges.setup import creation
from evaluation.curation.gold import store_outcome_as_gold
from evaluation.curation.sealing import is_sealed
from tests.integration.curation_cast import NOON
from tests.integration.evaluation_cast import PMIDS
from tests.integration.project_cast import curate, make_project

pytestmark = pytest.mark.django_db
# Nothing else on the site names them.
ORGANISM, GENE, NOTE = "90909091", "Q9UBN7", "a rare cadherin"
SECRETS = (ORGANISM, GENE, NOTE)
PROJECT = "/curation/projects/{project}/"
PROJECT_BY_REST = "/api/v1/curation-projects/{project}/"
ADDRESSES = (
    "/",
    "/articles/",
    "/articles/101/?kind=taxon&unreviewed=1",
    "/articles/101/results/",
    "/articles/101/export/ndjson/",
    "/articles/?q=cadherin&unreviewed=1",
    "/challenges/example/",
    "/challenges/example/test/TX/",
    "/challenges/example/test/TX/leaderboard.json",
    "/challenges/example/organize/",
    "/challenges/example/phases/test/matrix/",
    "/corpora/four/compare/?kind=taxon",
    "/curation/",
    "/curation/review/",
    "/data/new/",
    "/data/curations/",
    PROJECT,
    f"{PROJECT}outcome/",
    f"{PROJECT}results/",
    *(f"{PROJECT}results/{table}.csv" for table in ("curations", "scores", "agreement")),
    f"{PROJECT}articles/101/",
    PROJECT_BY_REST,
    f"{PROJECT_BY_REST}outcome/",
    f"{PROJECT_BY_REST}results/",
    f"{PROJECT_BY_REST}articles/101/",
    "/api/v1/articles/101/annotations/?unreviewed=1",
    "/api/v1/articles/101/entries/",
    "/api/v1/articles/101/consensus/?kind=taxon&method=union",
    "/api/v1/articles/101/export/tsv/",
    "/api/v1/articles/101/digital-abstract/",
    "/api/v1/corpora/four/compare/?kind=taxon",
    "/api/v1/challenges/example/test/TX/",
    "/api/v1/curations/",
    "/api/v1/curation-worklist/",
    "/api/v1/export/ndjson/?unreviewed=1",
    "/api/v1/digital-abstracts/ndjson/",
    "/api/v1/data/curations/files/ndjson/",
    "/api/v1/servers/",
    "/audit/",
)
READERS = ("visitor", "carol", "judge", "member", "staff")


def make_items():
    for kind, key, annotation in (
        (ItemKind.ORGANISM, ORGANISM, AnnotationData(Kind.TAXON, database="ncbitaxon", identifier=ORGANISM)),
        (ItemKind.ENTITY, GENE, AnnotationData(Kind.NORMALIZATION, database="uniprot", identifier=GENE)),
    ):
        yield ItemProposal(kind, key, build_annotation_content(annotation))


@pytest.fixture
def project(olga, alice, carol, training, challenge, django_user_model):
    """Alice has finished all articles, carol curates in the project, too, and a judge decides. Everybody sees the
    texts."""
    project = make_project(olga, alice, carol, corpus=training.corpus)
    project.adjudicators.add(django_user_model.objects.create_user("judge"))
    django_user_model.objects.create_user("member")
    django_user_model.objects.create_superuser("staff", "staff@example.org", "a-long-password")
    for pmid in PMIDS:
        curate(project, alice, pmid, items=list(make_items()))
    Curation.objects.update(notes=NOTE)
    accept_agreed_articles(project, olga.pk, NOON)
    test = creation.create_phase_claiming_blind_corpus(challenge, "test", project.corpus)
    store_outcome_as_gold(project, Task.objects.get(name="TX"), test)
    Article.objects.update(blind=False)
    update_summaries_flushing_indexes_requeueing_unless_busy()
    assert is_sealed(project)
    return project


def iter_answers(client, project, reader):
    if reader != "visitor":
        client.force_login(User.objects.get(username=reader))
    for address in (form.format(project=project.pk) for form in ADDRESSES):
        reply = client.get(address)
        content = b"".join(reply.streaming_content) if reply.streaming else reply.content
        yield address, content.decode("utf-8", "replace")


def list_leaks(answers):
    return [(address, secret) for address, text in answers for secret in SECRETS if secret in text]


@pytest.mark.parametrize("reader", READERS)
def test_nobody_else_reads_it(client, project, reader):
    assert list_leaks(iter_answers(client, project, reader)) == []


def test_organizers_and_those_who_made_it_read_it(client, project):
    """So that the addresses above would show it."""
    comparisons = {form.format(project=project.pk) + "articles/101/" for form in (PROJECT, PROJECT_BY_REST)}
    assert {address for address, _ in list_leaks(iter_answers(client, project, "olga"))} >= comparisons
    curation = project.curators.get(user__username="alice").curations.first()
    client.force_login(curation.curator.user)
    assert GENE in client.get(f"/curation/{curation.pk}/?step=check").content.decode()


@pytest.mark.parametrize("reader", ["visitor", "judge", "staff"])
def test_nobody_reads_its_results_by_their_numbers(client, project, reader):
    if reader != "visitor":
        client.force_login(User.objects.get(username=reader))
    results = Result.objects.filter(producer__curator__isnull=False, article__pmid=101, kind__in=("taxon", "pair"))
    assert results
    for result in results:
        assert client.get(f"/articles/101/results/{result.pk}/").status_code == 404


@pytest.mark.parametrize("method", ["Annotations.getAnnotations", "Annotations.getDigitalAbstract"])
def test_xmlrpc_does_not_have_it(client, project, method):
    reply = client.post("/xmlrpc/", xmlrpc.client.dumps((101,), method), content_type="text/xml").content.decode()
    assert list_leaks([(method, reply)]) == []


def test_no_mail_and_no_search_has_it(client, project):
    assert list_leaks((each.subject, each.body) for each in mail.outbox) == []
    for query in ({"entity": f"uniprot:{GENE}"}, {"gene": f"uniprot:{GENE}"}, {"taxon": ORGANISM}, {"curated": "1"}):
        assert client.get("/api/v1/articles/", query).json().get("count", 0) == 0
