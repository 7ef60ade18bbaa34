"""What becomes of articles that were uploaded straight to a blind corpus when its test is published."""

import io
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Article, ArticleSnapshot
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from bcms.administration.takedowns import take_article_down
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.challenges.dry_run.setup_checks import perform_dry_run
from evaluation.challenges.models import Phase
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.consequences import list_consequences_of_phase_publication
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from tests.integration.archive_cast import write_challenge_archive
from tests.integration.evaluation_cast import answer, end, get_article, make_server, species

pytestmark = pytest.mark.django_db

FILE = "701|t|Never seen\n701|a|Some text.\n\n702|t|Known\n702|a|The same.\n\n703|t|Known\n703|a|Another text.\n"


@pytest.fixture
def phase(challenge, olga):
    """A test of an article that is not on the site, one that is, and one that is with another text."""
    corpus = create_challenge_corpus(challenge, "Unseen", "unseen", "", (), blind=True)
    upload(olga, FILE)
    return creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)


def upload(user, content, **fields):
    client = Client()
    client.force_login(user)
    sent = {"file": SimpleUploadedFile("a.txt", content.encode()), **fields}
    reply = client.post("/api/v1/challenges/example/corpora/unseen/articles/", sent)
    assert reply.status_code == 201, reply.content
    return reply.json()["articles"]


def publish_article(pmid, title, abstract, **ids):
    passages = (TextPassage("title", title), TextPassage("abstract", abstract))
    (article,) = store_annotated_articles([ParsedArticle(ArticleIds(pmid, **ids), passages)]).articles
    return article


def publish(phase):
    end(phase)
    assert publish_phase_or_request_if_sealed(phase)


def test_each_article_is_public_with_its_text(phase, client):
    same, other = publish_article(702, "Known", "The same."), publish_article(703, "Known", "On this site.")
    snapshots = {each.pmid: each.article for each in ArticleSnapshot.objects.select_related("article")}
    assert "become public articles with their texts" in " ".join(list_consequences_of_phase_publication(phase))
    publish(phase)
    named = Article.objects.get(pmid=701)
    assert (named, named.blind, named.text) == (snapshots[701], False, "Never seen\nSome text.")
    articles = list(phase.corpus.articles.order_by("corpusarticle__position"))
    assert articles == [named, same, snapshots[703]]
    other.refresh_from_db()
    assert (other.text, articles[2].text) == ("Known\nOn this site.", "Known\nAnother text.")
    assert client.get(f"/articles/{snapshots[702].opaque}/").url == "/articles/702/"
    assert f'href="/articles/{snapshots[703].opaque}/"' in client.get("/articles/703/").content.decode()


def test_results_of_the_test_show_with_an_article_that_was_never_public(phase, team, challenge, client):
    server = make_server(team, "reader")
    for own in enter_eligible_server_and_enqueue_articles(server, challenge.phases.get(sort="training")):
        for pmid in (101, 102, 103, 104):
            answer(own, pmid, [])
    (own,) = [each for each in enter_eligible_server_and_enqueue_articles(server, phase) if each.task.name == "TX"]
    answer(own, 701, species("9606"))
    assert client.get("/api/v1/articles/701/annotations/").status_code == 404
    publish(phase)
    body = client.get("/api/v1/articles/701/annotations/").json()
    assert "9606" in str(body)


def test_the_text_of_an_article_that_was_taken_down_stays_hidden(phase, client, admin_user):
    for pmid, abstract in ((702, "The same."), (703, "On this site.")):
        take_article_down(publish_article(pmid, "Known", abstract), "Licence.", admin_user)
    other = get_opaque(703)
    publish(phase)
    for name in (702, 703, other):
        assert client.get(f"/articles/{name}/", follow=True).status_code == 404
    takedown = Article.objects.get(opaque=other).takedown
    assert (takedown.reason, takedown.by) == ("Licence.", admin_user)


def get_opaque(pmid):
    return ArticleSnapshot.objects.get(pmid=pmid).article.opaque


def test_an_article_without_an_identifier_is_public_under_its_opaque_id(challenge, olga, client):
    corpus = create_challenge_corpus(challenge, "Unseen", "unseen", "", (), blind=True)
    (opaque,) = upload(olga, "A title of a manuscript.\n\nAnd its text.\n")
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)
    assert client.get(f"/articles/{opaque}/").status_code == 404
    publish(phase)
    assert "A title of a manuscript." in client.get(f"/articles/{opaque}/").content.decode()


def find_blindness_messages(challenge):
    return [each.message for each in perform_dry_run(challenge).checks if each.name == "Blind articles"]


def test_the_dry_run_says_which_of_them_are_publicly_known(phase, challenge, olga):
    assert find_blindness_messages(challenge) == [
        "Servers and files get only random ids, no text contains its own PMID or DOI, and no article with the same "
        "PMID, PMCID, DOI or text is public on this site."
    ]
    publish_article(703, "Known", "On this site.")
    (message,) = find_blindness_messages(challenge)
    assert message.startswith("1 of the 3 test articles is publicly known") and message.endswith(": PMID 703.")


def test_the_dry_run_knows_an_article_by_its_pmcid(challenge, olga):
    corpus = create_challenge_corpus(challenge, "Unseen", "unseen", "", (), blind=True)
    upload(olga, "Never seen.\n\nA text.\n", name="PMC4711")
    creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)
    publish_article(704, "Another", "text.", pmcid="PMC4711")
    (message,) = find_blindness_messages(challenge)
    assert message.endswith(": PMC4711.")


def test_an_archive_names_none_of_them_before_publication(phase, challenge, tmp_path):
    path = write_challenge_archive(challenge, tmp_path / "a.zip")
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        everything = b"\n".join(archive.read(name) for name in archive.namelist()).decode()
    assert get_opaque(701) in everything
    assert [word for word in ("701", "702", "Never seen", "Some text") if f"\t{word}\t" in everything] == []
    assert "Never seen" not in everything and "Some text" not in everything


def test_a_restored_challenge_has_snapshots_of_its_own(phase, challenge, tmp_path, client):
    path = write_challenge_archive(challenge, tmp_path / "a.zip")
    restore_challenge_unless_restored_before(path, "again")
    restored = Phase.objects.get(challenge__slug="again", sort="test")
    texts = list(restored.corpus.articles.order_by("corpusarticle__position").values_list("text", "blind"))
    assert texts[0] == ("Never seen\nSome text.", True)
    assert not set(restored.corpus.articles.all()) & set(phase.corpus.articles.all())
    publish(phase)
    assert client.get("/articles/701/").status_code == 200
    publish(restored)
    assert Article.objects.get(pmid=701) in restored.corpus.articles.all()


def test_an_article_that_another_blind_corpus_has_stays_blind(phase, challenge, client):
    create_challenge_corpus(challenge, "Next", "next", "", [get_article(701).pk], blind=True)
    publish(phase)
    assert client.get("/articles/701/").status_code == 404
    assert client.get("/articles/702/").status_code == 200
