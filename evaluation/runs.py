"""Uploaded runs: a team's file is checked, then stored as a run, or refused, which costs nothing but is counted.

A small file is taken in while its sender waits, a large one by a worker. Until the last commit nothing of it is seen.
"""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import PurePath
from typing import Any

from celery import current_app
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from annotations.bulk_storing import store_many
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.runs_tsv import RULES
from annotations.kinds import Finding, Kind
from annotations.models import Article, Producer
from evaluation import entrants, phases
from evaluation.calibrations.telling import tell_pages
from evaluation.errors import ChallengeError
from evaluation.mentions.files import read_mentions_for_phase
from evaluation.models import Calibration, Challenge, Phase, Run, Task, Upload, UploadedFile
from evaluation.opening import runs_are_open
from evaluation.run_files import Place, RunFile, findings_by_article, read_for_phase
from evaluation.run_passages import check_passages
from servers.models import Membership, Team

MEBIBYTE = 1 << 20
MOST_BYTES = 64 * MEBIBYTE
# What is taken in while the sender waits: some ten thousand lines.
AT_ONCE = MEBIBYTE // 2
# What is checked and not stored: the sender waits for all of it, and nobody else is served by that thread.
MOST_CHECKED = 8 * MEBIBYTE
# So often a worker may die over a file before the file is given up.
MOST_BEGUN = 3
MOST_WARNINGS = 200
MOST_UNKNOWN = 100
TAKE = "evaluation.tasks.take_uploads"
SCORE = "evaluation.tasks.score_stale_runs"


@dataclass(frozen=True, slots=True)
class Sent:
    """What a team sends: the name of the run and what to say of it, the file's own name, and the file."""

    name: str
    message: str
    source: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many uploaded runs of a team count in a task and phase, of how many; and how many files it tried."""

    used: int
    most: int
    tries: int

    @property
    def left(self) -> int:
        return max(self.most - self.used, 0)

    def __str__(self) -> str:
        files = "1 file" if self.tries == 1 else f"{self.tries} files"
        return f"{self.used} of {self.most} runs used, {files} tried"


def allowance(team: Team, task: Task, phase: Phase) -> Allowance:
    """In two queries. Withdrawn runs are not used up; a file that ended by a fault of ours was not tried."""
    own = {"team": team, "task": task, "phase": phase}
    used = Run.objects.filter(**own, sort=Run.Sort.UPLOAD, withdrawn__isnull=True).count()
    return Allowance(used, phase.offline_runs, Upload.objects.filter(**own).exclude(state=Upload.State.FAILED).count())


def names_of(phase: Phase) -> dict[str, int]:
    """Every name by which a file may call an article of the phase: {name: article}.

    In a blind phase these are the opaque ids alone, elsewhere they are no names of articles that have others: nobody
    shall find out by trying which PMIDs a test has, or which article an opaque id means.
    """
    rows = Article.objects.filter(corpora=phase.corpus_id).order_by("-pk").values_list("pk", "pmid", "doi", "opaque")
    if phase.corpus.blind:
        return {opaque: pk for pk, _, _, opaque in rows}
    return {name: pk for pk, pmid, doi, opaque in rows for name in named(pmid, doi, opaque)}


def named(pmid: int | None, doi: str, opaque: str) -> list[str]:
    return [name for name in (str(pmid or ""), doi) if name] or [opaque]


def refuse_upload(team: Team, task: Task, phase: Phase, by: Any) -> None:
    """ChallengeError when the user may not upload a run for the team now, with what to do about it."""
    if not Membership.objects.filter(team=team, user=by.pk).exists():
        raise ChallengeError(f"Only members of {team} may upload its runs; ask them to do it.")
    entrants.refuse_not_entered(phase.challenge, team)
    entrants.refuse_insiders(phase, team)
    phases.refuse_standing(phase, timezone.now(), "upload runs")
    phases.refuse_published(phase, [task], "upload runs of it")
    if phase.sort == Phase.Sort.TEST and phase.final_first and not finished_training_offline(team, phase.challenge):
        raise ChallengeError(
            f"{team} has no final run in the training phase yet; upload your training runs, tag those that are final, "
            "then upload the runs of the test."
        )
    own = allowance(team, task, phase)
    if not own.left:
        withdraw = ", or withdraw one first" if phase.may_withdraw else ""
        raise ChallengeError(f"{team} has used its {own.most} runs of {task} in this phase; keep these{withdraw}.")


def finished_training_offline(team: Team, challenge: Challenge) -> bool:
    """Whether a team that uploads has done with training: a run of it is tagged as final, or there is no training."""
    if not challenge.phases.filter(sort=Phase.Sort.TRAINING).exists():
        return True
    final = Run.objects.filter(team=team, sort=Run.Sort.UPLOAD, final=True, withdrawn__isnull=True)
    return final.filter(phase__challenge=challenge, phase__sort=Phase.Sort.TRAINING).exists()


def upload(sent: Sent, task: Task, phase: Phase, team: Team, by: Any) -> Upload:
    """Take in a team's file as a run, at once or, if it is large, by a worker; what became of it is in the upload.

    ChallengeError when it is not looked at: the user may not, no run is left, or the team has the same run already.
    """
    refuse_upload(team, task, phase, by)
    refuse_size(sent)
    digest = sha256(sent.content).hexdigest()
    new = Upload(
        **{"task": task, "phase": phase, "team": team, "by": by, "sha256": digest, "size": len(sent.content)},
        **{"name": run_name(sent), "message": storable(sent.message), "source": file_name(sent)},
    )
    # A worker cannot see it before it is decided, but for the large ones, which are left to the worker.
    with transaction.atomic():
        one_by_one(team)
        refuse_same(sent, digest, task, phase, team)
        new.save()
        UploadedFile.objects.create(upload=new, body=zlib.compress(sent.content, 6))
        if len(sent.content) <= AT_ONCE:
            take(new)
        else:
            wake(TAKE)
    return new


def refuse_size(sent: Sent) -> None:
    if not sent.content:
        raise ChallengeError("The file is empty; choose the file with your results.")
    if len(sent.content) > MOST_BYTES:
        raise ChallengeError(
            f"The file is larger than {MOST_BYTES // MEBIBYTE} MiB; leave out what is no result, or write "
            "tab-separated values."
        )


def one_by_one(team: Team) -> None:
    """Nobody else brings in a run of the team until the end of the transaction, so that none is counted too late."""
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def refuse_same(sent: Sent, digest: str, task: Task, phase: Phase, team: Team) -> None:
    """A file that was sent twice by mistake costs no run, and no two runs of a team have one name."""
    under_way = Upload.objects.filter(team=team, task=task, phase=phase, state__in=Upload.OPEN)
    if under_way.filter(Q(sha256=digest) | Q(name__iexact=run_name(sent))).exists():
        raise ChallengeError("This file, or one of that name, is being taken in already; look what becomes of it.")
    own = Run.objects.filter(team=team, task=task, phase=phase, withdrawn__isnull=True)
    same = own.filter(upload__sha256=digest).first()
    if same is not None:
        raise ChallengeError(f"This very file is the run {same} already; choose another one.")
    if own.filter(name__iexact=run_name(sent)).exists():
        raise ChallengeError(f"{team} has a run {run_name(sent)} here already; choose another name.")


def run_name(sent: Sent) -> str:
    name = " ".join(storable(sent.name).split()) or PurePath(file_name(sent)).stem
    return name[:200]


def file_name(sent: Sent) -> str:
    return " ".join(storable(sent.source).split())[-200:] or "run"


def storable(text: str) -> str:
    """Foreign text without what PostgreSQL cannot hold or a page cannot show."""
    return "".join(sign if sign.isprintable() or sign in "\r\n\t" else "\ufffd" for sign in text)


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of a file that could be a run: numbers, how it was taken, what is odd, and unknown articles."""

    results: int
    articles: int
    format: str
    note: str
    warnings: Sequence[FormatError]
    unknown: int
    unknown_names: Sequence[str]


def told(run: RunFile, known: Mapping[str, int]) -> Told:
    unknown = [name for name in run.articles if name not in known]
    return Told(
        len(run.table),
        len(run.articles),
        run.form,
        storable(run.note),
        [*run.table.warnings, *run.table.repairs][:MOST_WARNINGS],
        len(unknown),
        [storable(name)[:100] for name in unknown[:MOST_UNKNOWN]],
    )


def checked_only(sent: Sent, task: Task, phase: Phase) -> Told:
    """Check a file as an upload does, and store nothing: it is no try.

    RefusedFileError with all faults; ChallengeError for a file that is empty or too large, and as long as the articles
    of the phase are not given out.
    """
    refuse_size(sent)
    if len(sent.content) > MOST_CHECKED:
        raise ChallengeError(
            f"The file is larger than {MOST_CHECKED // MEBIBYTE} MiB, too large to be checked while you wait: upload "
            "it, which checks it first and costs no run if it is refused, or check it with python -m evaluation check."
        )
    if phase.opens > timezone.now():
        raise ChallengeError(f"The {phase.sort} phase is not open yet; check files when it is.")
    known = names_of(phase)
    return told(checked(sent.content, file_name(sent), task, phase, known).file, known)


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A file that fits its phase, and what it says by article."""

    file: RunFile
    findings: Mapping[int, Sequence[Finding]]


def checked(content: bytes, source: str, task: Task, phase: Phase, known: Mapping[str, int]) -> CheckedRun:
    kind, stream = Kind(task.kind), BytesIO(content)
    most = phase.upload_caps.get(kind)
    if kind == Kind.MENTION:
        return CheckedRun(*read_mentions_for_phase(stream, source, known, texts_of(phase), most))
    rules = RULES[phase.challenge.file_rules]
    run = read_for_phase(stream, source, Place(kind, task.name), rules, known, most)
    if kind == Kind.PASSAGE:
        check_passages(run, known, texts_of(phase))
    return CheckedRun(run, findings_by_article(run, kind, known))


def texts_of(phase: Phase) -> dict[int, str]:
    return dict(Article.objects.filter(corpora=phase.corpus_id).values_list("pk", "text"))


def take(own: Upload) -> str:
    """Check the file of an upload and store its run, or refuse it; what was decided already stays as it is."""
    if own.begun >= MOST_BEGUN:
        return fail(own)
    Upload.objects.filter(pk=own.pk).update(begun=F("begun") + 1)
    if not moved(own, Upload.State.CHECKING):
        return "decided"
    content = zlib.decompress(bytes(own.file.body))
    known = names_of(own.phase)
    try:
        run = checked(content, own.source, own.task, own.phase, known)
        moved(own, Upload.State.STORING)
        return store(own, run, known)
    except RefusedFileError as error:
        return refuse(own, error.faults)


def moved(own: Upload, state: str) -> bool:
    """Whether the upload was still open; its state is seen by the page at once."""
    own.state = state
    return bool(Upload.objects.filter(pk=own.pk, state__in=Upload.OPEN).update(state=state))


@transaction.atomic
def store(own: Upload, run: CheckedRun, known: Mapping[str, int]) -> str:
    """Store the run of a file that was checked; RefusedFileError when the team has used its runs meanwhile."""
    if not Upload.objects.select_for_update().filter(pk=own.pk, state__in=Upload.OPEN).exists():
        return "decided"
    one_by_one(own.team)
    if not allowance(own.team, own.task, own.phase).left:
        said = "the runs of this phase and task were used up while the file waited - keep these"
        raise RefusedFileError([FormatError(own.source, 0, 0, "R716", said)])
    own.run = stored(own, run.findings)
    note(own, told(run.file, known))
    own.state, own.finished = Upload.State.TAKEN, Now()
    own.save()
    own.refresh_from_db(fields=["finished"])
    wake(SCORE)
    return "taken"


def stored(own: Upload, findings: Mapping[int, Sequence[Finding]]) -> Run:
    public = runs_are_open(own.phase, timezone.now())
    producer = Producer.objects.create(sort=Producer.Sort.RUN, name=f"{own.name}, {own.team}"[:200], public=public)
    store_many(producer, Kind(own.task.kind), findings)
    place = {"task": own.task, "phase": own.phase, "team": own.team}
    return Run.objects.create(**place, producer=producer, name=own.name, sort=Run.Sort.UPLOAD)


def note(own: Upload, said: Told) -> None:
    """What the page says of a file that is a run."""
    own.format, own.note, own.warnings = said.format, said.note, as_rows(said.warnings)
    own.unknown, own.unknown_names = said.unknown, [*said.unknown_names]


def refuse(own: Upload, faults: Sequence[FormatError]) -> str:
    """Keep what was wrong, and the file no longer."""
    UploadedFile.objects.filter(upload=own).delete()
    own.state, own.faults = Upload.State.REFUSED, as_rows(faults)
    values = {"state": own.state, "faults": own.faults, "finished": Now()}
    Upload.objects.filter(pk=own.pk, state__in=Upload.OPEN).update(**values)
    return "refused"


def fail(own: Upload) -> str:
    """Our own fault, which is not counted as a try of the team."""
    Upload.objects.filter(pk=own.pk, state__in=Upload.OPEN).update(state=Upload.State.FAILED, finished=Now())
    return "failed"


def as_rows(faults: Sequence[FormatError]) -> list[list[int | str]]:
    return [[own.line, own.column, own.rule, storable(own.message)] for own in faults]


def wake(task: str) -> None:
    """Let a worker do at once what the next sweep would find."""
    transaction.on_commit(lambda: current_app.send_task(task), robust=True)


def withdraw(run: Run) -> None:
    """Take a run of a team back: it counts no more. ChallengeError when the rules of the phase forbid it."""
    if not run.phase.may_withdraw:
        raise ChallengeError("By the rules of this phase a run that was taken in stays; ask an organizer.")
    if run.phase.frozen:
        raise ChallengeError("The phase is frozen: nothing goes in or out until the organizers let it go on.")
    if Run.objects.filter(pk=run.pk, withdrawn__isnull=True).update(withdrawn=Now(), final=False):
        Producer.objects.filter(pk=run.producer_id, sort=Producer.Sort.RUN).update(public=False)
        tell_pages(Calibration.objects.filter(run=run))
        wake(SCORE)


def tag(run: Run, *, final: bool) -> None:
    """Tag a run as final, or take the tag away, as long as the phase is open."""
    phases.refuse_standing(run.phase, timezone.now(), "tag runs")
    if not Run.objects.filter(pk=run.pk, withdrawn__isnull=True).update(final=final):
        raise ChallengeError(f"{run} is withdrawn; tag a run that counts.")


def waiting() -> Sequence[Upload]:
    """What a worker has to take in, the oldest first, without the files."""
    return list(
        Upload.objects.filter(state__in=Upload.OPEN)
        .select_related("task", "team", "phase__corpus", "phase__challenge")
        .order_by("pk")
    )


def content_of(own: Upload) -> bytes:
    """The file of an upload that became a run, byte for byte."""
    return zlib.decompress(bytes(own.file.body))
