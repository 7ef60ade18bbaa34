"""The JSON documents of an archive: the challenge, its phases, and the runs and scores of each task."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotations.articles.models import Article
from annotations.articles.queries import annotate_recorded_ids
from evaluation.archives import row_values
from evaluation.archives.parts import ARTICLE_COLUMNS, ArchivedRun, ArchivePart
from evaluation.archives.row_values import build_json_field_values
from evaluation.calibration.stored_calibrations import compute_calibration_fingerprint
from evaluation.challenges.models import Challenge, Phase, Task
from evaluation.gold.models import Alternatives
from evaluation.leaderboards.mean_ranks.board import list_mean_rank_tasks
from evaluation.leaderboards.models import Ranking
from evaluation.runs.uploads.models import Upload
from evaluation.scoring.models import Score
from evaluation.scoring.run_scores import join_score_fingerprint_parts
from evaluation.scoring.scenario_scores import list_optional_figure_names


def build_challenge_tasks_phases_and_teams_document(
    challenge: Challenge, parts: Sequence[ArchivePart]
) -> dict[str, Any]:
    """The document challenge.json; it has no phases while the challenge has no task."""
    phases = {part.phase.pk: part.phase for part in parts}
    return {
        "challenge": build_json_field_values(challenge, row_values.CHALLENGE_FIELDS)
        | row_values.build_optional_field_values(challenge, row_values.OPTIONAL_CHALLENGE_FIELDS),
        "tasks": [_build_task_document(task) for task in challenge.tasks.order_by("pk")],
        "phases": [_build_phase_document(phase, parts) for phase in phases.values()],
        "parts": [_build_part_document(part) for part in parts],
        "teams": _build_team_documents(challenge, parts),
    }


def _build_task_document(task: Task) -> dict[str, Any]:
    return {
        **build_json_field_values(task, row_values.TASK_FIELDS),
        **row_values.build_optional_field_values(task, row_values.OPTIONAL_TASK_FIELDS),
    }


def _build_phase_document(phase: Phase, parts: Sequence[ArchivePart]) -> dict[str, Any]:
    """A phase with its corpus, its events and its excluded articles."""
    names = next((part.article_names for part in parts if part.phase.pk == phase.pk), {})
    excluded = phase.excluded.order_by("article_id")
    return {
        **build_json_field_values(phase, row_values.PHASE_FIELDS),
        **row_values.build_optional_field_values(phase, row_values.OPTIONAL_PHASE_FIELDS),
        **({"mean_rank_tasks": averaged} if (averaged := [task.name for task in list_mean_rank_tasks(phase)]) else {}),
        "corpus": build_json_field_values(phase.corpus, row_values.CORPUS_FIELDS),
        "events": [
            build_json_field_values(event, row_values.PHASE_EVENT_FIELDS) for event in phase.events.order_by("pk")
        ],
        "excluded": [
            {
                "article": names[exclusion.article_id],
                **build_json_field_values(exclusion, row_values.EXCLUDED_ARTICLE_FIELDS),
            }
            for exclusion in excluded
            if exclusion.article_id in names
        ],
    }


def _build_part_document(part: ArchivePart) -> dict[str, Any]:
    gold = build_json_field_values(part.gold, row_values.GOLD_FIELDS) if part.gold else None
    alternatives = Alternatives.objects.filter(gold=part.gold).first() if gold else None
    if gold and alternatives:
        gold["alternatives"] = build_json_field_values(alternatives, row_values.ALTERNATIVES_FIELDS)
    return {"phase": part.phase.sort, "task": part.task.name, "folder": part.folder, "gold": gold}


def _build_team_documents(challenge: Challenge, parts: Sequence[ArchivePart]) -> list[dict[str, Any]]:
    """The teams, without accounts. While any team is anonymous, only named teams with a run are listed."""
    archived_runs = [archived_run for part in parts for archived_run in part.runs]
    teams = {
        archived_run.run.team_id: archived_run.run.team for archived_run in archived_runs if not archived_run.hidden
    }
    entrants = {archived_run.team_id: archived_run for archived_run in challenge.entrants.select_related("team")}
    if not any(archived_run.hidden for archived_run in archived_runs):
        teams |= {pk: archived_run.team for pk, archived_run in entrants.items()}
    return [
        {"name": team.name, "slug": team.slug}
        | (build_json_field_values(entrants[team.pk], row_values.ENTRANT_FIELDS) if team.pk in entrants else {})
        for team in sorted(filter(None, teams.values()), key=lambda team: team.slug)
    ]


def iter_articles_tsv_hiding_unpublished_blind_ids(phase: Phase, part: ArchivePart) -> Iterator[str]:
    """The lines of articles.tsv in the order of the corpus; an unpublished blind phase has opaque ids only."""
    hides_ids = phase.corpus.blind and phase.published is None
    yield "\t".join(ARTICLE_COLUMNS) + "\n"
    articles = annotate_recorded_ids(Article.objects.filter(corpora=phase.corpus_id))
    rows = articles.order_by("corpusarticle__position").values_list(
        "pk", "recorded_pmid", "recorded_doi", "recorded_pmcid"
    )
    for pk, pmid, doi, pmcid in rows.iterator(chunk_size=5000):
        ids = ("", "", "") if hides_ids else (str(pmid or ""), doi, pmcid)
        yield "\t".join((part.article_names[pk], *ids, "yes" if pk in part.counted else "no")) + "\n"


def build_runs_scores_and_rankings_document(
    part: ArchivePart, answer_state_by_run_id: Mapping[int, str]
) -> dict[str, Any]:
    """The document scores.json: the runs of a part with all their scores, also superseded ones.

    answer_state_by_run_id: {key of a run: state of its current answers}.
    """
    stems = {archived_run.run.pk: archived_run.stem for archived_run in part.runs}
    scores = list(Score.objects.filter(run__in=list(stems)).order_by("pk"))
    current = {score.pk: score for score in scores if score.superseded is None}
    rankings = Ranking.objects.filter(task=part.task, phase=part.phase, computed__isnull=False)
    return {
        "runs": [_build_run_document(archived_run) for archived_run in part.runs],
        "scores": [
            {"run": stems[score.run_id], **_build_score_document(part, score, answer_state_by_run_id[score.run_id])}
            for score in scores
        ],
        "calibrations": [
            _build_calibration_document(part, archived_run, answer_state_by_run_id)
            for archived_run in part.runs
            if hasattr(archived_run.run, "calibration")
        ],
        "rankings": [
            _build_ranking_document(ranking, [stems[current[pk].run_id] for pk in ranking.scores], stems)
            for ranking in rankings.order_by("scenario", "measure")
            if set(ranking.scores) <= current.keys()
        ],
    }


def _build_run_document(archived_run: ArchivedRun) -> dict[str, Any]:
    """A run; without anything that would identify a team that is still anonymous."""
    team = (
        None
        if archived_run.run.team is None
        else {"name": archived_run.names.team, "slug": archived_run.names.team_slug}
    )
    described = {} if archived_run.names.anonymous else row_values.DESCRIPTION_DEFAULTS
    document = {
        "stem": archived_run.stem,
        **build_json_field_values(archived_run.run, row_values.RUN_FIELDS),
        **row_values.build_optional_field_values(archived_run.run, row_values.OPTIONAL_RUN_FIELDS | described),
        "name": archived_run.names.run,
        "team": team,
    }
    return document | {
        "public": archived_run.run.producer.published,
        "upload": None if archived_run.hidden else _find_upload_document(archived_run),
    }


def _find_upload_document(archived_run: ArchivedRun) -> dict[str, Any] | None:
    upload = Upload.objects.filter(run=archived_run.run).first()
    return build_json_field_values(upload, row_values.UPLOAD_FIELDS) if upload else None


def is_score_up_to_date(part: ArchivePart, score: Score, answer_state: str) -> bool:
    """Whether a score is of the current answers, gold standard and scoring software."""
    return part.gold is not None and score.seen == join_score_fingerprint_parts(
        answer_state, part.gold.checksum, part.phase.revision, list_optional_figure_names(part.task)
    )


def _build_score_document(part: ArchivePart, score: Score, state: str) -> dict[str, Any]:
    """A score; its table of correct answers is included only if the gold standard is public."""
    table = b64encode(bytes(score.table)).decode() if part.gold else ""
    return build_json_field_values(score, row_values.SCORE_FIELDS) | {
        "table": table,
        "up_to_date": is_score_up_to_date(part, score, state),
    }


def _build_calibration_document(
    part: ArchivePart, archived_run: ArchivedRun, states: Mapping[int, str]
) -> dict[str, Any]:
    """The calibration learned from the training run of a server."""
    calibration = archived_run.run.calibration
    fingerprint = (
        compute_calibration_fingerprint(states[archived_run.run.pk], part.gold.checksum, part.phase.revision)
        if part.gold
        else ""
    )
    return {
        "run": archived_run.stem,
        **build_json_field_values(calibration, row_values.CALIBRATION_FIELDS),
        "up_to_date": calibration.seen == fingerprint,
    }


def _build_ranking_document(ranking: Ranking, runs: Sequence[str], stems: Mapping[int, str]) -> dict[str, Any]:
    document = build_json_field_values(ranking, row_values.RANKING_FIELDS) | {"runs": runs}
    ensemble = ranking.ensemble
    if ensemble and set(ensemble["runs"]) <= stems.keys():
        return document | {"ensemble": ensemble | {"runs": [stems[run] for run in ensemble["runs"]]}}
    return document | {"ensemble": None}
