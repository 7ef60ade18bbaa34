"""Who sees the articles of a blind corpus: its organizers and staff, by whatever page they are asked for."""

import pytest

from annotations.articles.models import Corpus
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup import creation
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.visibility import list_visible_articles, list_visible_corpora
from tests.integration.evaluation_cast import create_listed_challenge, end


@pytest.fixture
def blind(article, olga):
    """The article is Olga's test set."""
    corpus = create_article_corpus("secret", article, blind=True)
    creation.create_phase_claiming_blind_corpus(create_listed_challenge("One", "one", "", olga), "test", corpus)
    return corpus


def create_article_corpus(slug, article, *, blind):
    corpus = Corpus.objects.create(slug=slug, name=slug, blind=blind)
    corpus.corpusarticle_set.create(article=article, position=1)
    return corpus


def count_visible_rows(user):
    return list_visible_articles(user).count(), list_visible_corpora(user).filter(blind=True).count()


def test_it_shows_a_blind_corpus_to_its_organizers_and_staff_only(blind, alice, olga, admin_user):
    assert [count_visible_rows(user) for user in (alice, olga, admin_user)] == [(0, 0), (1, 1), (1, 1)]


def test_it_shows_a_blind_corpus_to_its_organizers_before_it_has_a_phase(article, olga, carol):
    challenge = create_listed_challenge("One", "one", "", olga)
    create_challenge_corpus(challenge, "Secret", "secret", "", [article.pk], blind=True)
    assert [count_visible_rows(user) for user in (olga, carol)] == [(1, 1), (0, 0)]


def test_it_shows_nothing_to_who_takes_the_same_article_for_another_challenge(blind, article, carol):
    other = create_listed_challenge("Two", "two", "", carol)
    creation.create_phase_claiming_blind_corpus(other, "training", create_article_corpus("open", article, blind=False))
    assert count_visible_rows(carol) == (0, 0)


def test_it_shows_the_article_to_everybody_once_its_phase_is_published(blind, alice):
    phase = blind.phase_set.get()
    end(phase)
    assert publish_phase_or_request_if_sealed(phase)
    assert count_visible_rows(alice) == (1, 0)
