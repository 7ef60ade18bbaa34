"""The demo's manuscript waits for its author, its curators have a worklist, and its organizer results to read."""

from collections import Counter

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import Permission
from django.test import Client

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.curation.models import Curation
from annotations.curation.projects.models import CurationProject
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import Kind
from bcms.demo import curation, experiment
from bcms.demo.manuscript import TITLE, submit_demo_manuscript_once
from servers.calls.models import Call, Queue
from servers.registry.models import Server
from tests.integration.article_cast import create_known_genes, gene, live_queue, read_page_words

pytestmark = pytest.mark.django_db
GENES = ("P12830", "P35222", "P09803", "Q02248")


@pytest.fixture
def people(django_user_model):
    made = {}
    for name in ("olga", "curt", "bob", "ember"):
        made[name] = django_user_model.objects.create_user(name, f"{name}@example.org", "a-long-password")
        EmailAddress.objects.create(user=made[name], email=f"{name}@example.org", verified=True, primary=True)
    made["ember"].user_permissions.add(Permission.objects.get(codename="submit_manuscript"))
    return made


@pytest.fixture
def reading(team, people):
    """Three articles of which a server reports four genes, and one of which it reports none."""
    return make_reading_corpus(team, 4)


def make_reading_corpus(team, size):
    create_known_genes()
    queue = live_queue(team, "Alpha")
    corpus = Corpus.objects.create(slug="reading", name="Reading articles")
    for position in range(size):
        text = f"Article {position} about cell adhesion"
        article = Article.objects.create(
            pmid=500 + position,
            passages=[{"type": "title", "text": text}],
            text=text,
            content_hash=f"{position:064}",
        )
        CorpusArticle.objects.create(corpus=corpus, article=article, position=position)
        found = [gene(each, 0.9) for each in GENES] if position else []
        store_results_superseding_earlier(article, queue.producer, {Kind.NORMALIZATION: found})
    return corpus


def test_it_makes_a_project_half_curated_and_to_adjudicate(reading, people):
    assert not curation.advance_demo_curation()
    half, done, waiting = Curation.objects.filter(curator__user=people["curt"]).order_by("pk")
    assert (half.state, done.state, waiting.state) == ("open", "finished", "assigned")
    assert 0 < half.revision < done.revision
    colleague = Curation.objects.get(curator__user=people["bob"])
    assert (colleague.article, colleague.state) == (done.article, "finished")
    assert set(colleague.items.values_list("state", flat=True)) == {"accepted", "rejected"}
    curt, olga = Client(), Client()
    curt.force_login(people["curt"])
    olga.force_login(people["olga"])
    assert waiting.article.title in read_page_words(curt.get("/curation/"))
    outcome = olga.get(f"/curation/projects/{CurationProject.objects.get().pk}/outcome/")
    assert done.article.title in read_page_words(outcome)
    assert not curation.advance_demo_curation()
    assert CurationProject.objects.count() == 1


def test_it_makes_an_experiment_with_results(team, people, monkeypatch):
    monkeypatch.setattr(curation, "ASSIGNED_ARTICLES", 2)
    monkeypatch.setattr(experiment, "FINISHED_ARTICLES", 4)
    make_reading_corpus(team, 9)
    assert experiment.advance_demo_experiment()
    assert not curation.advance_demo_curation()
    assert not experiment.advance_demo_experiment()
    assert not experiment.advance_demo_experiment()
    made = CurationProject.objects.get(help="random")
    rows = Curation.objects.filter(curator__project=made).order_by("pk")
    assert Counter(rows.values_list("state", "arm")) == {
        ("finished", "with"): 4,
        ("finished", "without"): 4,
        ("assigned", "with"): 1,
        ("assigned", "without"): 1,
    }
    olga = Client()
    olga.force_login(people["olga"])
    results = olga.get(f"/api/v1/curation-projects/{made.pk}/results/").json()
    first, second = results["arms"]["arms"]
    assert first["seconds"]["mean"] < second["seconds"]["mean"]
    assert {each["name"] for each in results["scores"][0]["producers"]} >= {
        *("curators with help", "curators without help"),
        "Alpha",
    }
    assert all(0 < each["f1"] < 1 for each in results["scores"][0]["producers"] if each["unit"] == "group")
    assert (results["questionnaire"]["replies"], results["questionnaire"]["skipped"]) == (6, 2)
    assert results["agreements"]


def test_it_waits_for_the_servers(reading, people):
    Server.objects.update(slug="gene-dictionary")
    queue = Queue.objects.get()
    Call.objects.create(
        queue=queue, server=queue.server, article=Article.objects.earliest("pk"), priority=Call.Priority.LIVE
    )
    assert curation.advance_demo_curation()
    assert not CurationProject.objects.exists()


def test_its_manuscript_waits_for_its_author_by_one_link(people, tmp_path, client):
    token_file = tmp_path / "token"
    submit_demo_manuscript_once(token_file)
    token = token_file.read_text()
    submit_demo_manuscript_once(token_file)
    assert token_file.read_text() == token
    assert TITLE in read_page_words(client.get(f"/manuscripts/open/{token}/", follow=True))
    token_file.unlink()
    submit_demo_manuscript_once(token_file)
    assert Client().get(f"/manuscripts/open/{token_file.read_text()}/").status_code == 302
