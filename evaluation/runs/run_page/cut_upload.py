"""Upload a copy of a run with its lists cut off; the new run is checked, stored and counted like any upload."""

from typing import Literal

from annotations.schema import Kind
from evaluation.analyses.run_truncation import sort_and_truncate_run_lists
from evaluation.challenges.articles import list_unexcluded_article_names
from evaluation.errors import ChallengeError
from evaluation.measures.columns import RunColumns
from evaluation.runs.models import Run
from evaluation.runs.run_page.columns import build_run_columns
from evaluation.runs.run_page.error_analysis.analysis import load_scored_run_annotations
from evaluation.runs.uploads.intake import store_run_upload_and_process_or_enqueue
from evaluation.runs.uploads.models import Upload
from evaluation.runs.uploads.submission import RunSubmission
from servers.teams.permissions import User

CutCriterion = Literal["confidence", "rank"]


def upload_cut_run(run: Run, criterion: CutCriterion, cutoff_value: float, user: User) -> Upload:
    """Upload a team's run again with its lists cut at this confidence or rank, in the same task and phase.

    Only scored annotations are copied. Articles without a remaining item have no line and count as not answered.
    Raises ChallengeError if the lists cannot be cut there, or for the reasons of
    store_run_upload_and_process_or_enqueue.
    """
    if run.team is None:
        raise ChallengeError(f"{run} belongs to no team; cut a run of your team.")
    if run.task.settings is not None:
        raise ChallengeError(f"Runs of {run.task} cannot be cut here: cut the file, and upload it as another run.")
    if run.task.kind == Kind.PASSAGE:
        raise ChallengeError("Lists of passages cannot be cut: a pair has at most five anyway.")
    if run.task.kind == Kind.MENTION:
        raise ChallengeError("Mentions cannot be cut, as they have no order.")
    columns = build_run_columns(list_unexcluded_article_names(run.phase), load_scored_run_annotations(run))
    if criterion == "confidence" and columns.confidence is None:
        raise ChallengeError(f"Not every result of {run} has a confidence; cut it by rank.")
    cut = (
        sort_and_truncate_run_lists(columns, cutoff_rank=int(cutoff_value))
        if criterion == "rank"
        else sort_and_truncate_run_lists(columns, min_confidence=cutoff_value)
    )
    if not len(cut):
        raise ChallengeError(f"Nothing of {run} would be left at {criterion} {cutoff_value:g}; choose another value.")
    name = f"{run.name}, {criterion} {cutoff_value:g}"
    message = f"Cut from the run {run.name} at {criterion} {cutoff_value:g}."
    submission = RunSubmission(name, message, f"{name}.tsv", _format_run_tsv(cut).encode())
    return store_run_upload_and_process_or_enqueue(submission, run.task, run.phase, run.team, user)


def _format_run_tsv(run: RunColumns) -> str:
    """Write a run as tab-separated values: article, identifier (or two of a pair), then rank and confidence, if any.

    Rows are in the order of the lists, so that a run without ranks keeps its order.
    """
    items = [item if isinstance(item, str) else "\t".join(map(str, item)) for item in run.item.names]
    columns = [
        [run.document.names[code] for code in run.document.codes.tolist()],
        [items[code] for code in run.item.codes.tolist()],
        *([] if run.rank is None else [[str(number) for number in run.rank.tolist()]]),
        *([] if run.confidence is None else [[repr(number) for number in run.confidence.tolist()]]),
    ]
    return "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
