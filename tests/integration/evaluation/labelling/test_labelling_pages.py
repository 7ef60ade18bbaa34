"""The pages of a labelling: for its curators and organizers alone, without scripts, with a fixed number of queries."""

import re
from html import unescape

import pytest

from annotations.articles.models import Article, Corpus
from annotations.results.models import ArticleSummary
from evaluation.challenges.models import Challenge
from evaluation.challenges.participants import admission
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.labelling import curators
from evaluation.labelling.models import Label, Labeller, Labelling
from evaluation.labelling.session.progress import list_own_labellings
from evaluation.runs.uploads.eligibility import check_may_upload_run
from servers.teams.models import Membership, Team
from tests.integration.evaluation.labelling.test_labelling import label_articles
from tests.integration.evaluation_cast import make_corpus, make_server

pytestmark = pytest.mark.django_db
PAGE = "/challenges/example/labellings/four/"


@pytest.fixture
def labelling(challenge):
    return curators.begin_labelling_claiming_blind_corpus(challenge, Corpus.objects.get(), order="given", again_every=0)


def read_page_text(response):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def find_shown_article(response):
    found = re.search(r'name="article" value="(\w+)"', response.content.decode())
    return found[1] if found else None


def say(client, own, said, **more):
    opaque = find_shown_article(client.get(f"/labelling/{own.pk}/"))
    return client.post(f"/labelling/{own.pk}/answer/", {"article": opaque, "said": said, **more}, follow=True)


def own_pages(own):
    return ["", "answer/", "undo/", "pause/", "resume/", "clock/"], f"/labelling/{own.pk}/"


def test_it_is_nowhere_for_others(client, curator, alice, olga, admin_user):
    parts, page = own_pages(curator)
    for part in parts:
        client.logout()
        assert client.post(page + part).status_code == 302
        for user in (alice, olga, admin_user):
            client.force_login(user)
            assert client.post(page + part, {"said": "yes", "article": "x"}).status_code == 404, (part, user)
    assert not Label.objects.exists()


def test_it_is_for_the_organizers_alone(client, curator, alice, carol, olga, admin_user):
    pages = [PAGE, PAGE + "gold.tsv", "/challenges/example/add-labelling/"]
    buttons = [PAGE + part for part in ("name/", "release/", "rule/", "gold/")]
    for user, read_status, done in ((alice, 403, 403), (carol, 403, 403), (olga, 200, 302), (admin_user, 200, 302)):
        client.force_login(user)
        assert {client.get(address).status_code for address in pages} == {read_status}, user
        assert {client.post(address).status_code for address in buttons} == {done}, user
    client.logout()
    assert {client.get(address).status_code for address in pages} == {302}


def test_the_list_shows_the_progress_and_the_next_step_in_one_query(client, curator, carol, django_assert_num_queries):
    client.force_login(carol)
    assert "0 of 4 articles labelled or skipped Start Four" in read_page_text(client.get("/labelling/"))
    say(client, curator, "yes")
    with django_assert_num_queries(1):
        (own,) = list_own_labellings(carol)
    assert (own.labeller, own.done, own.total) == (curator, 1, 4)
    assert "1 of 4 articles labelled or skipped Continue Four" in read_page_text(client.get("/labelling/"))
    for said in ("no", "yes", "no"):
        say(client, curator, said)
    assert "4 of 4 articles labelled or skipped Open Four" in read_page_text(client.get("/labelling/"))


def test_it_labels_without_scripts(client, curator, carol):
    client.force_login(carol)
    assert "Four" in read_page_text(client.get("/labelling/"))
    first = client.get(f"/labelling/{curator.pk}/")
    assert "Article 101" in read_page_text(first)
    assert "0 of 4 labelled" in read_page_text(first)
    assert "Article 102" in read_page_text(say(client, curator, "yes"))
    assert "Article 103" in read_page_text(say(client, curator, "no"))
    shown = read_page_text(say(client, curator, "skip"))
    assert "2 of 4 labelled, 1 skipped" in shown
    assert "s per article (median)" in shown
    shown = read_page_text(client.post(f"/labelling/{curator.pk}/pause/", follow=True))
    assert "Paused" in shown
    assert "Article 104" not in shown
    assert "Article 104" in read_page_text(client.post(f"/labelling/{curator.pk}/resume/", follow=True))
    assert "Article 103" in read_page_text(client.post(f"/labelling/{curator.pk}/undo/", follow=True))
    for _ in range(2):
        shown = read_page_text(say(client, curator, "yes"))
    assert "All done" in shown
    kept = Label.objects.filter(superseded__isnull=True).order_by("article__pmid")
    assert list(kept.values_list("relevant", flat=True)) == [True, False, True, True]


def test_it_says_when_an_article_was_labelled_elsewhere(client, curator, carol):
    client.force_login(carol)
    old = find_shown_article(client.get(f"/labelling/{curator.pk}/"))
    say(client, curator, "yes")
    said = client.post(f"/labelling/{curator.pk}/answer/", {"article": old, "said": "no"}, follow=True)
    assert "was no longer visible" in read_page_text(said)
    assert list(Label.objects.values_list("relevant", flat=True)) == [True]
    assert client.post(f"/labelling/{curator.pk}/answer/", {"article": old, "said": "maybe"}).status_code == 404


def test_it_hears_of_the_clock(client, curator, carol):
    client.force_login(carol)
    page = client.get(f"/labelling/{curator.pk}/")
    number = re.search(r'name="showing" value="(\d+)"', page.content.decode())[1]
    clock = f"/labelling/{curator.pk}/clock/"
    assert client.post(clock, {"showing": number, "sight": "out"}).status_code == 204
    assert Labeller.objects.get().running is None
    assert client.post(clock, {"showing": number, "sight": "in"}).status_code == 204
    assert Labeller.objects.get().running is not None
    assert client.post(clock, {"showing": "x"}).status_code == 404


def test_it_shows_nothing_of_what_servers_say(client, labelling, carol):
    Labelling.objects.update(order="likely")
    article = Article.objects.get(pmid=103)
    ArticleSummary.objects.create(article=article, version=1, balance=0.875, yes=7, no=1, servers=8)
    own = curators.add_and_mail_or_readmit_curator(labelling, carol)
    client.force_login(carol)
    page = client.get(f"/labelling/{own.pk}/")
    assert find_shown_article(page) == article.opaque
    said = page.content.decode()
    assert [word for word in ("0.875", "0.88", "tilt", "/articles/103") if word in said] == []


def test_it_shows_a_blind_article_to_its_curator_alone(client, challenge, carol, alice):
    blind = make_corpus("blind", pmids=(201, 202), blind=True)
    found = curators.begin_labelling_claiming_blind_corpus(challenge, blind, order="given", again_every=0)
    own = curators.add_and_mail_or_readmit_curator(found, carol)
    client.force_login(carol)
    page = client.get(f"/labelling/{own.pk}/")
    assert "Article 201" in read_page_text(page)
    assert client.get("/articles/201/").status_code == 404
    rivals = Team.objects.create(name="Rivals", slug="rivals")
    Membership.objects.create(team=rivals, user=carol, role="manager")
    assert client.get(f"/labelling/{own.pk}/").status_code == 200
    admission.accept_terms_or_refuse_ineligible_team(challenge, rivals, carol)
    for address in (f"/labelling/{own.pk}/", f"/api/v1/labels/{own.pk}/"):
        refused = client.get(address)
        assert refused.status_code == 403
        assert "so you can no longer label its blind articles. Tell the organizers." in refused.content.decode()
    rivals.delete()
    curators.release_labeller_keeping_labels(found, own.pk)
    assert client.get(f"/labelling/{own.pk}/").status_code == 404


def test_it_lets_no_team_in_of_which_somebody_labelled_the_articles(challenge, team, alice, carol):
    blind = make_corpus("blind", pmids=(201, 202), blind=True)
    own = curators.add_and_mail_or_readmit_curator(
        curators.begin_labelling_claiming_blind_corpus(challenge, blind, order="given", again_every=0), carol
    )
    phase, task = creation.create_phase_claiming_blind_corpus(challenge, "test", blind), challenge.tasks.get(name="ACT")
    Membership.objects.create(team=team, user=carol)
    check_may_upload_run(team, task, phase, alice)
    label_articles(own, "y")
    said = "carol of Team Alpha has labelled the articles of the test phase"
    with pytest.raises(ChallengeError, match=said):
        check_may_upload_run(team, task, phase, alice)
    with pytest.raises(ChallengeError, match=said):
        enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), phase, alice)


@pytest.mark.parametrize(("every", "queries"), [(0, 14), (10, 15)])
def test_it_shows_an_article_in_as_many_queries_however_far(
    client, labelling, carol, every, queries, django_assert_num_queries
):
    Labelling.objects.update(again_every=every, corpus=make_corpus("forty", pmids=range(301, 341)))
    own = curators.add_and_mail_or_readmit_curator(Labelling.objects.get(), carol)
    client.force_login(carol)
    for more in (3, 20):
        label_articles(own, "y" * more)
        with django_assert_num_queries(queries):
            client.get(f"/labelling/{own.pk}/")


def test_it_organizes_from_naming_to_the_gold_standard(client, challenge, carol, alice, olga):
    client.force_login(olga)
    fields = {"corpus": Corpus.objects.get().pk, "order": "given", "again_every": "0", "guideline": "Binding counts."}
    made = client.post("/challenges/example/add-labelling/", fields, follow=True)
    assert "Labelling of Four" in read_page_text(made)
    assert "No account has the user name or confirmed e-mail address nobody" in read_page_text(
        client.post(PAGE + "name/", {"name": "nobody"}, follow=True)
    )
    for name in ("carol", "alice"):
        said = read_page_text(client.post(PAGE + "name/", {"name": name}, follow=True))
        assert f"{name} can now label the articles of Four" in said
    for own, letters in zip(Labeller.objects.order_by("pk"), ("yyny", "yynn"), strict=True):
        label_articles(own, letters)
    shown = read_page_text(client.get(PAGE))
    assert re.search(r"carol and alice 4 0\.750 0\.\d{3} to 1\.000 0\.500 -?\d\.\d{3} to 1\.000 ", shown)
    assert "1 of 1 open" in shown
    assert "You can use the labels as a gold standard after" in shown
    opaque = Article.objects.get(pmid=104).opaque
    assert "decided: relevant" in read_page_text(
        client.post(PAGE + "rule/", {"article": opaque, "said": "yes"}, follow=True)
    )
    assert client.get(PAGE + "gold.tsv").content == b"101\t1\n102\t1\n103\t0\n104\t1\n"
    phase = challenge.phases.get()
    fields = {"task": challenge.tasks.get(name="ACT").pk, "phase": phase.pk}
    said = read_page_text(client.post(PAGE + "gold/", fields, follow=True))
    assert "The labels are now the gold standard of ACT in the training phase; it is stored." in said
    assert GoldStandard.objects.get(task__name="ACT").source == "Labelling of Four by carol and alice"
    number = Labeller.objects.order_by("pk").first().pk
    assert "removed" in read_page_text(client.post(PAGE + "release/", {"labeller": number}, follow=True))


def test_it_shows_the_outcome_in_as_many_queries_however_many_labels(
    client, labelling, carol, alice, olga, django_assert_num_queries
):
    first = curators.add_and_mail_or_readmit_curator(labelling, carol)
    client.force_login(olga)
    for letters, other in (("y", alice), ("yyy", None)):
        label_articles(first, letters)
        if other:
            label_articles(curators.add_and_mail_or_readmit_curator(labelling, other), "nyyn")
        with django_assert_num_queries(11):
            client.get(PAGE)


@pytest.mark.parametrize("state", ["closed", "archived"])
def test_it_offers_no_labelling_of_a_challenge_that_is_over(client, labelling, curator, carol, state):
    client.force_login(carol)
    assert f"/labelling/{curator.pk}/" in client.get("/labelling/").content.decode()
    Challenge.objects.update(state=state)
    assert "You have no labelling tasks" in client.get("/labelling/").content.decode()
    assert client.get("/api/v1/labels/").json() == []
