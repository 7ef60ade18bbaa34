"""The home page of a person begins with what waits for them."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.curation.manuscripts.models import Manuscript
from annotations.curation.manuscripts.states import ManuscriptState
from annotations.curation.models import Curation
from annotations.curation.projects.models import CurationProject
from annotations.curation.states import CurationState
from annotations.schema import Kind
from evaluation.challenges.models import Challenge, Entrant
from evaluation.challenges.setup.creation import create_task
from evaluation.gold.models import GoldStandard
from evaluation.labelling import curators
from evaluation.labelling.models import Label, Labelling
from evaluation.measures.registry import MEASURES_BY_NAME
from evaluation.runs.models import Run
from servers.calls.models import Attempt, Call
from servers.calls.queues import contents
from servers.calls.states import Outcome, QueueMode
from servers.registry.models import Server
from servers.review.states import ReviewState
from servers.teams.models import Team
from tests.integration.curation_cast import begin
from tests.integration.evaluation_cast import make_corpus
from tests.integration.manuscript_cast import make_journal, submit, use_token
from tests.integration.project_cast import curate, make_project
from tests.integration.score_cast import store_server_score


def read_home(client, user):
    client.force_login(user)
    page = client.get("/").content.decode()
    main = page.partition('tabindex="-1">')[2].partition("<footer")[0]
    return " ".join(re.sub("<[^>]+>", " ", main).split()), page


def make_server(team, name):
    return Server.objects.create(team=team, name=name, slug=name, url="http://127.0.0.1:9/", kinds=["mention"])


def call(server, article):
    queue = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE)
    return Call.objects.create(queue=queue, server=server, article=article, priority=0)


def test_a_new_account_gets_three_steps(client, carol):
    words, page = read_home(client, carol)
    assert "Welcome, carol" in words
    assert "Confirm your address Done." in words
    assert "or ask a manager to invite carol." in words
    assert 'href="/servers/register/"' in page
    # And what a visitor reads.
    assert "Many annotation servers, one view" in words
    assert page.count("<h1") == 1


def test_a_member_of_a_team_has_the_second_step_done(client, carol, team):
    team.members.add(carol)
    assert "Create a team Done." in read_home(client, carol)[0]


def test_it_shows_the_servers_of_own_teams_with_what_waits_and_what_failed(client, alice, server, article):
    other = make_server(Team.objects.create(name="Other", slug="other"), "elsewhere")
    for each in (server, other):
        own = call(each, article)
        for number, outcome in enumerate([Outcome.CONNECTION, Outcome.INVALID, Outcome.ANSWERED], start=1):
            Attempt.objects.create(call=own, server=each, number=number, outcome=outcome)
    words, _ = read_home(client, alice)
    own = words.partition("Your servers")[2].partition("Selected articles")[0]
    assert "GeneDict 1 article waiting; last failure: invalid answer," in own
    assert "elsewhere" not in own
    assert "Many annotation servers" not in words


def test_it_lists_own_servers_once(client, alice, server, carol):
    for reader, heading in ((alice, "Servers of other teams"), (carol, "Annotation servers")):
        client.force_login(reader)
        page = client.get("/").content.decode()
        assert heading in page
        assert page.count(f'href="/servers/{server.slug}/"') == 1


def test_it_lists_own_challenges_once(client, olga, challenge):
    Challenge.objects.create(name="Of others", slug="others", state="listed")
    words, page = read_home(client, olga)
    assert page.count(f'href="/challenges/{challenge.slug}/"') == 1
    assert "Of others" in words.partition("Other challenges")[2]


def test_it_shows_how_the_scores_of_a_server_have_changed(client, alice, server, challenge):
    corpus = Corpus.objects.create(name="More", slug="more")
    training = challenge.phases.get(sort="training")
    development = challenge.phases.create(sort="development", corpus=corpus)
    test = challenge.phases.create(sort="test", corpus=corpus)
    label = MEASURES_BY_NAME[challenge.tasks.get(name="TX").primary].label
    store_server_score(server, training, 0.25)
    words, page = read_home(client, alice)
    assert f"{label} 0.2500 in TX of Example challenge, training" in words
    assert "scores-" not in page
    store_server_score(server, development, 0.5)
    hidden = store_server_score(server, test, 0.75)
    words, page = read_home(client, alice)
    assert f"{label} 0.5000 in TX of Example challenge, development" in words
    assert f"{label} of 2 runs, oldest first: 0.2500, 0.5000" in words
    assert "0.7500" not in page
    GoldStandard.objects.filter(pk=hidden.gold_id).update(published=timezone.now())
    words, _ = read_home(client, alice)
    assert f"{label} 0.7500 in TX of Example challenge, test" in words
    assert f"{label} of 3 runs" in words
    Run.objects.filter(pk=hidden.run_id).update(withdrawn=timezone.now())
    assert "0.7500" not in read_home(client, alice)[1]


def test_a_trend_has_the_runs_of_one_task(client, alice, server, challenge):
    training = challenge.phases.get(sort="training")
    create_task(challenge, "TX-2", Kind.TAXON, "Other organisms")
    store_server_score(server, training, 0.25)
    store_server_score(server, training, 0.5, task="TX-2")
    words, page = read_home(client, alice)
    assert "0.5000 in TX-2 of Example challenge, training" in words
    assert "oldest first" not in page


def test_a_server_that_works_has_no_last_failure(client, alice, server, article):
    Attempt.objects.create(call=call(server, article), server=server, number=1, outcome=Outcome.EMPTY)
    assert "last failure" not in read_home(client, alice)[0]


def test_a_curator_is_one_click_from_the_next_article(client, carol, article):
    done = begin(carol, article)
    Curation.objects.filter(pk=done.pk).update(state=CurationState.FINISHED)
    second = Article.objects.create(
        pmid=10000002, passages=[{"type": "title", "text": "A"}], text="A", content_hash="1" * 64
    )
    following = begin(carol, second)
    words, page = read_home(client, carol)
    assert "Outside of projects 1 of 2" in words and "finished in all" not in words
    assert f'href="/curation/{following.pk}/"' in page


def test_a_curator_sees_the_progress_in_each_project(client, olga, carol, article):
    """Those in which nothing is left are only counted."""
    begin(carol, article)
    first = make_project(olga, carol)
    curate(first, carol, 101)
    curate(first, carol, 102, finish=False)
    other = make_project(olga, carol, corpus=make_corpus("other", range(201, 203)))
    CurationProject.objects.filter(pk=other.pk).update(name="All <done>")
    curate(other, carol, 201)
    words, page = read_home(client, carol)
    assert f'<a href="/curation/projects/{first.pk}/">Cadherins</a>' in page
    assert page.count('aria-label="Curations finished') == 2 and "done" not in words.split("Curation")[1][:200]
    assert "Outside of projects 0 of 1" in words and "Cadherins 1 of 2" in words and "2 of 4 finished in all" in words
    make_project(olga, carol, corpus=make_corpus("third", range(301, 303)))
    before = count_home_queries(client)
    curate(CurationProject.objects.last(), carol, 301, finish=False)
    assert count_home_queries(client) == before


def count_home_queries(client):
    with CaptureQueriesContext(connection) as queries:
        client.get("/")
    return len(queries)


@pytest.fixture
def labelling(challenge):
    corpus = Corpus.objects.create(slug="to-label", name="To label")
    for number in range(3):
        article = Article.objects.create(
            pmid=10000100 + number, passages=[{"type": "title", "text": "A"}], text="A", content_hash=f"{number}" * 64
        )
        CorpusArticle.objects.create(corpus=corpus, article=article, position=number)
    return Labelling.objects.create(challenge=challenge, corpus=corpus)


def test_a_labeller_sees_how_much_is_left(client, carol, labelling):
    labeller = curators.add_and_mail_or_readmit_curator(labelling, carol)
    first = Article.objects.get(pmid=10000100)
    for again in (False, True):
        Label.objects.create(labeller=labeller, article=first, relevant=True, seconds=1.0, again=again)
    words, page = read_home(client, carol)
    assert "Label To label Example challenge 1 of 3" in words
    assert f'href="/labelling/{labeller.pk}/"' in page


def test_an_organizer_sees_own_challenges_with_their_dates(client, olga, challenge):
    Challenge.objects.create(name="Of others", slug="others")
    challenge.phases.update(opens=datetime(2026, 3, 1, tzinfo=UTC), closes=datetime(2026, 4, 30, tzinfo=UTC))
    words, _ = read_home(client, olga)
    own = words.partition("Challenges you organize")[2].partition("Selected articles")[0]
    assert "Example challenge" in own
    assert "1 Mar 2026 to 30 Apr 2026" in own
    assert "Of others" not in words


def test_an_organizer_sees_what_needs_attention(client, olga, challenge, team):
    now = timezone.now()
    GoldStandard.objects.all().delete()
    assert "The training phase has no gold standard for ACT, TX." in read_home(client, olga)[0]
    for task in challenge.tasks.all():
        GoldStandard.objects.create(task=task, phase=challenge.phases.get(), checksum="0" * 64, sealed=b"0")
    Challenge.objects.filter(pk=challenge.pk).update(approve_teams=True)
    Entrant.objects.create(challenge=challenge, team=team, accepted=now)
    for change, need in (
        ({"closes": now + timedelta(days=2)}, "The training phase ends within three days."),
        ({"closes": now - timedelta(days=1)}, "The training phase has ended and is not published."),
        ({"frozen": now}, "The training phase is frozen."),
    ):
        challenge.phases.update(**change)
        words, _ = read_home(client, olga)
        assert f"1 team waits for your approval. {need}" in words
        assert "gold standard for" not in words
    challenge.phases.update(published=now)
    Entrant.objects.update(approved=now)
    assert not {"approval", "frozen.", "ended"} & set(read_home(client, olga)[0].split())


def test_an_administrator_is_led_to_operations(client, carol):
    assert "Operate this site" not in read_home(client, carol)[0]
    type(carol).objects.filter(pk=carol.pk).update(is_staff=True)
    words = read_home(client, type(carol).objects.get(pk=carol.pk))[0]
    assert words.index("Operations") < words.index("Audit trail") < words.index("Administration") < words.index("Three")
    assert [client.get(address).status_code for address in ("/operations/", "/audit/")] == [200, 200]
    assert client.get("/administration/").status_code < 400


def test_it_takes_the_same_number_of_queries_however_much_there_is(
    client, alice, server, team, challenge, django_assert_num_queries
):
    challenge.organizers.add(alice)
    make_server(Team.objects.create(name="Other", slug="other"), "elsewhere")
    Server.objects.filter(slug="elsewhere").update(review=ReviewState.ACCEPTED)
    client.force_login(alice)
    with django_assert_num_queries(17):
        client.get("/")
    for number in range(5):
        Server.objects.create(
            team=team, name=f"S{number}", slug=f"s{number}", url="http://127.0.0.1:9/", kinds=["taxon"]
        )
        Challenge.objects.create(name=f"C{number}", slug=f"c{number}").organizers.add(alice)
    with django_assert_num_queries(17):
        client.get("/")


def test_a_journal_sees_what_became_of_its_manuscripts(client, django_user_model):
    journal = make_journal(django_user_model.objects.create_user)
    assert "Manuscripts you submitted" not in read_home(client, journal)[0]
    program = use_token(journal)
    for number in range(3):
        submit(program, reference=f"BC-{number}")
    Manuscript.objects.filter(reference="BC-0").update(state=ManuscriptState.PUBLISHED)
    text, _ = read_home(client, journal)
    assert "With their authors 2 Published 1" in text
    assert "Create a team" not in text
