"""Write a challenge with all that belongs to it into one archive, which is of use without this site."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.template.loader import render_to_string

from annotations.kinds import Finding, Kind
from bcms.lib.version import VERSION
from evaluation.accessions import WITH_ORGANISMS, organisms_of, swissprot_of
from evaluation.archives import boards, documents
from evaluation.archives.by_hand import by_hand_file, by_hand_lines
from evaluation.archives.commands import Again, again, organisms_file, swissprot_file
from evaluation.archives.labels import labelling_of, labels_file, labels_values
from evaluation.archives.packing import Packer, file_name
from evaluation.archives.parts import Part, RunPart, parts_of
from evaluation.archives.pools import judging_file, judging_values, pool_file, pool_lines
from evaluation.archives.result_lines import SaidByAll, lines_of, said_by
from evaluation.archives.run_tables import run_lines, time_lines
from evaluation.exports import as_csv
from evaluation.models import Challenge, UploadedFile
from evaluation.score_files import right_lines

Progress = Callable[[int, int], object]
Findings = Mapping[str, Sequence[Finding]]


@dataclass(slots=True)
class Named:
    """The databases that a gold standard uses, None without one; the accessions in it, and in it and all runs."""

    databases: frozenset[str] | None = None
    right: set[str] = field(default_factory=set)
    every: set[str] = field(default_factory=set)


def export_challenge(
    challenge: Challenge, sink: Callable[[bytes], object], now: datetime, tell: Progress = lambda done, total: None
) -> str:
    """Write the archive to the sink, piece by piece; the SHA-256 of its list of files.

    The same challenge gives the same bytes. Left out are gold standards that are sealed, runs that were withdrawn, who
    has which account, and of teams that are not named yet everything that would tell them.
    """
    packer, parts = Packer(sink), list(parts_of(challenge, now))
    packer.add_json("challenge.json", documents.challenge_values(challenge, parts))
    add_articles(packer, parts)
    add_labels(packer, parts)
    steps, done = sum(len(part.runs) + 1 for part in parts), 0
    made: list[tuple[Part, Again]] = []
    for part in parts:
        states: dict[int, str] = {}
        named = add_gold(packer, part)
        for own in part.runs:
            states[own.run.pk] = add_run(packer, part, own, named)
            done += 1
            tell(done, steps)
        add_scores(packer, part, states, named)
        add_boards(packer, part, now)
        made.append((part, again(part, states)))
        done += 1
        tell(done, steps)
    packer.add("boards/index.html", boards.index_of(challenge, parts))
    packer.add("README.md", readme(challenge, made))
    return packer.finish(VERSION)


def add_articles(packer: Packer, parts: Sequence[Part]) -> None:
    """The articles of each phase, whatever its tasks."""
    for part in {part.phase.pk: part for part in reversed(parts)}.values():
        packer.add_pieces(f"{part.phase.sort}/articles.tsv", documents.article_lines(part.phase, part))


def add_labels(packer: Packer, parts: Sequence[Part]) -> None:
    """What curators said of the articles of each phase, and authors and curators elsewhere."""
    for part in {part.phase.pk: part for part in reversed(parts)}.values():
        if labelling := labelling_of(part.phase):
            packer.add_json(labels_file(part.phase), labels_values(labelling, part.every))
        if lines := list(by_hand_lines(part.phase, part.every)):
            packer.add_pieces(by_hand_file(part.phase), lines)


def add_gold(packer: Packer, part: Part) -> Named:
    """The gold standard, if it may be seen: to be scored by, and with the articles that do not count."""
    if part.gold is None or part.gold.producer_id is None:
        return Named()
    said = said_by(part.gold.producer_id, part.kind, part.every)
    right = said.findings(part.counted)
    packer.add_pieces(part.gold_file, right_lines(part.gold, part.counted, said))
    if part.kind == Kind.PASSAGE:
        packer.add_pieces(pool_file(part.folder), pool_lines(part))
        packer.add_json(judging_file(part.folder), judging_values(part))
    packer.add_pieces(part.results_file("gold"), lines_of(said))
    databases = frozenset(finding.database for own in right.values() for finding in own)
    accessions = accessions_in(right)
    return Named(databases, accessions, set(accessions))


def accessions_in(said: Findings) -> set[str]:
    own = (finding for findings in said.values() for finding in findings)
    return {name for finding in own for name in (finding.identifier, finding.partner) if name}


def add_run(packer: Packer, part: Part, own: RunPart, named: Named) -> str:
    """The files of one run; the state of its answers."""
    said = said_by(own.run.producer_id, part.kind, part.every)
    counted = said.findings(part.counted)
    packer.add_pieces(part.run_file(own), run_lines(part.kind, counted, named.databases))
    packer.add_pieces(part.results_file(own.stem), lines_of(said))
    add_times(packer, part, own, said)
    if not own.hidden:
        add_upload(packer, part, own)
    named.every |= accessions_in(counted)
    return said.state


def add_times(packer: Packer, part: Part, own: RunPart, said: SaidByAll) -> None:
    seconds = [each.seconds for each in said.of if each.seconds is not None]
    if any(one > 0 for one in seconds):
        packer.add_pieces(f"{part.folder}/times/{own.stem}.tsv", time_lines(own.stem, seconds))


def add_upload(packer: Packer, part: Part, own: RunPart) -> None:
    """The file that the team uploaded, byte for byte."""
    file = UploadedFile.objects.select_related("upload").filter(upload__run=own.run).first()
    if file is not None:
        packer.add(upload_file(part.folder, own.stem, file.upload.source), zlib.decompress(bytes(file.body)))


def upload_file(folder: str, stem: str, source: str) -> str:
    return f"{folder}/uploads/{stem}/{file_name(source)}"


def add_scores(packer: Packer, part: Part, states: Mapping[int, str], named: Named) -> None:
    """All scores, and what the site's tables know of the accessions by which they were made."""
    packer.add_json(f"{part.folder}/scores.json", documents.scores_values(part, states))
    if part.kind not in WITH_ORGANISMS or named.databases is None or len(named.databases) != 1:
        return
    (database,) = named.databases
    organisms = organisms_of(database, sorted(named.every))
    packer.add_pieces(organisms_file(part), (f"{name}\t{taxon}\n" for name, taxon in sorted(organisms.items())))
    if database == "uniprot":
        packer.add_pieces(swissprot_file(part), (f"{name}\n" for name in sorted(swissprot_of(sorted(named.right)))))


def add_boards(packer: Packer, part: Part, now: datetime) -> None:
    sections = boards.sections_of(part, now)
    tables = {own.name: f"{part.board}-{own.name}.csv" for own in sections}
    packer.add(f"boards/{part.board}.html", boards.page_of(part, sections, list(tables.values())))
    packer.add(f"boards/{part.board}.json", boards.data_of(sections))
    for own in sections:
        packer.add(f"boards/{tables[own.name]}", as_csv(own.board))


def readme(challenge: Challenge, made: Sequence[tuple[Part, Again]]) -> str:
    """How to use the archive. Markdown, whose reader escapes nothing: names stand in it as they are."""
    return render_to_string("evaluation/archive/README.md", {"challenge": challenge, "made": made, "version": VERSION})
