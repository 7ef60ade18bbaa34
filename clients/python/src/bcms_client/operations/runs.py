"""Runs of your team."""

from pathlib import Path

from bcms_client.address import build_path
from bcms_client.calls import Call, get, post, post_file
from bcms_client.reading import make_reader
from bcms_client.records.runs import CheckedRun, Run, RunDescription, TeamRuns, Upload


def list_runs(challenge: str, phase: str, task: str, *, team: str | None = None) -> Call[TeamRuns]:
    """The files of your team, rejected ones too, and how many runs it has left; team: if you are on several."""
    return get(_build_runs_path(challenge, phase, task), TeamRuns, {"team": team})


def check_run(
    challenge: str, phase: str, task: str, file: str | Path, *, team: str | None = None, repair: bool = False
) -> Call[CheckedRun]:
    """Check a file without storing it. InvalidFileError with every broken rule."""
    form = {"check": "true", "team": team, "repair": "true" if repair else None}
    return post_file(_build_runs_path(challenge, phase, task), CheckedRun, Path(file), form)


def upload_run(
    challenge: str,
    phase: str,
    task: str,
    file: str | Path,
    *,
    name: str | None = None,
    message: str | None = None,
    team: str | None = None,
    repair: bool = False,
) -> Call[Upload]:
    """Upload a run. InvalidFileError with every broken rule, if the file is small enough to be checked at once.

    A worker checks and stores other files: then `done` is false, and wait_for_upload returns how it ended.
    """
    form = {"name": name, "message": message, "team": team, "repair": "true" if repair else None}
    return post_file(_build_runs_path(challenge, phase, task), Upload, Path(file), form)


def get_upload(upload: int) -> Call[Upload]:
    """The state of an uploaded file."""
    return get(build_path("uploads", upload), Upload)


def wait_for_upload(upload: int, *, within: float = 600) -> Call[Upload]:
    """The uploaded file once it is done. StillWorkingError if it is not within so many seconds."""
    read = make_reader(Upload)
    return Call("GET", build_path("uploads", upload), read, until=lambda found: found.done, within=within)


def get_run(run: int) -> Call[Run]:
    """A run with its figures, if you may see them."""
    return get(build_path("runs", run), Run)


def describe_run(
    run: int, *, method_name: str = "", abstract: str = "", paper: str = "", code: str = "", environment: str = ""
) -> Call[RunDescription]:
    """Say what the run is, in place of what your team said before; the leaderboard shows it. paper: a URL or a DOI."""
    body = {
        "method_name": method_name,
        "abstract": abstract,
        "paper": paper,
        "code": code,
        "environment": environment,
    }
    return Call("PUT", build_path("runs", run, "description"), make_reader(RunDescription), body=body)


def tag_run_as_final(run: int) -> Call[Run]:
    """Have your team judged by this run."""
    return post(build_path("runs", run, "final"), Run)


def untag_run(run: int) -> Call[Run]:
    """The run stays, but is no longer final."""
    return Call("DELETE", build_path("runs", run, "final"), make_reader(Run))


def withdraw_run(run: int) -> Call[Run]:
    """The run is no longer scored or listed. ConflictError if the rules of the phase forbid it."""
    return post(build_path("runs", run, "withdraw"), Run)


def _build_runs_path(challenge: str, phase: str, task: str) -> str:
    return build_path("challenges", challenge, phase, task, "runs")
