"""Read a corpus file: its articles, and what its annotations suggest."""

from dataclasses import dataclass
from io import BytesIO

from annotations.articles.imports.article_files import unpack_if_gzipped_within_limit
from annotations.formats.annotated_text.readers import ANNOTATED_TEXT_FORMATS
from annotations.formats.articles.article_sniffing import ANNOTATED_ARTICLE_FORMATS
from annotations.formats.articles.parsed_article import ArticleIds
from bcms.article_uploads.article_import import LARGEST_UNPACKED, ParsedArticleFile, parse_article_file
from bcms.article_uploads.forms import FORMAT_TITLES
from bcms.corpus_files.proposals import CorpusProposal, propose_tasks
from evaluation.runs.files.text_annotations import list_text_annotations

MOST_LISTED = 5
MOST_WARNINGS = 200


@dataclass(frozen=True, slots=True)
class ReadCorpusFile:
    """The parsed articles of a file, not stored yet, the unpacked file, and what can be set up from it."""

    articles: ParsedArticleFile
    content: bytes
    proposal: CorpusProposal


def read_corpus_file(content: bytes, file_name: str) -> ReadCorpusFile:
    """Read a file of articles in any format. FormatError or RefusedFileError if it cannot be read."""
    parsed = parse_article_file(BytesIO(content), file_name)
    unpacked = unpack_if_gzipped_within_limit(BytesIO(content), file_name, LARGEST_UNPACKED)
    warnings, tasks = list(parsed.warnings), []
    if result_format := ANNOTATED_ARTICLE_FORMATS.get(parsed.format):
        annotated = ANNOTATED_TEXT_FORMATS[result_format].read(unpacked, file_name)
        tasks = propose_tasks(list_text_annotations(annotated))
        # Articles have no annotations of the file, but the gold standards do.
        warnings = [str(warning) for warning in annotated.warnings]
    named = [
        *((_format_ids(each.ids) or each.source_id or "no identifier", each.passages) for each in parsed.articles),
        *((str(each.pmid), each.passages) for each in parsed.citations),
    ]
    first = [(name, passages[0].text if passages else "") for name, passages in named[:MOST_LISTED]]
    proposal = CorpusProposal(FORMAT_TITLES[parsed.format], len(named), first, warnings[:MOST_WARNINGS], tasks)
    return ReadCorpusFile(parsed, unpacked.getvalue(), proposal)


def _format_ids(ids: ArticleIds) -> str:
    return str(ids.pmid or ids.pmcid or ids.doi or "")
