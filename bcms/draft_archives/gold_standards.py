"""The gold standards of an archive: read as an uploaded file is, so that those of a test are sealed."""

from collections.abc import Iterator, Mapping, Sequence

from annotations.formats.errors import FormatError, RefusedFileError
from bcms.corpus_files.hidden_quotes import hide_quotes
from bcms.draft_archives.archive_reader import iter_json_lines, read_text_member, refuse_archive
from bcms.draft_archives.parts import DraftPart
from evaluation.archives.errors import ChallengeArchiveError
from evaluation.archives.result_lines import parse_result_records
from evaluation.gold.storage import must_seal_gold, store_gold_sealed_or_open
from evaluation.runs.files.run_writer import iter_gold_tsv_or_pubtator_lines


def store_gold_of_part(part: DraftPart, excluded: Mapping[str, str]) -> None:
    """excluded: the names of articles that do not count. RefusedFileError with the faults of the file; those of a test
    quote nothing of it.
    """
    path = f"{part.folder}/gold.tsv"
    is_sealed = must_seal_gold(part.task, part.phase)
    try:
        text = read_text_member(part.archive, path)
        if part.task.get_settings() is None:
            text += "".join(_iter_lines_of_excluded_articles(part, excluded))
        store_gold_sealed_or_open(
            part.task, part.phase, text.encode(), path, origin="archive", opaque_by_document=part.opaque_by_name
        )
    except RefusedFileError as error:
        raise RefusedFileError(hide_quotes_of_all(error.faults) if is_sealed else error.faults) from None


def hide_quotes_of_all(faults: Sequence[FormatError]) -> list[FormatError]:
    return list(map(hide_quotes, faults))


def _iter_lines_of_excluded_articles(part: DraftPart, excluded: Mapping[str, str]) -> Iterator[str]:
    """The lines that the file would have if these articles counted: gold.tsv of an archive is without them."""
    path = f"{part.folder}/results/gold.jsonl"
    lines = iter_json_lines(part.archive, path) if excluded else iter(())
    of_excluded = [row for row in lines if str(row.get("article")) in excluded and "superseded" not in row]
    try:
        records = parse_result_records(iter(of_excluded), part.kind)
        annotations = {record.article: record.annotations for record in records}
        yield from list(iter_gold_tsv_or_pubtator_lines(part.kind, annotations))
    except (ChallengeArchiveError, AttributeError, KeyError, TypeError, ValueError):
        raise refuse_archive(path, "a line is not that of an article") from None
