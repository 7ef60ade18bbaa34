"""Labels of curators, and what training taught of servers, in an archive: restored as they were, without names."""

import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from annotations.results.models import Producer, Result
from evaluation import tasks
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.archives.row_values import CALIBRATION_FIELDS
from evaluation.calibration import stored_calibrations
from evaluation.calibration.models import Calibration
from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.setup import creation
from evaluation.labelling import adjudication, curators
from evaluation.labelling.models import Label, Labelling
from evaluation.labelling.outcome import load_labelling_outcome
from evaluation.labelling.session import timed_labels
from tests.integration.archive_cast import write_challenge_archive
from tests.integration.evaluation_cast import answer, make_corpus, make_server, relevant, species

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
FIELDS = tuple(name for name in CALIBRATION_FIELDS if name != "fitted")


def label(challenge, corpus, readers):
    """Labels by letters: of carol ynn, of dora yyn; what they differ in is ruled on."""
    own = curators.begin_labelling_claiming_blind_corpus(
        challenge, corpus, order="given", again_every=0, guideline="Binding."
    )
    for reader, said in readers.items():
        labeller = curators.add_and_mail_or_readmit_curator(own, reader)
        for place, letter in enumerate(said):
            shown = timed_labels.keep_or_choose_article_starting_unpaused_clock(
                labeller.pk, NOON + timedelta(minutes=place)
            )
            after = NOON + timedelta(minutes=place, seconds=10 + place)
            assert timed_labels.store_label_if_shown(labeller.pk, shown.article.opaque, letter == "y", after)
    return own


def read_labelling_outcome(labelling):
    """What came of a labelling, but for who its curators are."""
    found = load_labelling_outcome(labelling)
    curated = [(own.labels, own.skipped, own.times, own.itself) for own in found.curators]
    rulings = {own.article: own.ruling for own in found.conflicts}
    return curated, [own.agreement for own in found.pairs], rulings, found.classes


def test_labels_are_restored_without_their_curators(challenge, carol, django_user_model, olga, tmp_path):
    dora = django_user_model.objects.create_user("dora", "dora@example.org", "a-long-password")
    corpus = challenge.phases.get().corpus
    labelling = label(challenge, corpus, {carol: "ynn", dora: "yyn"})
    adjudication.store_ruling_and_supersede_earlier(labelling, corpus.articles.get(pmid=102).opaque, True, olga, NOON)
    timed_labels.undo_last_label_and_reshow_article(labelling.labellers.first().pk, NOON + timedelta(hours=1))
    path = write_challenge_archive(challenge, tmp_path / "example.zip")
    with zipfile.ZipFile(path) as archive:
        told = b"".join(archive.read(name) for name in archive.namelist())
    assert not any(name in told for name in (b"carol", b"dora"))
    restored = restore_challenge_unless_restored_before(path, "again").challenge.labellings.get()
    assert read_labelling_outcome(restored) == read_labelling_outcome(labelling)
    assert (restored.guideline, restored.begun) == ("Binding.", labelling.begun)
    assert [str(own) for own in restored.labellers.order_by("pk")] == ["Curator 1, Four", "Curator 2, Four"]
    assert all(own.released and own.user is None for own in restored.labellers.all())
    kept = ("again", "relevant", "seconds", "capped", "at", "superseded", "article__pmid")
    ours, theirs = (
        Label.objects.filter(labeller__labelling=own).order_by("pk").values_list(*kept) for own in (restored, labelling)
    )
    assert list(ours) == list(theirs)
    said = [Result.objects.filter(producer__labeller__labelling=own, superseded=None) for own in (restored, labelling)]
    values = ("article", "kind", "annotations__relevant", "duration")
    ours, theirs = (own.order_by(*values).values_list(*values) for own in said)
    assert list(ours) == list(theirs)
    assert not Producer.objects.filter(sort="curator", public=True).exists()
    again = write_challenge_archive(
        restore_challenge_unless_restored_before(path, "again").challenge, tmp_path / "again.zip"
    )
    with zipfile.ZipFile(path) as first, zipfile.ZipFile(again) as second:
        assert first.read("training/labels.json") == second.read("training/labels.json")


def test_labels_of_a_test_stay_out_until_it_is_published(challenge, carol, tmp_path):
    corpus = make_corpus("blind", (201, 202), blind=True)
    creation.create_phase_claiming_blind_corpus(challenge, "test", corpus)
    label(challenge, corpus, {carol: "yn"})
    path = write_challenge_archive(challenge, tmp_path / "example.zip")
    with zipfile.ZipFile(path) as archive:
        assert "test/labels.json" not in archive.namelist()
    restore_challenge_unless_restored_before(path, "again")
    assert Labelling.objects.count() == 1


def test_what_training_taught_is_restored_and_learned_again_alike(challenge, team, tmp_path):
    phase = challenge.phases.get()
    for own in enter_eligible_server_and_enqueue_articles(make_server(team, "reader"), phase):
        for pmid in (101, 102, 103, 104):
            answer(own, pmid, relevant(pmid < 103) if own.task.name == "ACT" else species("9606", "10116"))
    tasks.score_due_runs_after_cleaning_unless_busy()
    tasks.calibrate_stale_runs_unless_busy()
    theirs = list(Calibration.objects.order_by("run__task").values(*FIELDS))
    assert len(theirs) == 2 and theirs[1]["cut_by"]
    restored = restore_challenge_unless_restored_before(
        write_challenge_archive(challenge, tmp_path / "example.zip"), "again"
    ).challenge
    ours = Calibration.objects.filter(run__phase__challenge=restored).order_by("run__task")
    assert list(ours.values(*FIELDS)) == theirs
    assert stored_calibrations.list_server_training_runs_to_calibrate() == []
    for own in ours:
        stored_calibrations.learn_and_store_run_calibration(own.run)
    assert list(ours.values(*FIELDS)) == theirs
