"""A consensus that is kept as a data set: built by a worker, read by those who may, published, updated, withdrawn."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from annotations.articles.models import Article
from annotations.data_sets.building import build_articles_unless_stopped, build_rules_by_kind
from annotations.data_sets.models import DataSet, DataSetState
from annotations.formats.exports import EXPORTS
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_storage import upsert_entries_unless_second_hand_replaces_first
from annotations.identifiers.reported_identifiers import mark_result_batch_noted_queueing_identifiers
from annotations.results.consensus.methods import ListCutoff, MentionMatching
from annotations.results.models import Annotation, Producer, Result
from annotations.results.producers import raise_article_versions_of_changed_producers
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind, Span, make_label, make_mention
from bcms.accounts.closing import close_account
from bcms.article_annotations.calibrated_confidences import LearnedCalibrations
from bcms.data_sets import building_job, publication
from bcms.data_sets.creation import create_data_set, update_outdated_data_set
from bcms.data_sets.errors import DataSetError
from bcms.tasks import sweep_data_sets_unless_busy
from evaluation.agreement.answer_counts import AnswerCounts
from evaluation.challenges.deletion.challenge_deletion import delete_challenge_without_runs
from evaluation.leaderboards.baselines import store_baseline_runs_replacing_earlier
from evaluation.visibility import ANONYMOUS_READER, list_visible_producers
from servers.registry.models import Server
from servers.review.decisions import apply_review_decision
from servers.review.states import ReviewState
from tests.integration.data_set_cast import (
    annotate,
    build_data_set,
    get_live_producer,
    make_recipe,
    publish_data_set,
)
from tests.integration.evaluation_cast import PMIDS, make_challenge, make_corpus, make_server

pytestmark = pytest.mark.django_db


def list_agreed(data_set):
    rows = Annotation.objects.filter(result__producer=data_set.producer_id, result__superseded__isnull=True)
    return sorted(rows.values_list("result__article__pmid", "identifier"))


def test_it_stores_what_the_producers_agree_on_as_results_of_its_own_producer(corpus, carol):
    data_set = build_data_set(carol, corpus)
    assert list_agreed(data_set) == [(101, "9606"), (102, "10090"), (102, "9606")]
    current = Result.objects.filter(producer=data_set.producer, superseded__isnull=True)
    # 104 was not annotated, so nobody agrees that it has none.
    assert sorted(current.values_list("article__pmid", "kind")) == [(pmid, "taxon") for pmid in (101, 102, 103)]
    assert data_set.state == DataSetState.CURRENT and (data_set.done, data_set.total) == (4, 4)
    assert data_set.sizes == {"taxon": [3, 3]}
    (agreement,) = data_set.agreement
    assert agreement["articles"] == 2 and len(agreement["pairs"]) == 3


def test_its_agreement_has_no_intervals_which_would_take_gigabytes_for_many_producers(corpus, carol, monkeypatch):
    monkeypatch.delattr(AnswerCounts, "group_patterns_by_block")
    (agreement,) = build_data_set(carol, corpus).agreement
    assert agreement["articles"] == 2 and len(agreement["pairs"]) == 3


def test_it_has_the_agreement_of_the_producers_in_open_kinds(corpus, carol):
    article = Article.objects.get(pmid=101)
    for slug, values in (("one", ("a", "b")), ("two", ("b", "c"))):
        labels = [make_label("topic", value) for value in values]
        store_results_superseding_earlier(article, get_live_producer(slug), {Kind.LABEL: labels})
    data_set = build_data_set(carol, corpus, kinds=[Kind.TAXON, Kind.LABEL])
    of_organisms, of_labels = data_set.agreement
    assert (of_organisms["kind"], of_labels["kind"], of_labels["articles"]) == ("taxon", "label", 1)
    assert [(pair["instances"], pair["f1"]) for pair in of_labels["pairs"]] == [(3, 0.5)]


def test_it_has_the_agreement_of_the_producers_that_report_a_type(corpus, carol, client):
    article = Article.objects.get(pmid=101)
    reported = {"one": [("Chemical", 0), ("Chemical", 3)], "two": [("Disease", 6)]}
    reported["three"] = [("ChemicalEntity", 0), ("Disease", 6)]
    for slug, mentions in reported.items():
        found = [make_mention([Span(start, start + 2)], "xx", name) for name, start in mentions]
        store_results_superseding_earlier(article, get_live_producer(slug), {Kind.MENTION: found})
    data_set = build_data_set(carol, corpus, kinds=[Kind.MENTION])
    (of_mentions,) = data_set.agreement
    figures = {own["type"]: [pair["f1"] for pair in own["pairs"]] for own in of_mentions["types"]}
    assert figures == {"Chemical": [pytest.approx(2 / 3)], "Disease": [1.0]}
    client.force_login(carol)
    page = client.get(f"/data/{data_set.pk}/").content.decode()
    assert '<th scope="row">Mentions: Chemical</th><td class="num">1</td><td class="num">0.667</td>' in page
    read = client.get(f"/api/v1/data/{data_set.pk}/").json()
    assert [(own["type"], own["mean_f1"]) for own in read["agreement"][0]["types"]][1] == ("Disease", 1.0)
    # Those that were built before types were compared have none.
    DataSet.objects.update(agreement=[{name: of_mentions[name] for name in of_mentions if name != "types"}])
    assert client.get(f"/api/v1/data/{data_set.pk}/").json()["agreement"][0]["types"] == []


def test_entries_with_other_genes_or_successors_make_it_outdated(corpus, carol):
    """A name alone does not: the consensus does not depend on it."""
    article = Article.objects.get(pmid=101)
    for slug, name in (("one", ("ncbigene", "999")), ("two", ("uniprot", "P12830")), ("three", ("uniprot", "Q99999"))):
        gene = AnnotationData(Kind.NORMALIZATION, 0.5, 1, database=name[0], identifier=name[1])
        store_results_superseding_earlier(article, get_live_producer(slug), {Kind.NORMALIZATION: [gene]})
    while mark_result_batch_noted_queueing_identifiers():
        pass
    data_set = build_data_set(carol, corpus, kinds=[Kind.NORMALIZATION], threshold=2)
    other = build_data_set(carol, corpus, name="Organisms", kinds=[Kind.TAXON])
    assert not data_set.producer.results.get(superseded=None).annotations.exists()
    steps = (
        (EntryRecord("uniprot", "P12830", "UniProt", name="Cadherin-1"), "current", 0),
        (EntryRecord("uniprot", "P12830", "UniProt", name="Cadherin-1", genes=("999",)), "outdated", 1),
        (EntryRecord("uniprot", "Q99999", "UniProt", withdrawn=True, successors=("P12830",)), "outdated", 1),
    )
    for record, state, agreed in steps:
        upsert_entries_unless_second_hand_replaces_first([record], timezone.now())
        building_job.mark_outdated_data_sets()
        data_set.refresh_from_db()
        assert data_set.state == state
        if state == "outdated":
            update_outdated_data_set(data_set)
            building_job.build_slice_unless_busy(data_set.pk)
        assert data_set.producer.results.get(superseded=None).annotations.count() == agreed
    other.refresh_from_db()
    assert other.state == "current"


def test_it_builds_every_batch_with_as_many_queries(corpus, carol, django_assert_num_queries):
    data_set = create_data_set(carol, make_recipe(corpus))
    keys = dict(Article.objects.values_list("pmid", "pk"))
    with django_assert_num_queries(15):
        build_articles_unless_stopped(data_set.pk, [keys[101]])
    with django_assert_num_queries(15):
        build_articles_unless_stopped(data_set.pk, [keys[102], keys[103], keys[104]])


def test_it_continues_where_a_worker_stopped(corpus, carol, monkeypatch):
    monkeypatch.setattr(building_job, "BATCH", 1)
    data_set = create_data_set(carol, make_recipe(corpus))
    assert building_job.build_slice_unless_busy(data_set.pk, slice_seconds=-1) == "more"
    assert building_job.list_data_sets_to_build() == [data_set.pk]
    assert building_job.build_slice_unless_busy(data_set.pk) == "built"
    assert len(list_agreed(data_set)) == 3
    assert building_job.build_slice_unless_busy(data_set.pk) == "gone"


def test_it_builds_only_what_has_changed(corpus, carol):
    data_set = build_data_set(carol, corpus)
    assert building_job.mark_outdated_data_sets() == 0
    before = dict(Result.objects.filter(producer=data_set.producer).values_list("article__pmid", "pk"))
    annotate("three", {103: ["7227"]})
    assert building_job.mark_outdated_data_sets() == 1
    data_set.refresh_from_db()
    assert data_set.state == DataSetState.OUTDATED
    update_outdated_data_set(data_set)
    assert building_job.build_slice_unless_busy(data_set.pk) == "built"
    data_set.refresh_from_db()
    assert (data_set.done, data_set.total) == (1, 1)
    current = Result.objects.filter(producer=data_set.producer, superseded__isnull=True)
    after = dict(current.values_list("article__pmid", "pk"))
    assert [pmid for pmid in after if after[pmid] != before[pmid]] == [103]
    assert (103, "7227") in list_agreed(data_set)


def test_it_drops_articles_that_left_the_corpus(corpus, carol):
    data_set = build_data_set(carol, corpus)
    corpus.corpusarticle_set.filter(article__pmid=102).delete()
    DataSet.objects.update(checked=None)
    assert building_job.mark_outdated_data_sets() == 1
    update_outdated_data_set(data_set)
    assert building_job.build_slice_unless_busy(data_set.pk) == "built"
    assert list_agreed(data_set) == [(101, "9606")]


def test_it_has_the_articles_of_a_search(corpus, carol):
    data_set = build_data_set(carol, None, search="?id=101+103&sort=newest")
    assert data_set.search == "id=101+103"
    assert sorted(data_set.members.values_list("article__pmid", flat=True)) == [101, 103]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"kinds": []}, "kinds"),
        ({"search": "q=x"}, "corpus"),
        ({"corpus": None}, "corpus"),
        ({"corpus": None, "search": "year_from=soon"}, "search"),
        ({"corpus": None, "search": "entity_type=Gene"}, "search"),
        ({"corpus": None, "search": "id=101&entity_type=Gene"}, "search"),
        ({"corpus": None, "search": "sort=newest"}, "search"),
        ({"corpus": None, "search": "q=+"}, "search"),
        ({"corpus": None, "search": "q=nothing-has-this-word"}, "search"),
        ({"servers": ["nobody"]}, "servers"),
        ({"producers": [987654321]}, "producers"),
        ({"method": "best"}, "method"),
        ({"threshold": 1.5}, "threshold"),
        ({"weights": "one:x"}, "weights"),
        ({"weights": "nobody:2"}, "weights"),
        ({"threshold": float("nan")}, "threshold"),
    ],
)
def test_it_names_what_is_wrong_with_a_recipe(corpus, carol, changes, field):
    with pytest.raises(DataSetError) as refused:
        create_data_set(carol, make_recipe(**{"corpus": corpus} | changes))
    assert refused.value.field == field
    assert not DataSet.objects.exists()


def test_it_has_a_quota(corpus, carol, monkeypatch):
    for number in range(5):
        create_data_set(carol, make_recipe(corpus, name=f"Set {number}"))
    with pytest.raises(DataSetError, match="5 unpublished"):
        create_data_set(carol, make_recipe(corpus))
    publication.withdraw_data_set(DataSet.objects.get(name="Set 0"), carol)
    create_data_set(carol, make_recipe(corpus))


# What a hostile owner tries.


def test_gold_standards_and_other_data_sets_do_not_vote(corpus, olga, challenge_of, carol):
    gold = Producer.objects.get(sort="gold", gold__task__name="TX")
    other = build_data_set(olga, corpus)
    for producer in (gold.pk, other.producer_id):
        with pytest.raises(DataSetError, match="Only servers and runs"):
            create_data_set(olga, make_recipe(corpus, name="Mine", producers=[producer]))


@pytest.fixture
def challenge_of(olga, corpus):
    return make_challenge(olga, corpus)


def test_a_server_that_the_owner_does_not_see_does_not_vote(corpus, carol, alice):
    Server.objects.filter(slug="three").update(review=ReviewState.PRIVATE)
    Producer.objects.filter(queue__server__slug="three").update(public=False)
    producer = get_live_producer("three")
    with pytest.raises(DataSetError, match="that you can see"):
        create_data_set(carol, make_recipe(corpus, servers=["one", "three"]))
    with pytest.raises(DataSetError, match="that you can see"):
        create_data_set(carol, make_recipe(corpus, producers=[producer.pk]))
    assert "three" not in create_data_set(carol, make_recipe(corpus)).sources.values_list("name", flat=True)
    # Her team sees it.
    private = build_data_set(alice, corpus, servers=["one", "three"], method="union")
    assert list_visible_producers(alice).filter(pk=private.producer_id).exists()
    assert not list_visible_producers(carol, with_unreviewed=True).filter(pk=private.producer_id).exists()
    with pytest.raises(DataSetError, match="not public"):
        publication.propose_data_set(private)


def test_an_owner_who_no_longer_sees_a_producer_reads_nothing_any_more(corpus, alice, team, client):
    Server.objects.filter(slug="three").update(review=ReviewState.PRIVATE)
    Producer.objects.filter(queue__server__slug="three").update(public=False)
    data_set = build_data_set(alice, corpus, servers=["one", "three"], method="union")
    client.force_login(alice)
    path = reverse("data-set-file", args=[data_set.pk, "ndjson"])
    assert b"4932" in b"".join(client.get(path).streaming_content)
    team.members.remove(alice)
    assert not list_visible_producers(alice, with_unreviewed=True).filter(pk=data_set.producer_id).exists()
    assert client.get(path).status_code == 403
    page = client.get(reverse("data-set", args=[data_set.pk])).content.decode()
    assert "you no longer see all producers" in page and "Size" not in page and "Three" not in page
    annotate("three", {103: ["7227"]})
    assert building_job.mark_outdated_data_sets() == 1
    update_outdated_data_set(data_set)
    assert building_job.build_slice_unless_busy(data_set.pk) == "failed"
    assert (103, "7227") not in list_agreed(data_set)


def test_it_is_hidden_with_the_first_producer_that_is(corpus, carol, olga, staff):
    data_set = build_data_set(carol, corpus)
    publish_data_set(data_set, staff)
    assert list_visible_producers(ANONYMOUS_READER).filter(pk=data_set.producer_id).exists()
    apply_review_decision(Server.objects.get(slug="two"), ReviewState.DECLINED, "Spam", staff)
    data_set.refresh_from_db()
    assert data_set.published is None and "no longer public" in data_set.problem
    for user in (ANONYMOUS_READER, carol, olga):
        assert not list_visible_producers(user, with_unreviewed=True).filter(pk=data_set.producer_id).exists()


def test_blind_articles_are_in_no_data_set(team, olga):
    blind = make_corpus("blind", pmids=(201,), blind=True)
    make_server(team, "one")
    with pytest.raises(DataSetError, match="blind"):
        create_data_set(olga, make_recipe(blind))


def test_only_reviewers_publish_it(corpus, carol, staff, client):
    data_set = build_data_set(carol, corpus)
    client.force_login(carol)
    address = reverse("data-set-review", args=[data_set.pk])
    client.post(reverse("data-set-propose", args=[data_set.pk]))
    assert client.post(address, {"decision": "accepted"}).status_code == 403
    client.force_login(staff)
    client.post(address, {"decision": "declined", "note": "Too small."})
    data_set.refresh_from_db()
    assert data_set.problem == "Publication declined. Too small." and not data_set.published
    publication.propose_data_set(data_set)
    client.post(address, {"decision": "accepted"})
    client.logout()
    assert "Organisms" in client.get(reverse("data-sets")).content.decode()


@pytest.mark.parametrize("slug", EXPORTS)
def test_everybody_gets_a_published_one_in_every_format(corpus, carol, staff, client, slug):
    data_set = build_data_set(carol, corpus)
    path = reverse("data-set-file", args=[data_set.pk, slug])
    assert client.get(path).status_code == 404
    publish_data_set(data_set, staff)
    response = client.get(path)
    assert response.status_code == 200 and b"".join(response.streaming_content)


def test_files_have_its_annotations_only(corpus, carol, staff, client):
    data_set = build_data_set(carol, corpus)
    publish_data_set(data_set, staff)
    lines = b"".join(client.get(reverse("data-set-file", args=[data_set.pk, "ndjson"])).streaming_content).splitlines()
    articles = [json.loads(line) for line in lines]
    assert [article["pmid"] for article in articles] == [*PMIDS]
    assert b"Consensus: Organisms" in lines[0] and b'"One"' not in lines[0]


def test_a_withdrawn_one_is_gone_and_its_annotations_are_deleted(corpus, carol, staff, client):
    data_set = build_data_set(carol, corpus)
    publish_data_set(data_set, staff)
    raise_article_versions_of_changed_producers()
    client.force_login(carol)
    address = reverse("data-set-withdraw", args=[data_set.pk])
    assert "Withdraw Organisms?" in client.post(address).content.decode()
    client.post(address, {"confirm": "on", "asked": "1"})
    client.logout()
    assert client.get(reverse("data-set", args=[data_set.pk])).status_code == 404
    sweep_data_sets_unless_busy()
    assert Result.objects.filter(producer=data_set.producer).exists(), "versions of articles are raised first"
    raise_article_versions_of_changed_producers()
    sweep_data_sets_unless_busy()
    assert not Result.objects.filter(producer=data_set.producer).exists()
    assert not data_set.members.exists()


def test_nothing_is_stored_for_one_that_was_withdrawn_meanwhile(corpus, carol):
    data_set = create_data_set(carol, make_recipe(corpus))
    publication.withdraw_data_set(data_set, carol)
    assert building_job.build_slice_unless_busy(data_set.pk) == "gone"
    assert not Result.objects.filter(producer=data_set.producer).exists()


def test_pages_take_a_fixed_number_of_queries(corpus, carol, staff, client, django_assert_num_queries):
    for number in range(3):
        publish_data_set(build_data_set(carol, corpus, name=f"Set {number}"), staff)
    with django_assert_num_queries(1):
        client.get(reverse("data-sets"))
    with django_assert_num_queries(6):
        client.get(reverse("data-set", args=[DataSet.objects.first().pk]))


def test_a_form_makes_one(corpus, carol, client):
    client.force_login(carol)
    sent = {"name": "Organisms", "licence": "CC0-1.0", "corpus": corpus.slug, "kinds": ["taxon"], "method": "majority"}
    response = client.post(reverse("data-set-new"), sent | {"spans": "strict", "match": "type", "weights": "one:2"})
    data_set = DataSet.objects.get()
    assert build_rules_by_kind(data_set)[Kind.TAXON].match is MentionMatching.TYPE
    assert response.url == reverse("data-set", args=[data_set.pk])
    page = client.get(response.url).content.decode()
    assert "Their types have to be equal." in page
    assert "Building" in page and "0 of 0 articles" in page
    folded = "<details><summary>Threshold, equal mentions"
    assert folded in client.get(reverse("data-set-new")).content.decode()
    refused = client.post(reverse("data-set-new"), sent | {"spans": "strict", "threshold": "x", "producers": "a"})
    assert refused.status_code == 422
    assert folded.replace("<details", "<details open") in refused.content.decode()


def test_closing_an_account_withdraws_what_is_not_published(corpus, carol, staff):
    kept, gone = build_data_set(carol, corpus), build_data_set(carol, corpus, name="Other")
    publish_data_set(kept, staff)
    close_account(carol)
    states = dict(DataSet.objects.values_list("pk", "state"))
    assert states == {kept.pk: DataSetState.CURRENT, gone.pk: DataSetState.WITHDRAWN}


def test_a_data_set_of_deleted_baselines_is_withdrawn(corpus, challenge_of, olga):
    (run,) = store_baseline_runs_replacing_earlier(challenge_of.tasks.get(name="TX"), challenge_of.phases.get())
    other = build_data_set(olga, corpus, producers=[run.producer_id], method="union")
    delete_challenge_without_runs(challenge_of)
    other.refresh_from_db()
    assert other.state == DataSetState.WITHDRAWN


def test_it_ends_lists_where_everybody_knows_that_they_should(corpus, carol, monkeypatch):
    cut = {("one", Kind.TAXON): ListCutoff("rank", 1.0)}
    monkeypatch.setattr(
        building_job, "load_newest_visible_calibrations", lambda user, slugs: LearnedCalibrations({}, cut)
    )
    data_set = build_data_set(carol, corpus, method="cut_votes")
    source = get_live_producer("one").pk
    assert data_set.cuts == [[source, "taxon", "rank", 1.0]]
    # The second organism of "one" on 102 no longer counts.
    assert list_agreed(data_set) == [(101, "9606"), (102, "10090")]
    cut.clear()
    DataSet.objects.update(checked=None)
    assert building_job.mark_outdated_data_sets() == 1
    update_outdated_data_set(data_set)
    assert building_job.build_slice_unless_busy(data_set.pk) == "built"
    assert (102, "9606") in list_agreed(data_set)
