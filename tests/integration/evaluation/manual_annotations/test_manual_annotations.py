"""What authors and curators annotated elsewhere, brought in by organizers and compared with what a server says."""

import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.articles.models import Article
from annotations.formats.errors import RefusedFileError
from annotations.results.models import Producer, Result
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from evaluation.challenges.setup import creation
from evaluation.errors import ChallengeError
from evaluation.manual_annotations.file_import import (
    ManualAnnotationFile,
    delete_manual_set_and_orphan_producer,
    import_all_manual_annotations_or_refuse_file,
    list_manual_annotation_sets,
)
from evaluation.manual_annotations.models import ManualAnnotationSet
from evaluation.measures.agreement import PairwiseAgreement
from tests.integration.evaluation_cast import create_listed_challenge, make_challenge, make_corpus

pytestmark = pytest.mark.django_db

A, B, C, D = "P12830", "P35222", "P04637", "P00533"
PAGE, API, COMPARE = "/challenges/example/by-hand/", "/api/v1/challenges/example/by-hand/", "/corpora/four/compare/"
# Of article 104 the authors say nothing; the curators read it, too, and found nothing in it.
AUTHORS = f"101\t{A}\t{B}\n102\t{C}\t{D}\n103\t{A}\t{C}\n".encode()
CURATORS = f"101\t{B}\t{A}\n102\t{C}\t{D}\n102\t{A}\t{D}\n".encode()
SYSTEM = {101: [(A, B), (A, C)], 102: [(A, D)], 103: [], 104: [(B, D)]}


@pytest.fixture
def challenge(olga):
    own = make_challenge(olga, make_corpus())
    creation.create_task(own, "IPT", Kind.PAIR, "Interactions")
    return own


@pytest.fixture
def corpus(challenge):
    return challenge.phases.get().corpus


@pytest.fixture
def ipt(challenge):
    return challenge.tasks.get(name="IPT")


@pytest.fixture
def system():
    own = Producer.objects.create(sort="server", name="System", public=True)
    for pmid, pairs in SYSTEM.items():
        said = [AnnotationData(Kind.PAIR, database="uniprot", identifier=one, partner=other) for one, other in pairs]
        store_results_superseding_earlier(Article.objects.get(pmid=pmid), own, {Kind.PAIR: said})
    return own


def make_author_file(content=AUTHORS, name="authors.tsv", **others):
    return ManualAnnotationFile("author", "Authors", content, name, **others)


def make_curator_file(content=CURATORS, **others):
    return ManualAnnotationFile("curator", "MINT", content, "mint.tsv", **{"read_all_articles": True} | others)


def read_page_text(response):
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def fetch_comparison(client, kind, *producers):
    chosen = "".join(f"&producer={own.pk}" for own in producers)
    return client.get(f"{COMPARE}?kind={kind}{chosen}")


def make_form_fields(**others):
    file = SimpleUploadedFile("authors.tsv", AUTHORS)
    return {"sort": "author", "who": "Authors", "corpus": "four", "task": "IPT", "file": file} | others


def test_it_compares_authors_curators_and_a_system(client, olga, corpus, ipt, system):
    authors = import_all_manual_annotations_or_refuse_file(ipt, corpus, make_author_file())
    curators = import_all_manual_annotations_or_refuse_file(ipt, corpus, make_curator_file())
    assert (authors.articles, curators.articles, curators.repeated) == (3, 4, 0)
    client.force_login(olga)
    page = fetch_comparison(client, "pair", authors.annotation_set.producer, curators.annotation_set.producer, system)
    found = page.context["found"]
    # Of 101 to 103, which all answered: A-B by all; C-D of authors and curators; A-D of curators and the system; A-C of
    # 103 of the authors, that of 101 of the system.
    assert (found.articles, found.agreements.instances) == (3, 5)
    assert {places: (own.joint, own.f1) for places, own in found.agreements.pairs.items()} == {
        (0, 1): (3 / 5, 2 / 3),
        (0, 2): (1 / 5, 1 / 3),
        (1, 2): (3 / 5, 2 / 3),
    }
    regions = {own.producers: own.items for own in found.overlap.regions}
    assert regions == {(0,): 1, (2,): 1, (0, 1): 1, (1, 2): 1, (0, 1, 2): 1}
    assert "only Authors, Four & MINT, Four" in read_page_text(page)


@pytest.mark.parametrize("of", [make_author_file, make_curator_file])
def test_a_second_file_is_a_second_reading(client, olga, corpus, ipt, of):
    own = import_all_manual_annotations_or_refuse_file(ipt, corpus, of()).annotation_set
    # Of 102 alone: one pair as before, one anew.
    again = import_all_manual_annotations_or_refuse_file(
        ipt, corpus, of(f"102\t{D}\t{C}\n102\t{B}\t{C}\n".encode(), read_all_articles=False)
    )
    assert (again.annotation_set.pk, again.articles, again.repeated) == (own.pk, 1, 1)
    client.force_login(olga)
    (itself,) = fetch_comparison(client, "pair", own.producer).context["found"].itself
    before = 1 if of is make_author_file else 2
    whole = before + 1
    assert itself.agreement == PairwiseAgreement(whole, 1 / whole, None, 2 / (before + 2))
    assert list_manual_annotation_sets(ipt.challenge).get().articles == (3 if of is make_author_file else 4)


def test_the_same_file_is_no_second_reading(corpus, ipt):
    import_all_manual_annotations_or_refuse_file(ipt, corpus, make_author_file())
    with pytest.raises(ChallengeError, match="This file was already imported for Authors, Four"):
        import_all_manual_annotations_or_refuse_file(ipt, corpus, make_author_file())
    assert Result.objects.filter(kind="pair").count() == 3


def test_one_producer_says_things_of_several_kinds(challenge, corpus, ipt):
    pairs = import_all_manual_annotations_or_refuse_file(ipt, corpus, make_author_file()).annotation_set
    taxa = import_all_manual_annotations_or_refuse_file(
        challenge.tasks.get(name="TX"), corpus, make_author_file(b"101\t9606\n", read_all_articles=True)
    ).annotation_set
    labels = import_all_manual_annotations_or_refuse_file(
        challenge.tasks.get(name="ACT"), corpus, make_author_file(b"101\t1\n102\t0\n", read_all_articles=True)
    ).annotation_set
    assert pairs.producer == taxa.producer == labels.producer
    counted = {own.kind: own.articles for own in list_manual_annotation_sets(challenge)}
    # An article without a class has none, whoever read it.
    assert counted == {"pair": 3, "taxon": 4, "classification": 2}
    delete_manual_set_and_orphan_producer(taxa)
    assert set(pairs.producer.results.values_list("kind", flat=True)) == {"pair", "classification"}
    delete_manual_set_and_orphan_producer(pairs)
    delete_manual_set_and_orphan_producer(labels)
    assert not Producer.objects.filter(sort="author").exists()


def test_it_refuses_what_is_wrong_with_every_fault(challenge, corpus, ipt):
    wrong = f"101\t{A}\n999\t{A}\t{B}\n102\tx\t{B}\n".encode()
    with pytest.raises(RefusedFileError) as refused:
        import_all_manual_annotations_or_refuse_file(ipt, corpus, make_author_file(wrong))
    assert refused.value.faults
    with pytest.raises(RefusedFileError) as refused:
        import_all_manual_annotations_or_refuse_file(
            ipt, corpus, make_author_file(f"101\t{A}\t{B}\n999\t{A}\t{B}\n".encode())
        )
    assert [(fault.line, fault.rule) for fault in refused.value.faults] == [(2, "R508")]
    passages = creation.create_task(challenge, "ISS", Kind.PASSAGE, "Sentences")
    with pytest.raises(ChallengeError, match="are judged on this site"):
        import_all_manual_annotations_or_refuse_file(passages, corpus, make_author_file())
    assert not ManualAnnotationSet.objects.exists() and not Producer.objects.filter(sort="author").exists()


def test_an_organizer_brings_it_in_and_takes_it_out(client, olga, challenge, system):
    client.force_login(olga)
    assert PAGE in client.get("/challenges/example/organize/").content.decode()
    assert "Imported annotations" not in read_page_text(client.get(PAGE))
    curators = import_all_manual_annotations_or_refuse_file(
        challenge.tasks.get(name="IPT"), challenge.phases.get().corpus, make_curator_file()
    ).annotation_set
    stored = client.post(PAGE, make_form_fields(), follow=True)
    assert "The annotations by Authors, Four of 3 articles have been imported." in read_page_text(stored)
    assert "Interaction pairs for 3 articles, “authors.tsv”" in read_page_text(stored)
    again = client.post(PAGE, make_form_fields())
    assert (again.status_code, "This file was already imported" in read_page_text(again)) == (422, True)
    faulty = client.post(PAGE, make_form_fields(file=SimpleUploadedFile("a.tsv", b"999\tP12830\tP35222\n")))
    assert (faulty.status_code, "R508" in read_page_text(faulty)) == (422, True)
    assert client.post(PAGE, make_form_fields(corpus="none", task="none", sort="gold")).status_code == 422
    own = ManualAnnotationSet.objects.get(producer__sort="author")
    link = re.search(r'href="(/corpora/[^"]*)"', client.get(PAGE).content.decode())[1]
    assert "Authors, Four and MINT, Four" in read_page_text(client.get(unescape(link)))
    gone = client.post(f"{PAGE}{own.pk}/remove/", {"confirm": "on"}, follow=True)
    assert "The Interaction pairs annotations by Authors, Four have been deleted." in read_page_text(gone)
    assert list(ManualAnnotationSet.objects.all()) == [curators]


def test_nobody_else_sees_it_or_changes_it(client, olga, alice, corpus, ipt, system, django_user_model):
    own = import_all_manual_annotations_or_refuse_file(ipt, corpus, make_author_file()).annotation_set
    oscar = django_user_model.objects.create_user("oscar", "oscar@example.org", "a-long-password")
    create_listed_challenge("Other challenge", "other", "", oscar)
    for user, sees in ((None, False), (alice, False), (oscar, False), (olga, True)):
        client.logout()
        if user:
            client.force_login(user)
        shown = read_page_text(fetch_comparison(client, "pair", own.producer, system))
        assert ("Authors, Four" in shown) is sees, user
        assert ("Authors, Four" in read_page_text(client.get("/api/v1/articles/101/annotations/"))) is sees, user
    client.force_login(oscar)
    assert client.post(f"/challenges/other/by-hand/{own.pk}/remove/").status_code == 404
    assert client.delete(f"/api/v1/challenges/other/by-hand/{own.pk}/").status_code == 404
    assert client.post("/challenges/other/by-hand/", make_form_fields()).status_code == 422


def test_it_is_done_by_rest(client, olga, challenge, system):
    client.force_login(olga)
    made = client.post(API, make_form_fields())
    assert made.status_code == 201, made.content
    told = made.json()
    assert {key: told[key] for key in ("name", "sort", "corpus", "kind", "articles", "source")} == {
        **{"name": "Authors, Four", "sort": "author", "corpus": "four"},
        **{"kind": "pair", "articles": 3, "source": "authors.tsv"},
    }
    assert told.pop("warnings") == []
    assert client.get(API).json() == [told]
    assert client.post(API, make_form_fields()).status_code == 409
    faulty = client.post(API, make_form_fields(file=SimpleUploadedFile("a.tsv", b"999\tP12830\tP35222\n")))
    assert (faulty.status_code, faulty.json()["errors"][0]["code"]) == (422, "R508")
    pair = client.get("/api/v1/corpora/four/compare/", {"kind": "pair", "producer": [told["producer"], system.pk]})
    assert [own["first"] for own in pair.json()["pairs"]] == ["Authors, Four"]
    assert client.delete(f"{API}{told['id']}/").status_code == 204
    assert client.get(API).json() == []


def test_the_page_takes_as_many_queries_however_much_it_lists(client, olga, corpus, ipt, django_assert_num_queries):
    client.force_login(olga)
    client.get(PAGE)
    for who in ("One", "Two", "Three"):
        import_all_manual_annotations_or_refuse_file(ipt, corpus, ManualAnnotationFile("author", who, AUTHORS, "a.tsv"))
        with django_assert_num_queries(12):
            client.get(PAGE)
