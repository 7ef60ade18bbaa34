"""The articles of a phase to be downloaded: by whom, in which formats, and nothing that tells blind ones."""

import json
import re
from datetime import timedelta

import pytest
from django.utils import timezone

from annotations.articles.models import Article, ArticleSnapshot
from evaluation.challenges.models import ExcludedArticle, Phase
from evaluation.challenges.participants.article_files import ARTICLE_FILE_FORMATS
from evaluation.challenges.setup import creation
from evaluation.runs.run_page.withdrawal_and_final_tag import set_run_final_in_open_phase
from evaluation.runs.uploads import intake
from evaluation.runs.uploads.submission import RunSubmission
from tests.integration.evaluation_cast import get_article, make_corpus

pytestmark = pytest.mark.django_db

TRAINING = "/challenges/example/phases/training/articles/"
TEST = "/challenges/example/phases/test/articles/"


@pytest.fixture
def testing(challenge):
    phase = creation.create_phase_claiming_blind_corpus(
        challenge, "test", make_corpus("blind", pmids=(201, 202), blind=True)
    )
    ArticleSnapshot.objects.filter(pmid=201).update(journal="J Secret", year=1999, metadata={"authors": ["Secret A"]})
    return phase


def content(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.getvalue().decode()


@pytest.mark.parametrize("form", ARTICLE_FILE_FORMATS)
def test_it_gives_articles_that_are_not_blind_to_everybody(client, challenge, form):
    text = content(client, f"{TRAINING}{form}/")
    for pmid in (101, 102, 103, 104):
        assert f"Article {pmid}" in text


def test_it_writes_an_article_a_line(client, challenge):
    Article.objects.filter(pmid=101).update(
        passages=[{"type": "title", "text": "A\tB"}, {"type": "abstract", "text": "C\nD"}, {"type": "x", "text": "E"}]
    )
    assert content(client, f"{TRAINING}tsv/").split("\n")[:2] == ["101\tA\\tB\tC\\nD\\nE", "102\tArticle 102\t"]
    assert json.loads(content(client, f"{TRAINING}jsonl/").split("\n")[0])["id"] == "101"


def test_it_leaves_out_what_the_organizers_excluded(client, challenge):
    phase = challenge.phases.get()
    ExcludedArticle.objects.create(phase=phase, article=Article.objects.get(pmid=102), reason="retracted")
    assert "102" not in content(client, f"{TRAINING}tsv/")
    assert "3 articles" in re.sub(r"<[^>]+>", "", client.get(TRAINING).content.decode())


@pytest.mark.parametrize("form", ARTICLE_FILE_FORMATS)
def test_it_tells_nothing_of_blind_articles_but_their_text(client, testing, team, alice, form):
    Article.objects.filter(snapshot__pmid=201).update(passages=[{"type": "title", "text": "Blind one"}])
    client.force_login(alice)
    text = content(client, f"{TEST}{form}/")
    for told in ("201", "10.1000", "Secret", "1999"):
        assert told not in text
    assert get_article(201).opaque in text


def test_it_gives_blind_articles_to_teams_that_can_take_part_only(client, testing, team, alice, carol, olga):
    assert client.get(f"{TEST}tsv/").status_code == 403
    for user, status in ((carol, 403), (alice, 200), (olga, 200)):
        client.force_login(user)
        assert client.get(f"{TEST}tsv/").status_code == status
    client.force_login(carol)
    assert "The articles are for teams that can take part in Example challenge" in client.get(TEST).content.decode()


def test_it_refuses_blind_articles_to_a_team_with_an_organizer(client, testing, team, alice, olga):
    team.members.add(olga)
    client.force_login(alice)
    assert client.get(f"{TEST}tsv/").status_code == 403
    assert "olga of Team Alpha organizes Example challenge" in client.get(TEST).content.decode()


def test_it_gives_them_when_the_phase_opens(client, testing, team, alice, olga):
    Phase.objects.filter(pk=testing.pk).update(opens=timezone.now() + timedelta(hours=1))
    client.force_login(alice)
    assert "when the phase opens" in client.get(TEST).content.decode()
    assert client.get(f"{TEST}tsv/").status_code == 403
    client.force_login(olga)
    assert client.get(f"{TEST}tsv/").status_code == 200


def test_it_asks_for_the_terms(client, testing, team, alice, challenge):
    type(challenge).objects.update(terms="Be fair.")
    client.force_login(alice)
    assert "accepted the terms" in client.get(TEST).content.decode()
    assert client.get(f"{TEST}tsv/").status_code == 403


def test_it_asks_for_final_training_runs_where_the_phase_does(client, testing, team, alice, challenge):
    Phase.objects.filter(pk=testing.pk).update(final_first=True)
    client.force_login(alice)
    assert "tagged the final ones" in client.get(TEST).content.decode()
    training, task = challenge.phases.get(sort="training"), challenge.tasks.get(name="TX")
    own = intake.store_run_upload_and_process_or_enqueue(
        RunSubmission("", "", "a.tsv", b"101\t9606\n"), task, training, team, alice
    )
    set_run_final_in_open_phase(own.run, is_final=True)
    assert client.get(f"{TEST}tsv/").status_code == 200


def test_it_knows_its_formats(client, challenge):
    assert client.get(f"{TRAINING}docx/").status_code == 404
    assert client.get("/challenges/example/phases/nothing/articles/").status_code == 404
