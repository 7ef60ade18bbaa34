"""The parts of an archive: each task in each phase, with the rows of the draft that they belong to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from annotations.schema import Kind
from bcms.draft_archives.archive_reader import CHALLENGE_FILE, refuse_archive
from bcms.draft_archives.definition import ArchivedChallenge
from evaluation.archives.zip_reader import CheckedArchive
from evaluation.challenges.models import Challenge, Phase, Task


@dataclass(frozen=True, slots=True)
class DraftPhase:
    """A phase of the draft. articles, opaque_by_name: {name of an article in the archive: its key, its opaque id}."""

    phase: Phase
    articles: Mapping[str, int]
    opaque_by_name: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class DraftPart:
    """folder: of the files of the part in the archive; has_gold: whether its gold standard is one of them."""

    archive: CheckedArchive
    folder: str
    task: Task
    phase: Phase
    articles: Mapping[str, int]
    opaque_by_name: Mapping[str, str]
    has_gold: bool

    @property
    def kind(self) -> Kind:
        return Kind(self.task.kind)


def load_draft_phases(challenge: Challenge, archived: ArchivedChallenge) -> dict[str, DraftPhase]:
    """The phases by type. Corpora have the articles of the archive in its order; those of blind ones are snapshots."""
    phases = {}
    for phase in challenge.phases.select_related("challenge", "corpus"):
        rows = list(phase.corpus.corpusarticle_set.order_by("position").values_list("article_id", "article__opaque"))
        names = list(archived.articles[phase.sort].public)
        pairs = list(zip(names, rows, strict=True))
        phases[phase.sort] = DraftPhase(
            phase, {name: key for name, (key, _) in pairs}, {name: opaque for name, (_, opaque) in pairs}
        )
    return phases


def iter_parts(
    archive: CheckedArchive, challenge: Challenge, archived: ArchivedChallenge, phases: Mapping[str, DraftPhase]
) -> Iterator[DraftPart]:
    """RefusedFileError for a part that is there twice, or whose task or phase the archive does not have.

    Parts do not share files, so that reading all of them takes time in proportion to the archive.
    """
    tasks = {task.name: task for task in challenge.tasks.select_related("challenge")}
    seen: set[tuple[str, str]] = set()
    folders: set[str] = set()
    for row in archived.parts:
        name, sort, folder = (str(row.get(each)) for each in ("task", "phase", "folder"))
        if name not in tasks or sort not in phases or (name, sort) in seen or folder in folders:
            raise refuse_archive(CHALLENGE_FILE, "a part is not one task of the archive in one of its phases")
        seen.add((name, sort))
        folders.add(folder)
        of_phase = phases[sort]
        yield DraftPart(
            *(archive, folder, tasks[name], of_phase.phase, of_phase.articles, of_phase.opaque_by_name),
            has_gold=row.get("gold") is not None,
        )
