"""What exports write about an article besides its text and annotations: its ID, reference and passages, as JSON.

Members: article (its ID on the site), text_version, pmid, pmcid, doi, journal, year, authors, and passages with type,
start and end in code points of the text. Members that are empty are left out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from annotations.formats.articles.annotated_article import AnnotatedArticle
from annotations.formats.articles.parsed_article import LONGEST_TYPE

Division = tuple[int, int, str]
REFERENCE_MEMBERS = ("pmid", "pmcid", "doi", "journal", "year")


@dataclass(frozen=True, slots=True)
class ArticleRecord:
    """An article record as read.

    infons: ID and reference by the normalized keys of BioC infons; divisions: (start, end, type) of the passages.
    """

    id: str
    infons: Mapping[str, str]
    divisions: tuple[Division, ...]


def build_article_record(article: AnnotatedArticle) -> dict[str, object]:
    """The record of an article, for json.dumps."""
    members = {
        "pmid": article.ids.pmid,
        "pmcid": article.ids.pmcid,
        "doi": article.ids.doi,
        "journal": article.journal,
        "year": article.year,
        "authors": list(article.authors),
    }
    passages = [
        {"type": passage.type, "start": start, "end": start + len(passage.text)}
        for start, passage in article.iter_passage_offsets()
    ]
    present = {name: value for name, value in members.items() if value}
    return {"article": article.id, "text_version": article.text_version, **present, "passages": passages}


def parse_article_record_or_none(value: object) -> ArticleRecord | None:
    """The record that a JSON value is; None if it is none. Members of other types are skipped."""
    if not isinstance(value, dict) or not isinstance(value.get("article"), str) or "passages" not in value:
        return None
    texts = {name: str(value[name]) for name in REFERENCE_MEMBERS if isinstance(value.get(name), str | int)}
    authors, passages = value.get("authors"), value["passages"]
    infons = {
        "articleidpmid": texts.get("pmid", ""),
        "articleidpmc": texts.get("pmcid", ""),
        "articleiddoi": texts.get("doi", ""),
        "journaltitle": texts.get("journal", ""),
        "year": texts.get("year", ""),
        "authors": ", ".join(filter(_is_text, authors)) if isinstance(authors, list) else "",
    }
    divisions = map(_parse_division_or_none, passages if isinstance(passages, list) else ())
    return ArticleRecord(value["article"], infons, tuple(filter(None, divisions)))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _parse_division_or_none(passage: object) -> Division | None:
    if not isinstance(passage, dict):
        return None
    start, end, passage_type = passage.get("start"), passage.get("end"), passage.get("type")
    if type(start) is not int or type(end) is not int or not isinstance(passage_type, str):
        return None
    return start, end, passage_type[:LONGEST_TYPE]
