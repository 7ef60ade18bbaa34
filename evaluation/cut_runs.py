"""A run whose lists are cut, made from another one: a file that is checked, stored and counted like any other."""

from typing import Any, Literal

from annotations.kinds import Kind
from evaluation.analyses.cut_runs import cut_run
from evaluation.articles import articles_of
from evaluation.comparison import everything_of
from evaluation.errors import ChallengeError
from evaluation.measures.columns import RunColumns
from evaluation.models import Run, Upload
from evaluation.run_findings import run_columns
from evaluation.runs import Sent, upload

By = Literal["confidence", "rank"]


def make_cut_run(run: Run, by: By, value: float, user: Any) -> Upload:
    """Upload the run of a team again with its lists cut, in the same task and phase; as runs.upload.

    Articles of which nothing is left have no line, and count as not answered.
    """
    if run.team is None:
        raise ChallengeError(f"{run} belongs to no team; cut a run of your own.")
    if run.task.kind == Kind.PASSAGE:
        raise ChallengeError("Lists of passages are not cut: five of a pair are the most anyway.")
    if run.task.kind == Kind.MENTION:
        raise ChallengeError("Mentions have no order in which they could be cut.")
    own = run_columns(articles_of(run.phase), everything_of(run))
    if by == "confidence" and own.confidence is None:
        raise ChallengeError(f"Not every result of {run} has a confidence; cut it by rank.")
    cut = cut_run(own, cutoff_rank=int(value)) if by == "rank" else cut_run(own, min_confidence=value)
    if not len(cut):
        raise ChallengeError(f"Nothing of {run} is left when it is cut at {by} {value:g}; choose another value.")
    name = f"{run.name}, {by} {value:g}"
    said = f"Cut from the run {run.name} at {by} {value:g}."
    sent = Sent(name, said, f"{name}.tsv", as_tsv(cut).encode())
    return upload(sent, run.task, run.phase, run.team, user)


def as_tsv(run: RunColumns) -> str:
    """The run as tab-separated values: article, identifier or both of a pair, then rank and confidence if it has them.

    Rows are in the order of the lists, so that a run without ranks keeps it.
    """
    items = [item if isinstance(item, str) else "\t".join(map(str, item)) for item in run.item.names]
    columns = [
        [run.document.names[code] for code in run.document.codes.tolist()],
        [items[code] for code in run.item.codes.tolist()],
        *([] if run.rank is None else [[str(own) for own in run.rank.tolist()]]),
        *([] if run.confidence is None else [[repr(own) for own in run.confidence.tolist()]]),
    ]
    return "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
