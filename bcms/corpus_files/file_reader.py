"""Read a corpus file: its articles, and what its annotations suggest."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

from annotations.articles.imports.article_files import unpack_if_gzipped_within_limit
from annotations.articles.imports.article_storage import ArticleStorageError
from annotations.entity_types import fold_type_spelling
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.articles.article_sniffing import ANNOTATED_ARTICLE_FORMATS
from annotations.formats.articles.parsed_article import ArticleIds
from annotations.schema import Kind
from bcms.article_uploads.article_import import LARGEST_UNPACKED, ParsedArticleFile, parse_article_file
from bcms.article_uploads.forms import FORMAT_TITLES
from bcms.corpus_files.hidden_quotes import hide_quotes
from bcms.corpus_files.proposals import CorpusProposal, TaskProposal, propose_tasks
from evaluation.runs.files.text_annotations import TextAnnotation, list_text_annotations

MOST_LISTED = 5
# Longer than what the page shows of the title of an article.
LONGEST_LISTED = 200
MOST_WARNINGS = 200


@dataclass(frozen=True, slots=True)
class ReadCorpusFile:
    """The parsed articles of a file, not stored yet, the unpacked file, and what can be set up from it."""

    articles: ParsedArticleFile
    content: bytes
    proposal: CorpusProposal


def read_corpus_file(content: bytes, file_name: str, *, secret: bool = False) -> ReadCorpusFile:
    """Read a file of articles in any format. FormatError, RefusedFileError or ArticleStorageError if it cannot be.

    secret: whether the proposal neither quotes nor counts the annotations.
    """
    parsed = parse_article_file(BytesIO(content), file_name)
    unpacked = unpack_if_gzipped_within_limit(BytesIO(content), file_name, LARGEST_UNPACKED)
    warnings, tasks = list(parsed.of_reader), []
    left_out: list[str] = []
    if result_format := ANNOTATED_ARTICLE_FORMATS.get(parsed.format):
        annotated = ANNOTATED_TEXT_FORMATS[result_format].read(unpacked, file_name)
        found = list_text_annotations(annotated)
        tasks = propose_tasks(found, with_numbers=not secret)
        left_out = _list_warnings_of_label_sets(found, tasks)
        warnings = [*annotated.warnings, *warnings]
    shown = list(dict.fromkeys([*left_out, *map(str, map(hide_quotes, warnings) if secret else warnings)]))
    named = [
        *((_format_ids(each.ids) or each.source_id or "no identifier", each.passages) for each in parsed.articles),
        *((str(each.pmid), each.passages) for each in parsed.citations),
    ]
    if not named:
        raise ArticleStorageError("The file has no articles. Choose another file.")
    first = [
        (name[:LONGEST_LISTED], passages[0].text[:LONGEST_LISTED] if passages else "")
        for name, passages in named[:MOST_LISTED]
    ]
    proposal = CorpusProposal(FORMAT_TITLES[parsed.format], len(named), first, shown[:MOST_WARNINGS], tasks)
    return ReadCorpusFile(parsed, unpacked.getvalue(), proposal)


def _list_warnings_of_label_sets(found: Sequence[TextAnnotation], tasks: Sequence[TaskProposal]) -> list[str]:
    """The warning that some sets are not proposed, if there are any."""
    sets = {fold_type_spelling(each.annotation.type) for each in found if each.annotation.kind is Kind.LABEL}
    left_out = len(sets) - sum(task.kind == Kind.LABEL for task in tasks)
    return [f"Not proposed: {left_out:,} sets of labels, which have few labels, no name or a long one."] * bool(
        left_out
    )


def _format_ids(ids: ArticleIds) -> str:
    return str(ids.pmid or ids.pmcid or ids.doi or "")
