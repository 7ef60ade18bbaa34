"""The archive of a challenge becomes a draft, whose runs are scored anew to the figures of the archive."""

import json
import zipfile

import pytest
from django.utils import timezone

from annotations.articles.models import Article
from annotations.formats.errors import RefusedFileError
from annotations.results.models import Annotation
from bcms.draft_archives.creation import create_draft_from_archive
from evaluation import tasks
from evaluation.challenges.models import Challenge, ChallengeState, ExcludedArticle, Phase
from evaluation.challenges.phases.scored_articles import exclude_article_and_request_rescoring
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.challenges.setup.corpora import create_challenge_corpus
from evaluation.challenges.setup.creation import create_phase_claiming_blind_corpus
from evaluation.challenges.states.transitions import change_challenge_state
from evaluation.gold.alternatives import AlternativesFile, find_decrypted_alternatives
from evaluation.gold.models import GoldStandard
from evaluation.gold.storage import store_gold_sealed_or_open
from evaluation.pooling.closure import close_decided_pool_and_store_gold
from evaluation.runs.models import Run
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import compute_and_store_run_scores
from evaluation.scoring.stale_scores import list_runs_due_for_scoring
from tests.integration.archive_cast import beta, play_challenge, submit_run_content, write_challenge_archive
from tests.integration.evaluation_cast import ACT_GOLD, make_corpus
from tests.integration.mention_cast import ALTERNATIVES, GOLD, OTHER, RUN, make_mention_task
from tests.integration.open_task_cast import OPEN_TASKS, make_open_challenge
from tests.integration.pooling_cast import first_run, judge_all, make_judges, make_phase, make_pool, second_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def archive(olga, team, alice, django_user_model, tmp_path):
    challenge = play_challenge(olga, team, alice, *beta(django_user_model))
    return write_challenge_archive(challenge, tmp_path / "example.zip")


def read_archived_figures(path):
    """{(task, name of the run, scenario): figures and intervals}."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        for part in json.loads(archive.read("challenge.json"))["parts"]:
            document = json.loads(archive.read(f"{part['folder']}/scores.json"))
            names = {run["stem"]: run["name"] for run in document["runs"]}
            for score in document["scores"]:
                if score["superseded"] is None:
                    key = part["task"], names[score["run"]], score["scenario"]
                    found[key] = score["figures"], score["intervals"], score["absent"]
    return found


def test_the_draft_has_everything_and_the_same_scores(archive, dora):
    created = create_draft_from_archive(archive.read_bytes(), "example.zip", dora)
    draft = created.challenge
    assert (draft.slug, draft.state, list(draft.organizers.all())) == ("example-2", "draft", [dora])
    original = Challenge.objects.get(slug="example")
    assert draft.description == original.description
    assert [task.name for task in draft.tasks.order_by("pk")] == ["ACT", "TX", "GN"]
    runs = Run.objects.filter(phase__challenge=draft)
    assert set(runs.values_list("sort", "team")) == {("imported", None)}
    due = [run for run in list_runs_due_for_scoring() if run.phase.challenge_id == draft.pk]
    for run in due:
        compute_and_store_run_scores(run)
    figures = {
        (score.run.task.name, score.run.name, score.scenario): (score.figures, score.intervals, score.absent)
        for run in runs
        for score in run.scores.all()
    }
    assert figures == read_archived_figures(archive)


def score_draft(draft):
    """{(task, name of the run, scenario): figures and why there are none}, scored by what scores all runs."""
    for run in list_runs_due_for_scoring():
        if run.phase.challenge_id == draft.pk:
            compute_and_store_run_scores(run)
    scores = Score.objects.filter(run__phase__challenge=draft).select_related("run__task")
    return {(score.run.task.name, score.run.name, score.scenario): (score.figures, score.absent) for score in scores}


def drop_intervals(figures):
    """Samples of a blind corpus are drawn in the order of its opaque ids, which a draft has others of."""
    return {key: (values, absent) for key, (values, _, absent) in figures.items()}


def test_gene_mentions_with_alternatives(olga, alice, team, dora, tmp_path):
    task, phase = make_mention_task(olga)
    store_gold_sealed_or_open(task, phase, GOLD, "gold.txt", AlternativesFile(ALTERNATIVES, "ALTGENE.eval"))
    for name, content in {"one": RUN, "two": OTHER}.items():
        compute_and_store_run_scores(submit_run_content(task, phase, team, alice, name, content))
    archive = write_challenge_archive(task.challenge, tmp_path / "a.zip")
    draft = create_draft_from_archive(archive.read_bytes(), "a.zip", dora).challenge
    assert score_draft(draft) == drop_intervals(read_archived_figures(archive)) != {}
    gold, before = (GoldStandard.objects.get(phase__challenge=each) for each in (draft, task.challenge))
    assert find_decrypted_alternatives(gold) == find_decrypted_alternatives(before)


def test_tasks_of_any_types(olga, alice, team, dora, tmp_path):
    challenge, phase = make_open_challenge(olga, ("NER", "NEL-ART", "CID", "TOPIC"))
    for task in challenge.tasks.all():
        _, _, gold, *runs = OPEN_TASKS[task.name]
        store_gold_sealed_or_open(task, phase, gold, "gold.txt")
        for name, content in zip(("one", "two"), runs, strict=True):
            compute_and_store_run_scores(submit_run_content(task, phase, team, alice, name, content))
    archive = write_challenge_archive(challenge, tmp_path / "a.zip")
    draft = create_draft_from_archive(archive.read_bytes(), "a.zip", dora).challenge
    assert score_draft(draft) == drop_intervals(read_archived_figures(archive)) != {}
    settings = {task.name: task.settings for task in challenge.tasks.all()}
    assert {task.name: task.settings for task in draft.tasks.all()} == settings


def test_passages_have_to_be_judged_again(olga, team, dora, tmp_path):
    phase = make_phase(olga)
    runs, judges = (first_run(team, phase), second_run(team, phase)), make_judges("jane", "jim")
    pool = make_pool(phase, *judges)
    judge_all(pool, *judges)
    close_decided_pool_and_store_gold(pool, olga)
    archive = write_challenge_archive(phase.challenge, tmp_path / "a.zip")
    created = create_draft_from_archive(archive.read_bytes(), "a.zip", dora)
    imported = Run.objects.filter(phase__challenge=created.challenge)
    assert sorted(run.name for run in imported) == sorted(run.name for run in runs)
    assert not GoldStandard.objects.filter(phase__challenge=created.challenge).exists()
    assert "have to be judged on this site" in " ".join(created.notes)
    assert "Left out: judgements of passages." in created.notes


@pytest.fixture
def published_test(olga, team, alice, challenge):
    """A published test of public articles: its archive says which articles it has."""
    pmids = (201, 202, 203, 204)
    make_corpus("source", pmids)
    keys = [Article.objects.get(pmid=pmid).pk for pmid in pmids]
    corpus = create_challenge_corpus(challenge, "Blind", "blind", "", keys, blind=True)
    phase = create_phase_claiming_blind_corpus(challenge, "test", corpus)
    act = challenge.tasks.get(name="ACT")
    store_gold_sealed_or_open(act, phase, ACT_GOLD.replace(b"10", b"20"), "test.tsv")
    opaque = get_article(202, corpus).opaque
    run = submit_run_content(act, phase, team, alice, "blind", f"{opaque}\t1\t0.5\n".encode())
    compute_and_store_run_scores(run)
    Phase.objects.filter(pk=phase.pk).update(closes=timezone.now(), ended=timezone.now())
    publish_phase_or_request_if_sealed(Phase.objects.get(pk=phase.pk))
    tasks.publish_requested_phases_and_tasks_unless_busy()
    return Phase.objects.get(pk=phase.pk)


def get_article(pmid, corpus):
    return Article.objects.get(snapshot__pmid=pmid, corpora=corpus)


def test_a_published_test_is_blind_and_sealed_again(published_test, dora, tmp_path, client, alice):
    assert published_test.published
    archive = write_challenge_archive(published_test.challenge, tmp_path / "a.zip")
    draft = create_draft_from_archive(archive.read_bytes(), "a.zip", dora, {"slug": "mine"}).challenge
    phase = draft.phases.get(sort="test")
    assert (phase.published, phase.corpus.blind, phase.corpus.slug) == (None, True, "blind-2")
    gold = GoldStandard.objects.get(phase=phase)
    assert (gold.producer, bool(gold.sealed)) == (None, True)
    old, new = (set(each.corpus.articles.values_list("opaque", flat=True)) for each in (published_test, phase))
    assert len(new) == 4 and not old & new
    assert not phase.corpus.articles.filter(pmid__isnull=False).exists()
    figures = {key: value for key, value in score_draft(draft).items() if key[1] == "blind"}
    archived = drop_intervals(read_archived_figures(archive))
    assert figures == {key: value for key, value in archived.items() if key[1] == "blind"} != {}
    run = Run.objects.get(phase=phase)
    client.force_login(alice)
    for address in ("/challenges/mine/", "/challenges/mine/test/ACT/", f"/runs/{run.pk}/", f"/api/v1/runs/{run.pk}/"):
        assert client.get(address).status_code == 404
    change_challenge_state(draft, ChallengeState.LISTED)
    Phase.objects.filter(pk=phase.pk).update(closes=timezone.now(), ended=timezone.now())
    publish_phase_or_request_if_sealed(Phase.objects.get(pk=phase.pk))
    assert tasks.publish_requested_phases_and_tasks_unless_busy()
    assert Phase.objects.get(pk=phase.pk).published, Phase.objects.get(pk=phase.pk).publish_fault
    board = client.get("/challenges/mine/test/ACT/").content.decode()
    assert "Team Alpha (imported)" in board


def test_an_unpublished_blind_test_has_no_articles_to_find(challenge, dora, tmp_path):
    corpus = make_corpus("hidden", (301, 302), blind=True)
    create_phase_claiming_blind_corpus(challenge, "test", corpus)
    archive = write_challenge_archive(challenge, tmp_path / "a.zip")
    with pytest.raises(RefusedFileError, match="has no PMID, DOI or PMCID in the archive - publish the phase there"):
        create_draft_from_archive(archive.read_bytes(), "a.zip", dora)


def test_excluded_articles_stay_excluded_with_their_gold_standard(archive, dora, olga, tmp_path):
    phase = Phase.objects.get(challenge__slug="example")
    exclude_article_and_request_rescoring(phase, Article.objects.get(pmid=102), olga, "Retracted.")
    path = write_challenge_archive(phase.challenge, tmp_path / "excluded.zip")
    draft = create_draft_from_archive(path.read_bytes(), "excluded.zip", dora).challenge
    excluded = ExcludedArticle.objects.get(phase__challenge=draft)
    assert (excluded.article.pmid, excluded.reason, excluded.by) == (102, "Retracted.", dora)
    for name in ("ACT", "GN", "TX"):
        before, after = (
            GoldStandard.objects.get(phase__challenge=each, task__name=name) for each in (phase.challenge, draft)
        )
        assert load_gold(after) == load_gold(before)


def load_gold(gold):
    rows = Annotation.objects.filter(result__producer=gold.producer, result__superseded=None)
    return sorted(map(str, rows.values_list("result__article__pmid", "relevant", "identifier")))
