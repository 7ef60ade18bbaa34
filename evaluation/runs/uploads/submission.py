"""What a team submits as a run: size limits, and clean names."""

from dataclasses import dataclass
from pathlib import PurePath

from bcms.lib.text import replace_unstorable_characters
from evaluation.errors import ChallengeError

MEBIBYTE = 1 << 20
MAX_RUN_BYTES = 64 * MEBIBYTE


@dataclass(frozen=True, slots=True)
class RunSubmission:
    """name: of the run, may be empty; message: for team and organizers; source: name of the file; content: the file;
    repair: whether to repair BioCreative II XML."""

    name: str
    message: str
    source: str
    content: bytes
    repair: bool = False


def check_submission_not_empty_or_large(submission: RunSubmission) -> None:
    if not submission.content:
        raise ChallengeError("The file is empty; choose the file with your results.")
    if len(submission.content) > MAX_RUN_BYTES:
        raise ChallengeError(
            f"The file is larger than {MAX_RUN_BYTES // MEBIBYTE} MiB; leave out everything but results, or write "
            "tab-separated values."
        )


def clean_run_name_or_file_stem(submission: RunSubmission) -> str:
    """The name of the run in one line; if empty, that of the file without its suffix."""
    name = (
        " ".join(replace_unstorable_characters(submission.name).split())
        or PurePath(make_storable_file_name_or_default(submission)).stem
    )
    return name[:200]


def make_storable_file_name_or_default(submission: RunSubmission) -> str:
    return " ".join(replace_unstorable_characters(submission.source).split())[-200:] or "run"
