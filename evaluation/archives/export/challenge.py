"""Write a challenge and everything that belongs to it into an archive that can be used without this site."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.template.loader import render_to_string

from annotations.schema import AnnotationData, Kind
from bcms.lib.version import VERSION
from evaluation.archives.export import boards, documents
from evaluation.archives.export.command_lines import (
    ArchiveReproduction,
    build_reproduction_commands_and_outdated_runs,
    format_organisms_path,
    format_swissprot_path,
)
from evaluation.archives.labels import (
    build_labels_document_without_curator_names,
    find_publishable_labelling,
    format_labels_path,
)
from evaluation.archives.manual_annotations import (
    format_manual_annotations_path,
    iter_publishable_manual_annotations_jsonl,
)
from evaluation.archives.parts import ArchivedRun, ArchivePart, format_uploaded_file_path, iter_parts_per_phase_and_task
from evaluation.archives.pictures import build_picture_documents, load_pictures, pack_pictures
from evaluation.archives.pools import (
    build_pseudonymous_judging_document,
    format_judging_path,
    format_pool_path,
    iter_decided_passage_json_lines,
)
from evaluation.archives.result_lines import iter_result_record_json_lines
from evaluation.archives.signatures import add_signature
from evaluation.archives.zip_writer import ArchiveWriter
from evaluation.challenges.models import Challenge
from evaluation.leaderboards.exports import format_board_csv
from evaluation.leaderboards.mean_ranks.board import format_mean_rank_csv
from evaluation.leaderboards.reproduction.score_files import iter_gold_or_verdict_file_lines
from evaluation.measures.scored_annotations import collect_databases
from evaluation.runs.files.open_writer import iter_open_bioc_lines
from evaluation.runs.files.run_writer import iter_positive_time_tsv_lines, list_run_tsv_or_pubtator_lines
from evaluation.runs.uploads.models import UploadedFile
from evaluation.scoring.accession_tables import (
    KINDS_WITH_ORGANISMS,
    filter_swissprot_accessions,
    find_taxa_by_accession,
)
from evaluation.scoring.result_records import (
    ResultRecords,
    load_current_records_of_named_articles,
    load_task_records_of_named_articles,
)

ReportExportProgress = Callable[[int, int], object]
ExportedAnnotations = Mapping[str, Sequence[AnnotationData]]


@dataclass(slots=True)
class GoldAccessions:
    """The databases of a gold standard, None without one, and the accessions in it and in the runs.

    counted_gold: the gold standard, {article name: annotations} of the articles that count.
    """

    databases: frozenset[str] | None = None
    in_gold: set[str] = field(default_factory=set)
    in_gold_and_runs: set[str] = field(default_factory=set)
    counted_gold: ExportedAnnotations = field(default_factory=dict)


def write_publishable_archive_returning_manifest_hash(
    challenge: Challenge,
    write_bytes: Callable[[bytes], object],
    now: datetime,
    report_progress: ReportExportProgress = lambda done, total: None,
) -> str:
    """Write the archive with write_bytes, piece by piece. Returns the SHA-256 of its manifest.

    The same challenge gives the same bytes, which are signed if the site has a key. Sealed gold standards, withdrawn
    runs and user accounts are left out, and everything that would identify a team that is still anonymous.
    """
    writer, parts = ArchiveWriter(write_bytes), list(iter_parts_per_phase_and_task(challenge, now))
    pictures = load_pictures(challenge)
    document = documents.build_challenge_tasks_phases_and_teams_document(challenge, parts)
    writer.add_json("challenge.json", document | build_picture_documents(pictures))
    pack_pictures(writer, pictures)
    _pack_articles(writer, parts)
    _pack_labels_and_manual_annotations(writer, parts)
    steps, done = sum(len(part.runs) + 1 for part in parts), 0
    reproductions: list[tuple[ArchivePart, ArchiveReproduction]] = []
    for part in parts:
        states: dict[int, str] = {}
        accessions = _pack_publishable_gold(writer, part)
        for archived_run in part.runs:
            states[archived_run.run.pk] = _pack_run(writer, part, archived_run, accessions)
            done += 1
            report_progress(done, steps)
        _pack_scores(writer, part, states, accessions)
        _pack_boards(writer, part, now)
        reproductions.append((part, build_reproduction_commands_and_outdated_runs(part, states)))
        done += 1
        report_progress(done, steps)
    mean_rank_boards = boards.build_public_mean_rank_boards(parts, now)
    for board in mean_rank_boards:
        writer.add(f"boards/{board.phase.sort}-mean-ranks.csv", format_mean_rank_csv(board))
    page = boards.render_archived_boards_index_page(challenge, parts, mean_rank_boards, pictures)
    writer.add("boards/index.html", page)
    writer.add("README.md", _render_archive_readme(challenge, reproductions))
    if settings.NANOPUB_KEY is not None:
        add_signature(writer, settings.NANOPUB_KEY)
    return writer.finish(VERSION)


def _pack_articles(writer: ArchiveWriter, parts: Sequence[ArchivePart]) -> None:
    """Write the articles of each phase, once for all its tasks."""
    for part in {part.phase.pk: part for part in reversed(parts)}.values():
        writer.add_pieces(
            f"{part.phase.sort}/articles.tsv",
            documents.iter_articles_tsv_hiding_unpublished_blind_ids(part.phase, part),
        )


def _pack_labels_and_manual_annotations(writer: ArchiveWriter, parts: Sequence[ArchivePart]) -> None:
    """Write the labels of curators and the imported manual annotations of each phase."""
    for part in {part.phase.pk: part for part in reversed(parts)}.values():
        if labelling := find_publishable_labelling(part.phase):
            writer.add_json(
                format_labels_path(part.phase),
                build_labels_document_without_curator_names(labelling, part.article_names),
            )
        if lines := list(iter_publishable_manual_annotations_jsonl(part.phase, part.article_names)):
            writer.add_pieces(format_manual_annotations_path(part.phase), lines)


def _pack_publishable_gold(writer: ArchiveWriter, part: ArchivePart) -> GoldAccessions:
    """Write the gold standard if it is public: for scoring, and with the articles that do not count."""
    if part.gold is None or part.gold.producer_id is None:
        return GoldAccessions()
    records = load_current_records_of_named_articles(part.gold.producer_id, part.kind, part.article_names)
    counted = records.group_counted_annotations(part.counted)
    writer.add_pieces(part.gold_file, iter_gold_or_verdict_file_lines(part.gold, part.counted, records))
    if part.kind == Kind.PASSAGE:
        writer.add_pieces(format_pool_path(part.folder), iter_decided_passage_json_lines(part))
        writer.add_json(format_judging_path(part.folder), build_pseudonymous_judging_document(part))
    writer.add_pieces(part.format_results_path("gold"), iter_result_record_json_lines(records))
    databases = collect_databases(counted)
    accessions = _collect_accession_set(counted)
    return GoldAccessions(databases, accessions, set(accessions), counted)


def _collect_accession_set(annotations_by_article: ExportedAnnotations) -> set[str]:
    flat = (annotation for annotations in annotations_by_article.values() for annotation in annotations)
    return {name for annotation in flat for name in (annotation.identifier, annotation.partner) if name}


def _pack_run(writer: ArchiveWriter, part: ArchivePart, archived_run: ArchivedRun, accessions: GoldAccessions) -> str:
    """Write the files of a run. Returns the state of its answers."""
    records = load_task_records_of_named_articles(archived_run.run.producer_id, part.task, part.article_names)
    counted = records.group_counted_annotations(part.counted)
    settings = part.task.get_settings()
    lines = (
        list_run_tsv_or_pubtator_lines(part.kind, counted, accessions.databases)
        if settings is None
        else iter_open_bioc_lines(part.kind, settings, counted, accessions.counted_gold)
    )
    writer.add_pieces(part.format_run_path(archived_run), lines)
    writer.add_pieces(part.format_results_path(archived_run.stem), iter_result_record_json_lines(records))
    _pack_call_times(writer, part, archived_run, records)
    if not archived_run.hidden:
        _pack_uploaded_file(writer, part, archived_run)
    accessions.in_gold_and_runs |= _collect_accession_set(counted)
    return records.state


def _pack_call_times(
    writer: ArchiveWriter, part: ArchivePart, archived_run: ArchivedRun, records: ResultRecords
) -> None:
    seconds = [record.seconds for record in records.records if record.seconds is not None]
    if any(duration > 0 for duration in seconds):
        writer.add_pieces(
            f"{part.folder}/times/{archived_run.stem}.tsv", iter_positive_time_tsv_lines(archived_run.stem, seconds)
        )


def _pack_uploaded_file(writer: ArchiveWriter, part: ArchivePart, archived_run: ArchivedRun) -> None:
    """Write the file that the team uploaded, byte for byte."""
    file = UploadedFile.objects.select_related("upload").filter(upload__run=archived_run.run).first()
    if file is not None:
        writer.add(
            format_uploaded_file_path(part.folder, archived_run.stem, file.upload.source),
            zlib.decompress(bytes(file.body)),
        )


def _pack_scores(
    writer: ArchiveWriter, part: ArchivePart, states: Mapping[int, str], accessions: GoldAccessions
) -> None:
    """Write all scores, and the site's tables of accessions that they depend on."""
    writer.add_json(f"{part.folder}/scores.json", documents.build_runs_scores_and_rankings_document(part, states))
    if part.kind not in KINDS_WITH_ORGANISMS or accessions.databases is None or len(accessions.databases) != 1:
        return
    (database,) = accessions.databases
    organisms = find_taxa_by_accession(database, sorted(accessions.in_gold_and_runs))
    writer.add_pieces(format_organisms_path(part), (f"{name}\t{taxon}\n" for name, taxon in sorted(organisms.items())))
    if database == "uniprot":
        writer.add_pieces(
            format_swissprot_path(part),
            (f"{name}\n" for name in sorted(filter_swissprot_accessions(sorted(accessions.in_gold)))),
        )


def _pack_boards(writer: ArchiveWriter, part: ArchivePart, now: datetime) -> None:
    sections = boards.build_public_boards_by_scenario_and_average(part, now)
    tables = {section.name: f"{part.board}-{section.name}.csv" for section in sections}
    writer.add(f"boards/{part.board}.html", boards.render_archived_boards_page(part, sections, list(tables.values())))
    writer.add(f"boards/{part.board}.json", boards.format_boards_and_pair_tests_json(sections))
    for section in sections:
        writer.add(f"boards/{tables[section.name]}", format_board_csv(section.board))


def _render_archive_readme(
    challenge: Challenge, reproductions: Sequence[tuple[ArchivePart, ArchiveReproduction]]
) -> str:
    """Render how to use the archive, as Markdown; names are not escaped."""
    return render_to_string(
        "evaluation/archives/archive_files/README.md",
        {
            "challenge": challenge,
            "made": reproductions,
            "version": VERSION,
            "signed": settings.NANOPUB_KEY is not None,
            "site": settings.SITE_URL,
        },
    )
