"""What an archive says of a challenge, of its phases, and of the runs and scores of each task, as values of JSON."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotations.models import Article, CorpusArticle
from evaluation.archives import values
from evaluation.archives.parts import Part, RunPart
from evaluation.archives.values import values_of
from evaluation.calibrations.fitting import seen as learned_from
from evaluation.mentions.models import Alternatives
from evaluation.models import Challenge, Phase, Ranking, Score, Upload
from evaluation.scoring import seen

ARTICLE_COLUMNS = ("article", "pmid", "doi", "pmcid", "counts")


def challenge_values(challenge: Challenge, parts: Sequence[Part]) -> dict[str, Any]:
    """A phase stands there as soon as the challenge has a task."""
    phases = {part.phase.pk: part.phase for part in parts}
    return {
        "challenge": values_of(challenge, values.CHALLENGE),
        "tasks": [values_of(task, values.TASK) for task in challenge.tasks.order_by("pk")],
        "phases": [phase_values(phase, parts) for phase in phases.values()],
        "parts": [part_values(part) for part in parts],
        "teams": team_values(challenge, parts),
    }


def phase_values(phase: Phase, parts: Sequence[Part]) -> dict[str, Any]:
    """A phase with its corpus, what was done to it, and which articles do not count."""
    names = next((part.every for part in parts if part.phase.pk == phase.pk), {})
    excluded = phase.excluded.order_by("article_id")
    return {
        **values_of(phase, values.PHASE),
        "corpus": values_of(phase.corpus, values.CORPUS),
        "events": [values_of(event, values.EVENT) for event in phase.events.order_by("pk")],
        "excluded": [
            {"article": names[own.article_id], **values_of(own, values.EXCLUDED)}
            for own in excluded
            if own.article_id in names
        ],
    }


def part_values(part: Part) -> dict[str, Any]:
    gold = values_of(part.gold, values.GOLD) if part.gold else None
    own = Alternatives.objects.filter(gold=part.gold).first() if gold else None
    if gold and own:
        gold["alternatives"] = values_of(own, values.ALTERNATIVES)
    return {"phase": part.phase.sort, "task": part.task.name, "folder": part.folder, "gold": gold}


def team_values(challenge: Challenge, parts: Sequence[Part]) -> list[dict[str, Any]]:
    """The teams that are named; as long as one is not, none of those that have no run. Nobody's account is here."""
    every = [own for part in parts for own in part.runs]
    shown = {own.run.team_id: own.run.team for own in every if not own.hidden}
    entrants = {own.team_id: own for own in challenge.entrants.select_related("team")}
    if not any(own.hidden for own in every):
        shown |= {pk: own.team for pk, own in entrants.items()}
    return [
        {"name": team.name, "slug": team.slug}
        | (values_of(entrants[team.pk], values.ENTRANT) if team.pk in entrants else {})
        for team in sorted(filter(None, shown.values()), key=lambda team: team.slug)
    ]


def article_lines(phase: Phase, part: Part) -> Iterator[str]:
    """The articles of a phase in the order of its corpus; of a blind one that is not published nothing but the id."""
    secret = phase.corpus.blind and phase.published is None
    yield "\t".join(ARTICLE_COLUMNS) + "\n"
    rows = CorpusArticle.objects.filter(corpus=phase.corpus_id).order_by("position").select_related("article")
    articles = rows.only("article__pmid", "article__doi", "article__pmcid", "article__opaque", "position")
    for row in articles.iterator(chunk_size=5000):
        known = ("", "", "") if secret else identifiers(row.article)
        counts = "yes" if row.article_id in part.counted else "no"
        yield "\t".join((part.every[row.article_id], *known, counts)) + "\n"


def identifiers(article: Article) -> tuple[str, str, str]:
    return str(article.pmid or ""), article.doi, article.pmcid


def scores_values(part: Part, states: Mapping[int, str]) -> dict[str, Any]:
    """The runs of a part and all their scores, those before too; states: of the answers that each run has now."""
    stems = {own.run.pk: own.stem for own in part.runs}
    scores = list(Score.objects.filter(run__in=list(stems)).order_by("pk"))
    kept = {score.pk: score for score in scores if score.superseded is None}
    rankings = Ranking.objects.filter(task=part.task, phase=part.phase, computed__isnull=False)
    return {
        "runs": [run_values(own) for own in part.runs],
        "scores": [{"run": stems[score.run_id], **score_values(part, score, states[score.run_id])} for score in scores],
        "calibrations": [calibration_values(part, own, states) for own in part.runs if hasattr(own.run, "calibration")],
        "rankings": [
            ranking_values(ranking, [stems[kept[pk].run_id] for pk in ranking.scores], stems)
            for ranking in rankings.order_by("scenario", "measure")
            if set(ranking.scores) <= kept.keys()
        ],
    }


def run_values(own: RunPart) -> dict[str, Any]:
    """A run; of one whose team is not named yet nothing that would tell it."""
    team = None if own.run.team is None else {"name": own.names.team, "slug": own.names.team_slug}
    told = {"stem": own.stem, **values_of(own.run, values.RUN), "name": own.names.run, "team": team}
    return told | {"public": own.run.producer.public, "upload": None if own.hidden else upload_values(own)}


def upload_values(own: RunPart) -> dict[str, Any] | None:
    upload = Upload.objects.filter(run=own.run).first()
    return values_of(upload, values.UPLOAD) if upload else None


def up_to_date(part: Part, score: Score, state: str) -> bool:
    """Whether a score is of the answers that the run has now, by the gold standard and the software of now."""
    return part.gold is not None and score.seen == seen(state, part.gold.checksum, part.phase.revision)


def score_values(part: Part, score: Score, state: str) -> dict[str, Any]:
    """A score; which answers were right is kept only beside a gold standard that everybody may see."""
    table = b64encode(bytes(score.table)).decode() if part.gold else ""
    return values_of(score, values.SCORE) | {"table": table, "up_to_date": up_to_date(part, score, state)}


def calibration_values(part: Part, own: RunPart, states: Mapping[int, str]) -> dict[str, Any]:
    """What training taught of the run of a server."""
    learned = own.run.calibration
    now = learned_from(states[own.run.pk], part.gold.checksum, part.phase.revision) if part.gold else ""
    return {"run": own.stem, **values_of(learned, values.CALIBRATION), "up_to_date": learned.seen == now}


def ranking_values(ranking: Ranking, runs: Sequence[str], stems: Mapping[int, str]) -> dict[str, Any]:
    own = values_of(ranking, values.RANKING) | {"runs": runs}
    joined = ranking.ensemble
    if joined and set(joined["runs"]) <= stems.keys():
        return own | {"ensemble": joined | {"runs": [stems[run] for run in joined["runs"]]}}
    return own | {"ensemble": None}
