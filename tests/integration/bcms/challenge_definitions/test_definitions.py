"""A challenge is created from a file, or as a copy of another one: as a draft, all of it or nothing."""

from datetime import UTC, datetime, timedelta

import pytest
import yaml
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from annotations.articles.models import Article, Corpus
from annotations.schema import Kind
from bcms.challenge_definitions.export import build_definition, format_definition_yaml
from evaluation.challenges.models import Challenge, CorpusOwner, Entrant, Phase, Task
from evaluation.challenges.setup.creation import create_task
from evaluation.measures.task_settings import TaskSettings

CREATE, API = "/challenges/new/from-file/", "/api/v1/challenges/from-file/"
TEXT = """name: Genes in abstracts
slug: genes-2027
description: Find the **genes**.
entrance: invited
terms: Be fair.
doi: https://doi.org/10.1093/database/baw032
tasks:
  - name: ACT
    title: Articles about interactions
    kind: classification
    primary: mcc
    further: [sensitivity, accuracy]
  - name: NER
    title: Mentions of diseases
    kind: mention
    settings:
      entity_types: [Disease]
  - name: RANK
    title: Interactions
    kind: pair
corpora:
  - name: Training
    slug: genes-2027-train
    articles: ["101", "102"]
phases:
  - sort: training
    corpus: genes-2027-train
    opens: 2027-02-01T09:00:00Z
    closes: 2027-06-30T22:00:00Z
    offline_runs: 7
    counted_runs: best
    upload_caps: {pair: 40}
    mean_rank_tasks: [ACT, RANK]
"""


@pytest.fixture
def olga(olga):
    """An organizer who may create challenges."""
    olga.user_permissions.add(Permission.objects.get(codename="add_challenge"))
    return olga


@pytest.fixture
def articles(db):
    for pmid in (101, 102):
        Article.objects.create(pmid=pmid, passages=[], text="", content_hash=f"{pmid:064}")


def send(client, user, text, **names):
    client.force_login(user)
    return client.post(CREATE, {"file": SimpleUploadedFile("genes.yaml", text.encode()), **names})


def list_faults(client, user, text):
    response = send(client, user, text)
    assert response.status_code == 422
    assert not Challenge.objects.exists() and not Corpus.objects.exists()
    return [(fault.line, fault.rule, fault.message) for fault in response.context["faults"]]


def test_a_file_becomes_a_draft_with_everything(client, olga, articles):
    response = send(client, olga, TEXT)
    assert response["Location"] == "/challenges/genes-2027/organize/"
    challenge = Challenge.objects.get()
    assert (challenge.state, challenge.entrance, challenge.terms, challenge.doi) == (
        *("draft", "invited", "Be fair."),
        "10.1093/database/baw032",
    )
    assert list(challenge.organizers.all()) == [olga]
    act, ner, rank = challenge.tasks.order_by("pk")
    assert (act.primary, act.further) == ("mcc", ["sensitivity", "accuracy"])
    assert ner.get_settings().entity_types == ("Disease",)
    phase = challenge.phases.get()
    assert (phase.corpus.slug, phase.corpus.articles.count()) == ("genes-2027-train", 2)
    assert (phase.opens, phase.closes) == (
        datetime(2027, 2, 1, 9, tzinfo=UTC),
        datetime(2027, 6, 30, 22, tzinfo=UTC),
    )
    assert (phase.offline_runs, phase.online_runs, phase.counted_runs) == (7, 5, "best")
    assert phase.upload_caps == {"pair": 40}
    assert set(phase.mean_rank_tasks.all()) == {act, rank}


def test_its_own_definition_makes_the_same_challenge_again(client, olga, articles):
    send(client, olga, TEXT)
    first = format_definition_yaml(Challenge.objects.get())
    assert send(client, olga, first, name="Second", slug="second").status_code == 302
    second = yaml.safe_load(format_definition_yaml(Challenge.objects.get(slug="second")))
    assert second == {**yaml.safe_load(first), "name": "Second", "slug": "second"}
    client.force_login(olga)
    for address in ("/challenges/genes-2027/definition/", "/api/v1/challenges/genes-2027/definition/"):
        sent = client.get(address, headers={"accept": "application/yaml"})
        assert (sent.content.decode(), sent["Content-Type"]) == (first, "application/yaml; charset=utf-8")


def find_line(text, part):
    """The number of the only line that has the part."""
    (line,) = [number for number, line in enumerate(text.splitlines(), 1) if part in line]
    return line


def test_every_fault_has_its_line_and_nothing_is_stored(client, olga, articles):
    text = TEXT.replace("kind: classification", "kind: thought").replace("offline_runs: 7", 'offline_runs: "7"')
    kind, runs = list_faults(client, olga, text)
    assert kind[:2] == (find_line(text, "thought"), "R762")
    assert kind[2].startswith("tasks.0.kind: “thought” is not a valid choice; send one of: mention, ")
    assert runs == (
        find_line(text, "offline_runs"),
        "R762",
        "phases.0.offline_runs: Send a whole number, not a string.",
    )


def test_faults_of_the_forms_are_all_listed(client, olga, articles):
    text = TEXT.replace("primary: mcc", "primary: wrong").replace('"102"', '"999"')
    measure, article = list_faults(client, olga, text)
    assert measure[:2] == (find_line(text, "wrong"), "R762")
    assert article[:2] == (find_line(text, "999"), "R762")
    assert "999" in article[2]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("entrance: invited", "entrence: invited", "entrence", "There is no “entrence” here"),
        ("    title: Mentions of diseases", "    titel: Mentions", "titel", "There is no “titel” here"),
        ("corpus: genes-2027-train", "corpus: other", "corpus: other", "There is no corpus with this name"),
        ("mean_rank_tasks: [ACT, RANK]", "mean_rank_tasks: [ACT]", "mean_rank", "two or more"),
        ("upload_caps: {pair: 40}", "upload_caps: {passage: 4}", "upload_caps", "no task of the kind passage"),
        ("2027-06-30", "2020-06-30", "- sort", "in the past"),
        ("slug: genes-2027\n", "slug: new\n", "slug: new", "The site uses"),
        ("  - name: NER", "  - name: act", "name: act", "already has a task act"),
        ("doi: https://doi.org/10.1093", "doi: 11.5", "doi:", "no DOI"),
        ("terms: Be fair.", 'terms: "Be \\e[1mfair."', "terms", "control character"),
        ("name: Genes in abstracts", 'name: "Genes\\u202e in abstracts"', 'name: "Genes', "invisible character"),
        ("title: Mentions of diseases", 'title: "Mentions\\u200b"', 'title: "Men', "invisible character"),
        ("entity_types: [Disease]", 'entity_types: ["Ta\\0xi"]', "entity_types", "has an invisible character"),
        ("entity_types: [Disease]", 'label_set: {name: "\\u202e"}', "label_set", "has an invisible character"),
        ("  - name: Training", '  - name: "Training\\a"', 'name: "Train', "invisible character"),
    ],
)
def test_a_fault_is_at_its_line(client, olga, articles, old, new, place, message):
    assert old in TEXT
    text = TEXT.replace(old, new)
    ((line, rule, fault),) = list_faults(client, olga, text)
    assert (line, rule) == (find_line(text, place), "R762")
    assert message in fault


def test_of_very_many_faults_the_first_are_listed(client, olga, articles):
    faults = list_faults(client, olga, TEXT + "".join(f"x{number}: 1\n" for number in range(1200)))
    assert len(faults) == 1001
    assert faults[-1] == (
        len(TEXT.splitlines()) + 1001,
        "R762",
        "There are 200 more faults. Correct those above first.",
    )


def test_names_of_a_file_are_short_and_printable_in_faults(client, olga, articles):
    ((_, _, message),) = list_faults(client, olga, TEXT + '"x\\u202e' + "y" * 900 + '": 1\n')
    assert message.startswith("x\ufffdyyy")
    assert "There is no “x\ufffdyyy" in message
    assert len(message) < 500


@pytest.mark.parametrize("text", ["", "- a", "12", "text"])
def test_what_is_no_definition_is_refused(client, olga, text):
    if not text:
        assert send(client, olga, text).context["form"].errors
        return
    ((line, rule, _),) = list_faults(client, olga, text)
    assert (line, rule) == (1, "R762")


def test_yaml_that_is_none_is_refused_at_its_line(client, olga):
    assert [fault[:2] for fault in list_faults(client, olga, "name: A\nslug: *x")] == [(2, "R761")]


def test_a_second_one_with_the_same_slug_is_refused(client, olga, articles):
    send(client, olga, TEXT)
    response = send(client, olga, TEXT)
    assert response.status_code == 422
    assert response.context["faults"][0].line == 2
    assert Challenge.objects.count() == 1


def test_who_may_not_create_challenges_may_not_send_files(client, alice):
    assert send(client, alice, TEXT).status_code == 403
    assert client.post(API, {"file": SimpleUploadedFile("a.yaml", TEXT.encode())}).status_code == 403
    assert not Challenge.objects.exists()


def test_rest_answers_with_the_challenge_or_every_fault(client, olga, articles):
    client.force_login(olga)
    made = client.post(API, {"file": SimpleUploadedFile("a.yaml", TEXT.encode()), "slug": "by-rest"})
    assert (made.status_code, made.json()["slug"], made.json()["state"]) == (201, "by-rest", "draft")
    refused = client.post(
        API, {"file": SimpleUploadedFile("a.yaml", TEXT.replace("title: Int", "titel: Int").encode())}
    )
    assert refused.status_code == 422
    (fault,) = refused.json()["errors"]
    assert (fault["line"], fault["code"]) == (find_line(TEXT, "title: Int"), "R762")


@pytest.fixture
def source(olga):
    challenge = Challenge.objects.create(
        state="closed", name="First", slug="first", description="*Text*", terms="Be fair.", data_licence="CC0"
    )
    challenge.organizers.add(olga)
    create_task(challenge, "NER", Kind.MENTION, "Diseases", settings=TaskSettings(entity_types=("Disease",)))
    act = create_task(challenge, "ACT", Kind.CLASSIFICATION, "Articles", primary="mcc")
    past, future = timezone.now() - timedelta(days=9), timezone.now() + timedelta(days=9)
    for sort, blind in (("training", False), ("test", True)):
        corpus = Corpus.objects.create(slug=f"first-{sort}", name=sort, blind=blind)
        CorpusOwner.objects.create(corpus=corpus, challenge=challenge)
        Phase.objects.create(
            challenge=challenge, sort=sort, corpus=corpus, opens=past, closes=past, names_shown=future, published=past
        )
    challenge.phases.get(sort="training").mean_rank_tasks.set([act, *challenge.tasks.filter(name="NER")])
    return challenge


def test_a_copy_has_the_rules_tasks_and_phases_but_no_past_dates_nor_blind_corpora(client, olga, source, team):
    Entrant.objects.create(challenge=source, team=team, approved=timezone.now())
    client.force_login(olga)
    response = client.post(reverse("challenge-copy", args=["first"]), {"name": "Second", "slug": "second"}, follow=True)
    copy = Challenge.objects.get(slug="second")
    assert (copy.name, copy.state, copy.description, copy.terms, copy.data_licence) == (
        *("Second", "draft", "*Text*"),
        *("Be fair.", "CC0"),
    )
    assert [(task.name, task.kind, task.settings, task.primary) for task in copy.tasks.order_by("pk")] == [
        (task.name, task.kind, task.settings, task.primary) for task in source.tasks.order_by("pk")
    ]
    phase = copy.phases.get()
    assert (phase.sort, phase.corpus.slug, phase.closes, phase.published) == ("training", "first-training", None, None)
    assert phase.names_shown == source.phases.get(sort="training").names_shown
    assert phase.mean_rank_tasks.count() == 2
    assert not copy.entrants.exists()
    assert "The test phase was not copied" in response.content.decode()
    assert Challenge.objects.get(slug="first").phases.count() == 2


def test_a_copy_says_where_it_shows_names_that_were_hidden(client, olga, source):
    client.force_login(olga)
    address = reverse("challenge-copy", args=["first"])
    page = client.post(address, {"name": "Second", "slug": "second"}, follow=True).content.decode()
    assert "hid the names" not in page
    source.phases.update(names_shown=timezone.now())
    page = client.post(address, {"name": "Third", "slug": "third"}, follow=True).content.decode()
    assert "First hid the names of teams in the training phase" in page
    assert Phase.objects.get(challenge__slug="third").names_shown is None


def test_a_copy_with_a_taken_name_is_refused_at_the_field(client, olga, source):
    client.force_login(olga)
    response = client.post(reverse("challenge-copy", args=["first"]), {"name": "Second", "slug": "first"})
    assert response.status_code == 422
    assert "slug" in response.context["form"].errors
    assert Task.objects.count() == 2


def test_only_organizers_who_may_create_challenges_copy_one(client, source, alice, django_user_model):
    other = django_user_model.objects.create_user("other")
    source.organizers.add(other)
    for user in (alice, other):
        client.force_login(user)
        assert client.post(reverse("challenge-copy", args=["first"]), {"name": "A", "slug": "a"}).status_code == 403
    assert client.get(reverse("challenge-definition", args=["first"])).status_code == 200
    client.force_login(alice)
    assert client.get(reverse("challenge-definition", args=["first"])).status_code == 403
    assert Challenge.objects.count() == 1


def test_a_copy_says_what_of_the_challenge_has_to_be_corrected_first(client, olga, source):
    Challenge.objects.filter(pk=source.pk).update(contact="nobody")
    client.force_login(olga)
    response = client.post(reverse("challenge-copy", args=["first"]), {"name": "Second", "slug": "second"})
    assert response.status_code == 422
    (fault,) = response.context["form"].non_field_errors()
    assert fault.startswith("Correct this in First first. contact: Give an e-mail address")
    assert Challenge.objects.count() == 1


def test_a_definition_takes_as_many_queries_for_many_phases(source, django_assert_num_queries):
    with django_assert_num_queries(5):
        build_definition(source)
    source.phases.filter(sort="test").delete()
    with django_assert_num_queries(5):
        build_definition(source)
