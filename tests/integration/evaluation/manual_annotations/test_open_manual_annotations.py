"""Manual annotations of tasks of any types: read like their gold standards, stored, and compared by type."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.formats.errors import RefusedFileError
from annotations.results.models import CARRIED_TEXT, Result
from annotations.schema import Kind
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.manual_annotations.file_import import (
    ManualAnnotationFile,
    import_all_manual_annotations_or_refuse_file,
)
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.measures.task_settings import read_task_settings
from tests.integration.open_task_cast import GOLD, LABEL_GOLD, LABEL_OTHER, OPEN_TASKS, OTHER, RUN, make_open_challenge

pytestmark = pytest.mark.django_db
PAGE, API = "/challenges/open-tasks/by-hand/", "/api/v1/challenges/open-tasks/by-hand/"
# A word that the article does not have.
CHANGED = RUN.replace(b"ulcers", b"wounds")


@pytest.fixture
def challenge(olga):
    challenge, _ = make_open_challenge(olga)
    return challenge


@pytest.fixture
def import_file(challenge):
    corpus = challenge.phases.get().corpus

    def import_content(name, content, who="Authors", **others):
        file = ManualAnnotationFile("author", who, content, "file.txt", **others)
        return import_all_manual_annotations_or_refuse_file(challenge.tasks.get(name=name), corpus, file)

    return import_content


def compare(client, kind, *imported, form="/api/v1", **others):
    chosen = "".join(f"&producer={own.annotation_set.producer_id}" for own in imported)
    query = "".join(f"&{name}={value}" for name, value in others.items())
    return client.get(f"{form}/corpora/open/compare/?kind={kind}{chosen}{query}")


@pytest.mark.parametrize("name", OPEN_TASKS)
def test_each_task_of_any_types_has_manual_annotations(client, olga, import_file, name):
    kind, _, gold, run, _ = OPEN_TASKS[name]
    run = LABEL_OTHER if kind is Kind.LABEL else run
    imported = [import_file(name, gold), import_file(name, run, "Curators", read_all_articles=True)]
    assert imported[1].articles == 3
    client.force_login(olga)
    read = compare(client, kind, *imported).json()
    (pair,) = read["pairs"]
    assert pair["instances"] and 0 <= pair["f1"] < 1
    page = client.get(PAGE).content.decode()
    assert f"kind={kind}&amp;producer=" in page
    assert compare(client, kind, *imported, form="").status_code == 200


def test_they_agree_by_type(client, olga, import_file):
    imported = [import_file("NER", GOLD), import_file("NER", RUN, "Curators")]
    client.force_login(olga)
    read = compare(client, "mention", *imported).json()
    # Of five and seven diseases four are the same; of four chemicals and two, two.
    assert {own["type"]: own["mean_f1"] for own in read["types"]} == {"Disease": 8 / 12, "Chemical": 4 / 6}


def test_articles_that_a_file_names_without_an_annotation_were_read(import_file):
    imported = import_file("NER", GOLD)
    empty = Result.objects.get(producer=imported.annotation_set.producer, article__pmid=302)
    assert imported.articles == 3 and not empty.annotations.exists()


def test_labels_count_for_the_articles_that_the_file_names(import_file):
    assert import_file("TOPIC", LABEL_GOLD).articles == 2
    assert import_file("TOPIC", LABEL_OTHER, "Curators", read_all_articles=True).articles == 3


def test_a_second_file_is_a_second_reading(client, olga, import_file):
    import_file("NEL-ART", GOLD)
    again = import_file("NEL-ART", OTHER)
    assert (again.articles, again.repeated) == (3, 3)
    client.force_login(olga)
    (itself,) = compare(client, "entity", again).json()["itself"]
    assert 0 < itself["f1"] < 1


def test_labels_of_another_set_need_another_name(challenge, import_file):
    settings = read_task_settings({"label_set": {"name": "species", "values": ["mouse"]}})
    creation.create_task(challenge, "SPECIES", Kind.LABEL, "Species", settings=settings)
    import_file("TOPIC", LABEL_GOLD)
    with pytest.raises(ChallengeError, match="already has labels of topic; choose another name for those of species"):
        import_file("SPECIES", b"301\tmouse\n")
    assert import_file("SPECIES", b"301\tmouse\n", "Authors of species").articles == 1
    assert import_file("TOPIC", LABEL_OTHER).repeated == 1


def test_they_are_moved_from_slightly_different_texts_or_refused(import_file):
    moved = import_file("NER", GOLD.replace(b"ulcers.", b"ulcers ."))
    result = Result.objects.get(producer=moved.annotation_set.producer, article__pmid=301)
    assert (result.moved_from, result.not_movable) == (CARRIED_TEXT, 0)
    assert "ulcers" in result.annotations.values_list("text", flat=True)
    with pytest.raises(RefusedFileError) as refused:
        import_file("NER", CHANGED, "Curators")
    assert [fault.rule for fault in refused.value.faults] == ["R726"]


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("NER", GOLD.replace(b"303", b"999"), "R508"),
        ("NER", GOLD.replace(b"303\t0\t6", b"303\t0\t600"), "R721"),
        ("TOPIC", b"301\tdanger\n", "R724"),
        ("CID", b"301|t|Aspirin causes asthma\n", "R610"),
    ],
)
def test_a_file_with_errors_is_refused_like_a_gold_standard(client, olga, challenge, name, content, rule):
    client.force_login(olga)
    fields = {"sort": "curator", "who": "MINT", "corpus": "open", "task": name}
    refused = client.post(API, {**fields, "file": SimpleUploadedFile("file.txt", content)})
    assert refused.status_code == 422 and rule in refused.content.decode()
    page = client.post(PAGE, {**fields, "file": SimpleUploadedFile("file.txt", content)})
    assert page.status_code == 422 and rule in page.content.decode()
    assert not ManualAnnotationSet.objects.exists()


def test_the_page_and_rest_import_them(client, olga, challenge):
    client.force_login(olga)
    fields = {"sort": "author", "who": "Authors", "corpus": "open", "task": "CID"}
    page = client.post(PAGE, {**fields, "file": SimpleUploadedFile("file.txt", GOLD)}, follow=True)
    assert "Relations for 3 articles" in page.content.decode()
    read = client.post(API, {**fields, "who": "Others", "file": SimpleUploadedFile("file.txt", OTHER)})
    assert read.status_code == 201 and (read.json()["kind"], read.json()["articles"]) == ("relation", 3)
