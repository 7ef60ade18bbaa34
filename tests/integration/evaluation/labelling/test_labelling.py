"""Curators label articles: what comes next, what is kept, the clock, and who may."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from django.core import mail
from django.urls import reverse

from annotations.articles.models import Corpus, CorpusArticle
from annotations.results.models import ArticleSummary, Producer, Result
from annotations.schema import Kind
from evaluation.agreement.candidates import list_comparison_candidates
from evaluation.agreement.comparison import compare_producers_and_their_earlier_answers
from evaluation.analyses.scores.leaderboard_scores import BOOTSTRAP_SAMPLES, BOOTSTRAP_SEED
from evaluation.analyses.significance.confidence_intervals import iter_bootstrap_weight_batches
from evaluation.challenges.models import Entrant
from evaluation.errors import ChallengeError
from evaluation.gold.models import GoldStandard
from evaluation.labelling import adjudication, curators
from evaluation.labelling.models import Label, Labeller, Labelling
from evaluation.labelling.outcome import load_labelling_outcome
from evaluation.labelling.session import timed_labels
from evaluation.labelling.session.progress import load_labelling_counts_and_pace
from evaluation.labelling.session.reading_order import list_articles_to_read_twice
from tests.integration.evaluation_cast import create_listed_challenge, make_corpus

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def labelling(challenge):
    return begin(challenge, Corpus.objects.get())


def begin(challenge, corpus, order="given", again_every=0):
    return curators.begin_labelling_claiming_blind_corpus(
        challenge, corpus, order=order, again_every=again_every, guideline="Binding."
    )


def add_seconds(seconds):
    return NOON + timedelta(seconds=seconds)


def label_articles(own, said, *, start=0, each=10):
    """Label articles one after the other by letters (y, n, s); the PMIDs in the order in which they were shown."""
    shown = []
    for place, letter in enumerate(said):
        own = timed_labels.keep_or_choose_article_starting_unpaused_clock(own.pk, add_seconds(start + place * each))
        shown.append((own.article.pmid, own.again))
        said_so = {"y": True, "n": False, "s": None}[letter]
        assert timed_labels.store_label_if_shown(
            own.pk, own.article.opaque, said_so, add_seconds(start + (place + 1) * each)
        )
    return shown


def test_it_shows_the_articles_in_the_order_of_the_corpus(curator):
    assert label_articles(curator, "ynyn") == [(101, False), (102, False), (103, False), (104, False)]
    assert timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, NOON).article is None


def test_it_shows_likely_articles_first_when_asked(challenge, carol):
    corpus = Corpus.objects.get()
    for pmid, balance in ((102, 0.2), (103, 0.9), (104, None)):
        article = corpus.articles.get(pmid=pmid)
        ArticleSummary.objects.create(article=article, version=1, balance=balance)
    own = curators.add_and_mail_or_readmit_curator(begin(challenge, corpus, order="likely"), carol)
    assert [pmid for pmid, _ in label_articles(own, "yyyy")] == [103, 102, 101, 104]


def test_it_stores_labels_as_results_of_a_curator_who_is_not_public(curator):
    label_articles(curator, "yn")
    assert (curator.producer.sort, curator.producer.public) == ("curator", False)
    rows = Result.objects.filter(producer=curator.producer).order_by("article__pmid")
    said = rows.values_list("article__pmid", "kind", "annotations__relevant", "duration")
    assert list(said) == [(101, "classification", True, 10.0), (102, "classification", False, 10.0)]


def test_it_shows_what_was_skipped_after_everything_else(curator):
    assert [pmid for pmid, _ in label_articles(curator, "synsyy")] == [101, 102, 103, 104, 101, 104]
    assert timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, NOON).article is None
    assert Label.objects.filter(superseded__isnull=True).count() == 4


def test_it_takes_labels_back_and_keeps_them(curator):
    label_articles(curator, "yn")
    assert timed_labels.undo_last_label_and_reshow_article(curator.pk, add_seconds(30))
    own = timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, add_seconds(30))
    assert own.article.pmid == 102
    assert Result.objects.filter(producer=own.producer, superseded__isnull=True).count() == 1
    assert timed_labels.store_label_if_shown(own.pk, own.article.opaque, True, add_seconds(35))
    kept = Label.objects.filter(article__pmid=102).order_by("pk").values_list("relevant", "seconds", "superseded")
    assert list(kept) == [(False, 10.0, add_seconds(30)), (True, 15.0, None)]
    for _ in range(2):
        assert timed_labels.undo_last_label_and_reshow_article(curator.pk, add_seconds(40))
    assert not timed_labels.undo_last_label_and_reshow_article(curator.pk, add_seconds(40))
    assert timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, add_seconds(40)).article.pmid == 101


def test_it_stores_nothing_for_an_article_out_of_sight(curator):
    own = timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, NOON)
    assert not timed_labels.store_label_if_shown(own.pk, "B0000", True, add_seconds(5))
    assert not Label.objects.exists()


def test_it_stops_the_clock_out_of_sight_and_in_pauses(curator):
    own = timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, NOON)
    assert timed_labels.stop_reading_clock_without_pausing(own.pk, add_seconds(4), own.showing)
    assert not timed_labels.stop_reading_clock_without_pausing(own.pk, add_seconds(50), own.showing)
    assert timed_labels.resume_reading_clock_unless_paused(own.pk, add_seconds(100), own.showing)
    timed_labels.stop_clock_and_hide_article(own.pk, add_seconds(103))
    assert not timed_labels.resume_reading_clock_unless_paused(own.pk, add_seconds(150), own.showing)
    assert timed_labels.keep_or_choose_article_starting_unpaused_clock(own.pk, add_seconds(200)).running is None
    timed_labels.clear_paused_flag_of_labeller(own.pk)
    own = timed_labels.keep_or_choose_article_starting_unpaused_clock(own.pk, add_seconds(300))
    assert timed_labels.store_label_if_shown(own.pk, own.article.opaque, True, add_seconds(305))
    assert Label.objects.get().seconds == 4 + 3 + 5


def test_it_hears_of_the_page_shown_last_only(curator):
    """What a page says when it is left can come after the next page."""
    old = timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, NOON)
    new = timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, add_seconds(2))
    assert not timed_labels.stop_reading_clock_without_pausing(curator.pk, add_seconds(3), old.showing)
    assert timed_labels.compute_time_in_sight(Labeller.objects.get(), add_seconds(10)) == timedelta(seconds=10)
    assert timed_labels.stop_reading_clock_without_pausing(curator.pk, add_seconds(11), new.showing)


def test_it_counts_ten_minutes_at_most_and_says_so(curator):
    own = timed_labels.keep_or_choose_article_starting_unpaused_clock(curator.pk, NOON)
    timed_labels.store_label_if_shown(own.pk, own.article.opaque, True, add_seconds(4000))
    assert list(Label.objects.values_list("seconds", "capped")) == [(600.0, True)]


@pytest.fixture
def forty(challenge):
    return make_corpus("forty", pmids=range(301, 341))


def test_it_shows_every_tenth_article_twice(challenge, forty, carol):
    own = curators.add_and_mail_or_readmit_curator(begin(challenge, forty, again_every=10), carol)
    shown = label_articles(own, "y" * 44)
    second = [(place, pmid) for place, (pmid, again) in enumerate(shown) if again]
    assert second == [(29, 305), (39, 315), (42, 325), (43, 335)]
    assert timed_labels.keep_or_choose_article_starting_unpaused_clock(own.pk, NOON).article is None
    assert Result.objects.filter(producer=own.producer).count() == 40


def test_it_tells_how_far_a_curator_agrees_with_the_first_reading(challenge, forty, carol):
    found = begin(challenge, forty, again_every=10)
    own = curators.add_and_mail_or_readmit_curator(found, carol)
    label_articles(own, "y" * 29 + "n" + "y" * 14)
    (curator,) = load_labelling_outcome(found).curators
    assert (curator.itself.instances, curator.itself.joint) == (4, 0.75)
    assert len(curator.labels) == 40


def test_it_tells_progress_and_pace(challenge, forty, carol):
    own = curators.add_and_mail_or_readmit_curator(begin(challenge, forty, again_every=10), carol)
    label_articles(own, "yns", each=20)
    found = load_labelling_counts_and_pace(own)
    assert (found.articles, found.labelled, found.skipped, found.left) == (40, 2, 1, 42)
    assert (found.pace, found.seconds_left, found.time_left) == (20.0, 840.0, "14 min")


def two_curators(labelling, first, second, a="yyny", b="yynn"):
    for user, said in ((first, a), (second, b)):
        label_articles(curators.add_and_mail_or_readmit_curator(labelling, user), said)


def test_it_finds_conflicts_and_makes_the_gold_standard_of_rulings(labelling, challenge, carol, alice, olga):
    two_curators(labelling, carol, alice)
    found = load_labelling_outcome(labelling)
    (pair,) = found.pairs
    assert (pair.agreement.instances, pair.agreement.joint, pair.agreement.kappa) == (4, 0.75, 0.5)
    (conflict,) = found.conflicts
    assert (found.names[conflict.article], conflict.yes, conflict.no) == ("104", ["carol"], ["alice"])
    task, phase = challenge.tasks.get(name="ACT"), challenge.phases.get()
    with pytest.raises(ChallengeError, match="0 articles have no label and 1 conflicts are open"):
        adjudication.store_completed_labels_as_gold(labelling, task, phase)
    adjudication.store_ruling_and_supersede_earlier(labelling, conflict.article, False, olga, NOON)
    adjudication.store_ruling_and_supersede_earlier(labelling, conflict.article, True, olga, NOON)
    assert labelling.rulings.count() == 2
    gold = adjudication.store_completed_labels_as_gold(labelling, task, phase)
    assert gold.source == "Labelling of Four by carol and alice"
    said = Result.objects.filter(producer=gold.producer, superseded__isnull=True).order_by("article__pmid")
    assert list(said.values_list("annotations__relevant", flat=True)) == [True, True, False, True]
    with pytest.raises(ChallengeError, match="does not classify articles"):
        adjudication.store_completed_labels_as_gold(labelling, challenge.tasks.get(name="TX"), phase)


def test_it_writes_a_file_that_the_commands_read(labelling, carol, alice, tmp_path, capsys):
    from evaluation.__main__ import main

    two_curators(labelling, carol, alice, b="yyn")
    content = adjudication.format_decided_labels_tsv(load_labelling_outcome(labelling))
    assert content == b"101\t1\n102\t1\n103\t0\n104\t1\n"
    gold, run = tmp_path / "gold.tsv", tmp_path / "run.tsv"
    gold.write_bytes(content)
    run.write_bytes(b"101\t1\t1\t0.9\n102\t1\t2\t0.8\n103\t1\t3\t0.7\n104\t0\t1\t0.9\n")
    assert main(["score", "--task", "act", str(run), str(gold)]) == 0
    counts = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("run   "))
    assert counts.split()[:5] == ["run", "4", "4", "4", "0"]
    assert load_labelling_outcome(labelling).labelled_once == 1


def test_it_seals_the_gold_standard_of_a_test(challenge, carol):
    from evaluation.challenges.setup import creation

    blind = make_corpus("blind", pmids=(201, 202), blind=True)
    phase = creation.create_phase_claiming_blind_corpus(challenge, "test", blind)
    found = begin(challenge, blind)
    label_articles(curators.add_and_mail_or_readmit_curator(found, carol), "yn")
    assert adjudication.format_decided_labels_tsv(load_labelling_outcome(found)).startswith(b"B")
    gold = adjudication.store_completed_labels_as_gold(found, challenge.tasks.get(name="ACT"), phase)
    assert gold.producer_id is None
    assert GoldStandard.objects.filter(pk=gold.pk, sealed__isnull=False).exists()


def test_it_takes_no_competitor_for_blind_articles(challenge, team, alice):
    Entrant.objects.create(challenge=challenge, team=team)
    found = begin(challenge, make_corpus("blind", pmids=(201, 202), blind=True))
    with pytest.raises(ChallengeError, match="alice is on Team Alpha, which takes part"):
        curators.add_and_mail_or_readmit_curator(found, alice)
    curators.add_and_mail_or_readmit_curator(begin(challenge, Corpus.objects.get(slug="four")), alice)


def test_it_labels_a_corpus_once_and_takes_no_other_challenges_test(challenge, labelling, olga):
    from evaluation.challenges.setup import creation

    with pytest.raises(ChallengeError, match="is already being labelled"):
        begin(challenge, labelling.corpus)
    other = create_listed_challenge("Other", "other", "", olga)
    blind = make_corpus("blind", pmids=(201, 202), blind=True)
    creation.create_phase_claiming_blind_corpus(other, "test", blind)
    with pytest.raises(ChallengeError, match="belongs to another challenge"):
        begin(challenge, blind)


def test_it_mails_a_curator_once(labelling, carol):
    for _ in range(2):
        own = curators.add_and_mail_or_readmit_curator(labelling, carol)
    (sent,) = mail.outbox
    assert sent.to == ["carol@example.org"]
    assert reverse("label", args=[own.pk]) in sent.body
    assert "Binding." in sent.body


def test_it_keeps_positions_apart_from_other_corpora(challenge, forty, carol):
    """An article is the fifth here and the first there: it comes twice where it is the fifth."""
    other = Corpus.objects.create(slug="other", name="Other")
    CorpusArticle.objects.create(corpus=other, article=forty.articles.get(pmid=305), position=1)
    assert list_articles_to_read_twice(Labelling(corpus=other, again_every=10)).count() == 0
    assert list_articles_to_read_twice(Labelling(corpus=forty, again_every=10)).count() == 4


def bootstrap_joint_in_plain_python(labels, other):
    """(low, high) of the share of equal labels, {article: relevant} each, in the order of the articles' ids."""
    shared = [article for article in labels if article in other]
    batches = iter_bootstrap_weight_batches(len(shared), BOOTSTRAP_SAMPLES, np.random.default_rng(BOOTSTRAP_SEED))
    weights = np.concatenate(list(batches))
    shares = [
        sum(times for article, times in zip(shared, copies, strict=True) if labels[article] == other[article])
        / len(shared)
        for copies in weights
    ]
    return tuple(np.quantile(shares, [0.025, 0.975]).round(9))


def test_agreement_has_the_intervals_that_the_page_of_the_corpus_has(challenge, forty, carol, alice):
    found = begin(challenge, forty, order="random")
    two_curators(found, carol, alice, a="yyny" * 10, b="yynnn" * 6 + "s" * 4)
    outcome = load_labelling_outcome(found)
    (pair,) = outcome.pairs
    assert pair.agreement.instances > 20 and set(pair.intervals) == {"joint", "kappa", "f1"}
    ids = dict(forty.articles.order_by("pk").values_list("opaque", "pk"))
    labels, other = ({own: each.labels[own] for own in ids if own in each.labels} for each in outcome.curators)
    assert pair.intervals["joint"] == bootstrap_joint_in_plain_python(labels, other)
    assert pair.intervals["joint"].low < pair.agreement.joint < pair.intervals["joint"].high
    by_id = {each.id: each for each in list_comparison_candidates(forty, Producer.objects.all())}
    producers = [by_id[each.labeller.producer_id] for each in outcome.curators]
    compared = compare_producers_and_their_earlier_answers(forty, Kind.CLASSIFICATION, producers)
    assert compared.agreements.intervals[0, 1] == pair.intervals


def test_agreement_on_one_article_or_none_has_no_intervals(client, labelling, challenge, carol, alice, olga):
    two_curators(labelling, carol, alice, a="yss", b="yyy")
    (pair,) = load_labelling_outcome(labelling).pairs
    assert (pair.agreement.instances, pair.agreement.joint, pair.intervals) == (1, 1.0, {})
    client.force_login(olga)
    page = client.get(reverse("labelling", args=[challenge.slug, labelling.corpus.slug])).content.decode()
    assert "They need two articles that both curators labelled" in page
    assert "interval-text" not in page
    url = reverse("api-labelling", args=[challenge.slug, labelling.corpus.slug])
    (sent,) = client.get(url).json()["agreements"]
    assert (sent["agreement"]["instances"], sent["agreement"]["intervals"]) == (1, {})


def test_the_page_and_rest_have_intervals(client, labelling, challenge, carol, alice, olga):
    two_curators(labelling, carol, alice)
    (pair,) = load_labelling_outcome(labelling).pairs
    low, high = pair.intervals["joint"]
    client.force_login(olga)
    page = client.get(reverse("labelling", args=[challenge.slug, labelling.corpus.slug])).content.decode()
    assert f"{low:.3f} to {high:.3f}</span>" in page
    url = reverse("api-labelling", args=[challenge.slug, labelling.corpus.slug])
    (sent,) = client.get(url).json()["agreements"]
    assert sent["agreement"]["intervals"]["joint"] == [low, high]
