"""An experiment on pages and by REST: who sees proposals, and that nobody gets around it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from annotations.curation.models import Curation, Decision
from annotations.curation.projects.assignment import assign_article, hand_over_curation, split_unassigned_articles
from annotations.curation.projects.models import CurationProject
from annotations.curation.session import open_curation, show_candidates
from annotations.curation.states import CurationArm
from bcms.curation_projects.access import REFUSED_IN_EXPERIMENT
from servers.audit.models import AuditEvent
from tests.integration.article_cast import read_page_words
from tests.integration.evaluation_cast import make_corpus
from tests.integration.experiment_cast import make_experiment, make_read_corpus
from tests.integration.project_cast import add_curator, get_curator
from tests.integration.published_cast import publish_interaction

pytestmark = pytest.mark.django_db
GENE = "CDH1 Cadherin-1"


@pytest.fixture
def corpus(team):
    return make_read_corpus(team)


@pytest.fixture
def project(olga, alice, corpus):
    return make_experiment(olga, alice, corpus=corpus)


def assign_in_arm(project, user, arm):
    curation = assign_article(project, project.corpus.articles.get(), get_curator(project, user).pk)
    Curation.objects.filter(pk=curation.pk).update(arm=arm)
    return Curation.objects.get(pk=curation.pk)


def read(client, curation, query=""):
    return read_page_words(client.get(f"/curation/{curation.pk}/{query}"))


def post_json(client, address, sent=None):
    return client.post(address, sent or {}, content_type="application/json")


def test_it_draws_and_records_the_seed_of_a_new_experiment(client, olga):
    make_corpus()
    client.force_login(olga)
    sent = {"name": "Help", "corpus": "four", "help": "random"}
    client.post("/curation/projects/new/", sent | {"arm_seed": "42"})
    client.post("/curation/projects/new/", sent)
    client.post("/curation/projects/new/", sent | {"help": "systems", "arm_seed": "42"})
    given, drawn, none = CurationProject.objects.order_by("pk").values_list("arm_seed", flat=True)
    assert (given, none) == (42, None)
    assert drawn is not None
    assert AuditEvent.objects.filter(action="curation.project_created").earliest("pk").after == {"arm_seed": 42}
    made = post_json(client, "/api/v1/curation-projects/", sent | {"arm_seed": 43}).json()
    assert (made["project"]["help"], made["project"]["arm_seed"]) == ("random", 43)


def test_it_tells_curators_no_seed_from_which_they_could_compute_who_gets_help(client, olga, alice, project):
    for user, seed in ((olga, 1), (alice, None)):
        client.force_login(user)
        listed = client.get("/api/v1/curation-projects/").json()["results"]
        opened = client.get(f"/api/v1/curation-projects/{project.pk}/").json()["project"]
        assert [each["arm_seed"] for each in (*listed, opened)] == [seed, seed]


@pytest.mark.parametrize("arm", ["with", "without"])
def test_it_takes_over_no_record_and_no_file_in_either_arm(as_alice, alice, carol, project, arm):
    article = project.corpus.articles.get()
    publish_interaction(carol, article)
    curation = assign_in_arm(project, alice, arm)
    address = f"/curation/{curation.pk}/"
    as_alice.get(address)
    file = as_alice.get(f"/api/v1/articles/{article.pmid}/digital-abstract/").content
    assert "No record can be taken over" in read_page_words(as_alice.post(f"{address}continue/", follow=True))
    for path in (f"{address}file/", f"/api/v1/curations/{curation.pk}/file/"):
        refused = as_alice.post(path, {"file": SimpleUploadedFile("r.json", file), "origin": "system"})
        assert "No file can be taken over" in refused.content.decode()
    assert not curation.decisions.exists()


@pytest.fixture
def draws_without_help(monkeypatch):
    draw = "annotations.curation.projects.experiments.draw_arms"
    monkeypatch.setattr(draw, lambda pairs, earlier, seed: dict.fromkeys(pairs, CurationArm.WITHOUT_HELP))


def open_alone(client, article):
    """A curation outside of the project, with what servers propose."""
    opened = post_json(client, "/api/v1/curations/", {"article": str(article.pmid)}).json()
    assert list_candidates(client, opened["id"])
    return Curation.objects.get(pk=opened["id"])


def list_candidates(client, pk):
    return client.get(f"/api/v1/curations/{pk}/candidates/").json()["results"]


@pytest.mark.parametrize("is_split", [False, True])
def test_it_proposes_nothing_any_more_in_what_was_opened_before(as_alice, alice, project, draws_without_help, is_split):
    article = project.corpus.articles.get()
    alone = open_alone(as_alice, article)
    if is_split:
        split_unassigned_articles(project, 0, 1)
    else:
        assign_article(project, article, get_curator(project, alice).pk)
    address = f"/curation/{alone.pk}/"
    item = {"kind": "entity", "key": "uniprot:P12830"}
    decided = {"action": "accept", "seen": 0, "token": "token-0001"}
    refused = post_json(as_alice, f"/api/v1/curations/{alone.pk}/decisions/", decided | item | {"keys": [item["key"]]})
    answers = [
        refused,
        as_alice.get(f"{address}item/", item),
        as_alice.post(f"{address}decide/?step=entities", decided | item, headers={"X-Fragment": "1"}),
    ]
    assert [each.status_code for each in answers] == [400, 404, 422]
    assert not any(GENE in read_page_words(each) for each in answers)
    assert (list_candidates(as_alice, alone.pk), alone.decisions.count()) == ([], 0)


def test_it_proposes_nothing_where_the_colleague_has_opened_the_article_before(
    client, alice, carol, project, draws_without_help
):
    article = project.corpus.articles.get()
    add_curator(project, carol)
    curation = assign_article(project, article, get_curator(project, alice).pk)
    client.force_login(carol)
    alone = open_alone(client, article)
    hand_over_curation(curation.pk, get_curator(project, carol).pk, timezone.now())
    assert list_candidates(client, alone.pk) == []


def test_it_keeps_no_list_that_was_made_before_the_article_was_assigned(as_alice, alice, project, draws_without_help):
    """The list of a long article takes a while."""
    article = project.corpus.articles.get()
    alone = open_alone(as_alice, article)
    made = alone.candidates
    assign_article(project, article, get_curator(project, alice).pk)
    for keep in (open_curation, show_candidates):
        assert keep(alone.pk, made, timezone.now()).candidates is None


def test_it_shows_proposals_with_help(as_alice, alice, project):
    curation = assign_in_arm(project, alice, "with")
    words = read(as_alice, curation, "?step=entities")
    assert GENE in words
    assert "with help" in words
    assert "Accept a whole consensus" in words


def test_it_shows_the_text_alone_without_help(as_alice, alice, project):
    curation = assign_in_arm(project, alice, "without")
    page = as_alice.get(f"/curation/{curation.pk}/?step=entities")
    words = read_page_words(page)
    assert GENE not in words
    assert "Nothing is proposed." in words
    assert "do not open the page of the article" in words
    assert "Accept a whole consensus" not in words
    assert f'href="/articles/{curation.article.pmid}/"' not in page.content.decode()
    for query in ("?step=organisms", "?step=entities&kind=mention", "?step=interactions"):
        assert "servers" not in read(as_alice, curation, query).replace("annotation servers", "")
    assert as_alice.get(f"/curation/{curation.pk}/item/?kind=entity&key=uniprot:P12830").status_code == 404


def test_it_stores_that_nothing_was_on_screen(as_alice, alice, project):
    for arm in ("without", "with"):
        curation = assign_in_arm(project, alice, arm)
        as_alice.get(f"/curation/{curation.pk}/")
        curation.refresh_from_db()
        sent = {"seen": curation.revision, "token": f"token-{arm}", "action": "add", "kind": "entity"}
        sent["identifier"] = "uniprot:P12830"
        as_alice.post(f"/curation/{curation.pk}/decide/?step=entities&kind=entity", sent)
        decision = Decision.objects.latest("pk")
        assert (decision.token, decision.candidates is None) == (f"token-{arm}", arm == "without")


def test_it_gives_no_proposals_by_rest_or_by_a_rule_without_help(as_alice, alice, project):
    curation = assign_in_arm(project, alice, "without")
    as_alice.get(f"/curation/{curation.pk}/")
    assert as_alice.get(f"/api/v1/curations/{curation.pk}/candidates/").json()["count"] == 0
    rule = {"method": "votes", "threshold": 1, "kinds": ["entity"], "seen": 0, "token": "t"}
    refused = post_json(as_alice, f"/api/v1/curations/{curation.pk}/accept/", rule)
    assert refused.status_code == 409
    assert "without what annotation servers propose" in refused.json()["detail"]


def test_it_gives_no_proposals_in_a_second_curation_of_the_article(as_alice, alice, project):
    assign_in_arm(project, alice, "without")
    article = project.corpus.articles.get()
    own = post_json(as_alice, "/api/v1/curations/", {"article": str(article.pmid)}).json()["id"]
    assert as_alice.get(f"/api/v1/curations/{own}/candidates/").json()["count"] == 0
    assert GENE not in read_page_words(as_alice.get(f"/curation/{own}/?step=entities"))
    Curation.objects.filter(arm="without").update(state="finished")
    assert GENE in read_page_words(as_alice.get(f"/curation/{own}/?step=entities"))


def test_it_leads_from_the_end_to_the_questionnaire_and_keeps_the_record(as_alice, alice, project):
    curation = assign_in_arm(project, alice, "without")
    as_alice.get(f"/curation/{curation.pk}/")
    reply = as_alice.post(f"/curation/{curation.pk}/finish/", {"seen": "0", "nothing_found": "1"})
    assert reply.url == f"/curation/{curation.pk}/questionnaire/"
    assert "Open it again" not in read(as_alice, curation, "?step=check")
    words = read_page_words(as_alice.post(f"/curation/{curation.pk}/reopen/", follow=True))
    assert "It stays as it was finished" in words
    assert post_json(as_alice, f"/api/v1/curations/{curation.pk}/reopen/").status_code == 409


def test_it_lets_no_curator_hand_over_an_article_of_an_experiment(as_alice, alice, carol, project):
    curation = assign_in_arm(project, alice, "without")
    sent = {"curator": add_curator(project, carol).pk}
    assert as_alice.get(f"/curation/{curation.pk}/hand-over/").status_code == 403
    assert as_alice.post(f"/curation/{curation.pk}/hand-over/", sent).status_code == 403
    refused = post_json(as_alice, f"/api/v1/curations/{curation.pk}/hand-over/", sent)
    assert (refused.status_code, refused.json()["detail"]) == (403, REFUSED_IN_EXPERIMENT)
    assert as_alice.post(f"/curation/projects/{project.pk}/hand-over/", sent).status_code == 403
    assert Curation.objects.get().curator.user == alice


def test_it_says_why_there_is_no_button_to_hand_over(as_alice, alice, project):
    curation = assign_in_arm(project, alice, "with")
    for address in ("/curation/", f"/curation/{curation.pk}/"):
        page = as_alice.get(address)
        assert "Only the owner of the project can hand" in read_page_words(page)
        assert f"/curation/{curation.pk}/hand-over/" not in page.content.decode()


def test_it_lets_the_owner_of_an_experiment_hand_over_what_is_not_begun(client, olga, alice, carol, project):
    curation = assign_in_arm(project, alice, "without")
    first, second = get_curator(project, alice), add_curator(project, carol)
    client.force_login(olga)
    sent = {"article": curation.article.pmid, "curator": first.pk, "colleague": second.pk}
    address = f"/curation/projects/{project.pk}/hand-over/"
    assert "Handed over to carol" in read_page_words(client.post(address, sent, follow=True))
    assert list(Curation.objects.values_list("curator", "arm")) == [(second.pk, "without")]
    assert "alice has no unfinished curation" in read_page_words(client.post(address, sent, follow=True))
    post_json(client, f"/api/v1/curations/{curation.pk}/hand-over/", {"curator": first.pk})
    assert Curation.objects.get().curator == first
    Curation.objects.update(state="open")
    assert "cannot be handed over once it is begun" in read_page_words(client.post(address, sent, follow=True))


def test_it_names_the_arm_in_the_worklist(as_alice, alice, project):
    curation = assign_in_arm(project, alice, "without")
    assert "assigned · without help" in read_page_words(as_alice.get("/curation/"))
    (row,) = as_alice.get("/api/v1/curation-worklist/").json()["to_curate"]
    assert (row["id"], row["arm"]) == (curation.pk, "without")


def test_it_asks_those_without_help_to_leave_the_page_of_the_article(as_alice, client, alice, carol, project):
    curation = assign_in_arm(project, alice, "without")
    address = f"/articles/{curation.article.pmid}/"
    page = as_alice.get(address)
    assert "Please leave this page until you have finished" in read_page_words(page)
    assert f'href="/curation/{curation.pk}/"' in page.content.decode()
    Curation.objects.filter(pk=curation.pk).update(state="finished")
    assert "Please leave this page" not in read_page_words(as_alice.get(address))
    client.force_login(carol)
    assert "Please leave this page" not in read_page_words(client.get(address))
