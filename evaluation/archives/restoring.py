"""Restore a challenge from its archive: all of it, or nothing; what is stored already is not stored again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.utils.timezone import now

from annotations.models import Article
from evaluation.archives import values
from evaluation.archives.by_hand import by_hand_file, restore_by_hand
from evaluation.archives.labels import labels_file, restore_labels
from evaluation.archives.models import Restored
from evaluation.archives.restoring_articles import Articles, corpus_of, find_articles
from evaluation.archives.restoring_runs import Place, restore_runs
from evaluation.archives.restoring_teams import restore_teams
from evaluation.archives.unpacking import ANEW, ArchiveError, Unpacked, opened
from evaluation.archives.values import row_of
from evaluation.challenges import take_corpus
from evaluation.measures.registry import BY_NAME
from evaluation.models import Challenge, ExcludedArticle, Phase, PhaseEvent, Task

ODD = f"challenge.json or scores.json in the archive does not say what it should: {ANEW}."


@dataclass(slots=True)
class Report:
    """What became of an archive; again: nothing, as it was restored before.

    made: articles that were not here and have no text yet; teams_here: teams of whom runs were restored and who were
    here before; without_gold: tasks whose scores could not be restored.
    """

    challenge: Challenge
    again: bool = False
    runs: int = 0
    scores: int = 0
    made: list[str] = field(default_factory=list)
    teams_here: list[str] = field(default_factory=list)
    without_gold: list[str] = field(default_factory=list)


def import_challenge(path: Path, slug: str = "") -> Report:
    """Restore the challenge in an archive; slug: its name in addresses here, that in the archive if empty.

    ArchiveError, and nothing is stored, when the archive is damaged or a challenge of that name is here already.
    """
    with opened(path) as archive:
        try:
            with transaction.atomic():
                return restored(archive, slug)
        except (KeyError, TypeError, ValueError, AttributeError, DataError, IntegrityError):
            raise ArchiveError(ODD) from None


def restored(archive: Unpacked, slug: str) -> Report:
    told = archive.json("challenge.json")
    challenge = row_of(Challenge, told["challenge"], values.CHALLENGE)
    challenge.slug = slug or challenge.slug
    if here := Challenge.objects.filter(slug=challenge.slug).first():
        return seen_before(here, archive)
    challenge.save()
    Restored.objects.create(challenge=challenge, checksum=archive.checksum)
    report = Report(challenge)
    restore_parts(archive, told, report)
    return report


def seen_before(here: Challenge, archive: Unpacked) -> Report:
    if Restored.objects.filter(challenge=here, checksum=archive.checksum).exists():
        return Report(here, again=True)
    raise ArchiveError(
        f"There is another challenge {here.slug} here already; give this one another name in addresses, --slug NAME."
    )


def restore_parts(archive: Unpacked, told: Mapping[str, Any], report: Report) -> None:
    challenge = report.challenge
    teams = restore_teams(told["teams"], challenge)
    report.teams_here = teams.here
    tasks = {own["name"]: task_of(own, challenge) for own in told["tasks"]}
    Task.objects.bulk_create(tasks.values())
    phases: dict[str, Phase] = {}
    articles: dict[str, Articles] = {}
    for own in told["phases"]:
        found = find_articles(archive, own["sort"], blind=own["corpus"]["blind"] is True)
        report.made += found.made
        articles[own["sort"]] = found
        phases[own["sort"]] = phase = restore_phase(own, challenge, found)
        if labels_file(phase) in archive.names:
            restore_labels(archive, phase, found.by_name)
        if by_hand_file(phase) in archive.names:
            restore_by_hand(archive, phase, found.by_name)
    for own in told["parts"]:
        place = Place(archive, own["folder"], tasks[own["task"]], phases[own["phase"]], articles[own["phase"]].by_name)
        counts = restore_runs(place, own["gold"], teams)
        report.runs += counts.runs
        report.scores += counts.scores
        report.without_gold += [f"{own['task']} {own['phase']}"] if counts.lacking else []


def task_of(told: Mapping[str, Any], challenge: Challenge) -> Task:
    """KeyError when it names a measure that there is not."""
    task = row_of(Task, told, values.TASK, challenge=challenge)
    for name in (task.primary, *task.further):
        BY_NAME[name]
    return task


def restore_phase(own: Mapping[str, Any], challenge: Challenge, articles: Articles) -> Phase:
    """A phase with its corpus and what was done to it. Names that were hidden in the archive stay numbers."""
    corpus = corpus_of(own["corpus"], articles, f"{challenge.slug}-{own['sort']}")
    phase = row_of(Phase, own, values.PHASE, challenge=challenge, corpus=corpus)
    if phase.names_shown and phase.names_shown > now():
        phase.names_shown = None
    phase.save()
    if corpus.blind:
        take_corpus(challenge, corpus)
    PhaseEvent.objects.bulk_create(row_of(PhaseEvent, event, values.EVENT, phase=phase) for event in own["events"])
    ExcludedArticle.objects.bulk_create(excluded(own["excluded"], phase, articles.by_name))
    return phase


def excluded(rows: Sequence[Mapping[str, Any]], phase: Phase, articles: Mapping[str, Article]) -> list[ExcludedArticle]:
    return [
        row_of(ExcludedArticle, own, values.EXCLUDED, phase=phase, article=articles[own["article"]]) for own in rows
    ]
