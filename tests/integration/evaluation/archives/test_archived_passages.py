"""Evidence passages in an archive: scored again by what was decided, and restored with it."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse

from evaluation import tasks
from evaluation.archives.pools import assign_judge_pseudonyms, check_judge_pseudonym_if_any
from evaluation.archives.restore.challenge import restore_challenge_unless_restored_before
from evaluation.pooling.closure import close_decided_pool_and_store_gold, reopen_pool
from evaluation.pooling.decision_export import format_judgement_history_tsv
from evaluation.pooling.judgements import store_judgement_and_demote_other_best
from evaluation.pooling.judges import (
    add_or_change_noncompeting_judge_and_mail,
    remove_judge_keeping_uncounted_judgements,
)
from evaluation.pooling.judging_status import build_judging_status
from evaluation.pooling.lookup import can_adjudicate, can_judge
from evaluation.pooling.models import Judgement, Pool, PooledPassage
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from tests.integration.archive_cast import extract_archive_files, write_challenge_archive
from tests.integration.archive_commands import check_passage_figures
from tests.integration.pooling_cast import (
    MEET,
    NOT,
    RELEVANT,
    first_run,
    judge_all,
    make_judges,
    make_phase,
    make_pool,
    second_run,
)

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


@pytest.fixture
def phase(olga, team):
    phase = make_phase(olga)
    runs = first_run(team, phase), second_run(team, phase)
    judges = make_judges("jane", "jim")
    pool = make_pool(phase, *judges)
    judge_all(pool, *judges)
    differ(pool, judges[1], olga)
    close_decided_pool_and_store_gold(pool, olga)
    for run in runs:
        compute_and_store_run_scores(run)
    tasks.rank_stale_boards_unless_busy()
    return phase


def differ(pool, judge, olga):
    """One judge comes to think otherwise of a passage, after six seconds, and olga decides; a third was taken out."""
    meet = pool.passages.get(passage=MEET)
    store_judgement_and_demote_other_best(meet, NOT, judge, NOON + timedelta(seconds=6), shown=NOON, adjudicates=False)
    store_judgement_and_demote_other_best(meet, RELEVANT, olga, NOON + timedelta(hours=1), shown=None, adjudicates=True)
    (gone,) = make_judges("gwen")
    add_or_change_noncompeting_judge_and_mail(pool, gone, adjudicates=False)
    store_judgement_and_demote_other_best(meet, NOT, gone, NOON, shown=None, adjudicates=False)
    remove_judge_keeping_uncounted_judgements(pool, "gwen")


def test_passages_are_scored_again_to_the_same_digits(phase, tmp_path):
    check_passage_figures(
        extract_archive_files(write_challenge_archive(phase.challenge, tmp_path / "a.zip"), tmp_path / "archive")
    )


def test_what_was_decided_is_restored(phase, tmp_path):
    restored = restore_challenge_unless_restored_before(
        write_challenge_archive(phase.challenge, tmp_path / "a.zip"), "again"
    ).challenge
    assert list_runs_due_for_scoring() == []
    fields = ("article", "database", "first", "second", "passage", "relevant", "best")
    ours, theirs = (PooledPassage.objects.filter(pool__phase__challenge=own) for own in (restored, phase.challenge))
    assert list(ours.order_by("pk").values_list(*fields)) == list(theirs.order_by("pk").values_list(*fields))
    for run in Run.objects.filter(phase__challenge=restored):
        before = Score.objects.get(run=run)
        after = compute_and_store_run_scores(run)
        assert (after.figures, after.intervals) == (before.figures, before.intervals)


def test_what_was_decided_of_a_test_stays_out_until_it_is_published(phase, tmp_path):
    phase.challenge.phases.update(sort="test")
    names = {path.name for path in list_archive_files(phase, tmp_path / "before")}
    assert not names & {"gold.tsv", "gold.jsonl", "pool.jsonl"}
    phase.challenge.phases.update(published="2026-01-01T00:00Z")
    assert {"gold.tsv", "gold.jsonl", "pool.jsonl"} <= {
        path.name for path in list_archive_files(phase, tmp_path / "after")
    }


def list_archive_files(phase, folder):
    folder.mkdir()
    return list(
        extract_archive_files(write_challenge_archive(phase.challenge, folder / "a.zip"), folder / "archive").rglob("*")
    )


PEOPLE = {"jane": "Judge 1", "jim": "Judge 2", "olga": "Judge 3", "gwen": "Judge 4"}


def read_judging_status(pool):
    """What a pool's page tells, but for who the judges are and how the site's rows are numbered."""
    own = build_judging_status(pool)
    judges = [(each.judged, each.whole, each.seconds) for each in own.judges]
    return judges, [each.agreement for each in own.agreements], own.relevant, own.unjudged, len(own.conflicts)


def test_every_judgement_is_restored_and_nobody_who_judged(phase, tmp_path):
    path = write_challenge_archive(phase.challenge, tmp_path / "a.zip")
    folder = extract_archive_files(path, tmp_path / "archive")
    everything = b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())
    assert not [name for name in PEOPLE if name.encode() in everything]
    restored = restore_challenge_unless_restored_before(path, "again").challenge
    theirs, ours = Pool.objects.get(phase=phase), Pool.objects.get(phase__challenge=restored)
    assert read_judging_status(ours) == read_judging_status(theirs)
    (agreed,) = build_judging_status(ours).agreements
    assert (agreed.first.name, agreed.second.name, agreed.agreement.relevance.joint) == ("Judge 1", "Judge 2", 0.8)
    renamed = re.sub(r"\b(jane|jim|olga|gwen)\b", lambda found: PEOPLE[found[0]], format_judgement_history_tsv(theirs))
    assert format_judgement_history_tsv(ours) == renamed
    assert not Judgement.objects.filter(passage__pool=ours, judge__isnull=False).exists()
    again = extract_archive_files(write_challenge_archive(restored, tmp_path / "b.zip"), tmp_path / "again")
    for name in ("pool.jsonl", "judging.json"):
        assert (again / "training/ISS" / name).read_bytes() == (folder / "training/ISS" / name).read_bytes()


def test_judges_without_account_have_pages_and_no_rights(phase, tmp_path, client, olga, django_user_model):
    restored = restore_challenge_unless_restored_before(
        write_challenge_archive(phase.challenge, tmp_path / "a.zip"), "again"
    ).challenge
    pool = Pool.objects.select_related("task", "phase__corpus").get(phase__challenge=restored)
    everybody = [AnonymousUser(), *django_user_model.objects.all()]
    assert not any(may(user, pool) for user in everybody for may in (can_judge, can_adjudicate))
    restored.organizers.add(olga)
    client.force_login(olga)
    place = ["again", "training", "ISS"]
    page = client.get(reverse("pool", args=place)).content.decode()
    assert "Judge 1 and Judge 2" in page and "from an archive" in page
    assert client.get("/api/v1/challenges/again/training/ISS/pool/").json()["judges"][1]["judge"] == "Judge 2"
    client.post(reverse("pool-reopen", args=place))
    seen = client.get(reverse("pool-adjudicate", args=place))
    assert "Decisions of the judges: relevant; not relevant" in re.sub(r"<[^>]+>", "", seen.content.decode())
    client.post(reverse("pool-judges", args=place), {"remove": "Judge 2"})
    assert [each.judge.name for each in build_judging_status(pool).judges] == ["Judge 1"]
    reopen_pool(pool)
    assert close_decided_pool_and_store_gold(pool, olga)


def test_it_calls_judges_by_the_numbers_that_are_left():
    assert assign_judge_pseudonyms([7, "Judge 2", 5, "", 7]) == {
        7: "Judge 1",
        "Judge 2": "Judge 2",
        5: "Judge 3",
        "": "",
    }
    for name in ("olga", "Judge 0", "Judge 1\n", "judge-1", "Judge 1" + "0" * 20):
        with pytest.raises(ValueError):
            check_judge_pseudonym_if_any(name)
