"""Challenges, their articles and leaderboards."""

from pathlib import Path

from bcms_client.address import build_path
from bcms_client.calls import Call, Download, ListCall, get
from bcms_client.records.challenges import Challenge, Leaderboard

PHASE_FORMATS = ("tsv", "jsonl", "bioc-xml", "bioc-json", "pubtator")


def list_challenges() -> ListCall[Challenge]:
    """The challenges with their tasks and phases, newest first."""
    return ListCall("challenges/", Challenge)


def get_challenge(slug: str) -> Call[Challenge]:
    """One challenge with its tasks and phases."""
    return get(build_path("challenges", slug), Challenge)


def get_leaderboard(
    challenge: str, phase: str, task: str, *, scenario: str | None = None, average: str | None = None
) -> Call[Leaderboard]:
    """The runs of a task in a phase, best first. NotFoundError before you may see it."""
    query = {"scenario": scenario, "average": average}
    return get(build_path("challenges", challenge, phase, task), Leaderboard, query)


def download_phase_articles(challenge: str, phase: str, target: str | Path, *, format: str = "tsv") -> Download:
    """Write the articles of a phase to a file, in one of PHASE_FORMATS."""
    return Download(build_path("challenges", challenge, "phases", phase, "articles"), Path(target), {"as": format})
