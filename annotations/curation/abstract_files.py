"""The formats of files with digital abstracts. REST, the pages and the manual use this table."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric import rsa

from annotations.digital_abstract_json import build_abstract_json
from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.formats.digital_abstracts.html_writer import write_abstract_html
from annotations.formats.digital_abstracts.sentences import list_sentences
from annotations.formats.mitab.abstract_writer import write_abstracts_as_mitab
from annotations.formats.psi_mi_xml.vocabulary import PsiMiVersion
from annotations.formats.psi_mi_xml.writer import write_psi_mi_xml
from annotations.formats.zip.writer import ZipArchiveWriter
from annotations.nanopublications.errors import NanopublicationError
from annotations.nanopublications.signing import write_signed_nanopublications

AbstractWriter = Callable[[Iterable[ExportedAbstract]], Iterator[bytes]]
NANOPUBLICATIONS = "nanopublications"
NOTHING_TO_RECORD = "The article was read, and has nothing to record."
NO_INTERACTION = "The record has no interactions."


@dataclass(frozen=True, slots=True)
class AbstractFileFormat:
    """slug: its name in URLs. suffix: without the dot. write: encodes records; note: what the file has and has not.

    packed: whether the format is compressed itself.
    """

    slug: str
    name: str
    media_type: str
    suffix: str
    write: AbstractWriter
    note: str
    packed: bool = False


def _encode_writer(write: Callable[[Iterable[ExportedAbstract]], Iterator[str]]) -> AbstractWriter:
    return lambda abstracts: (text.encode() for text in write(abstracts))


def format_abstract_reference(exported: ExportedAbstract) -> str:
    """The reference that people look an article up by: PMID 16054130, a PMCID, a DOI, or its id on this site."""
    ids = exported.article.ids
    if ids.pmid:
        return f"PMID {ids.pmid}"
    return ids.pmcid or (f"doi:{ids.doi}" if ids.doi else exported.article.id)


def write_sentences(abstracts: Iterable[ExportedAbstract]) -> Iterator[str]:
    """For each article a line with its reference, then a line for each sentence; an empty line between articles."""
    for number, exported in enumerate(abstracts):
        otherwise = NOTHING_TO_RECORD if exported.abstract.nothing_found else NO_INTERACTION
        lines = [format_abstract_reference(exported), *(list_sentences(exported) or [otherwise])]
        yield "\n" * (number > 0) + "".join(f"{line}\n" for line in lines)


def write_abstracts_as_ndjson(abstracts: Iterable[ExportedAbstract]) -> Iterator[str]:
    """A line for each article: its identifiers, the record as in REST, and its sentences."""
    for exported in abstracts:
        yield json.dumps(build_article_record_json(exported), ensure_ascii=False) + "\n"


def build_article_record_json(exported: ExportedAbstract) -> dict[str, object]:
    """The record of an article with its identifiers and sentences."""
    article = exported.article
    return {
        "article": article.id,
        "pmid": article.ids.pmid,
        "pmcid": article.ids.pmcid,
        "doi": article.ids.doi,
        "url": exported.url,
        **build_abstract_json(exported.abstract),
        "sentences": list_sentences(exported),
    }


def _write_html_page(abstracts: Iterable[ExportedAbstract]) -> Iterator[str]:
    for exported in abstracts:
        yield write_abstract_html(exported, list_sentences(exported))


def write_html_archive(abstracts: Iterable[ExportedAbstract]) -> Iterator[bytes]:
    """A zip archive with a page for each article."""
    archive = ZipArchiveWriter()
    for exported in abstracts:
        archive.add(exported.article.id, "html", write_abstract_html(exported, list_sentences(exported)))
        yield archive.take_bytes()
    yield archive.finish()


def _make_nanopublication_writer(key: rsa.RSAPrivateKey, licence_url: str) -> AbstractWriter:
    def write(abstracts: Iterable[ExportedAbstract]) -> Iterator[str]:
        for exported in abstracts:
            yield from _iter_nanopublications(exported, key, licence_url)

    return _encode_writer(write)


def _iter_nanopublications(exported: ExportedAbstract, key: rsa.RSAPrivateKey, licence_url: str) -> Iterator[str]:
    """Those of one record; a comment in place of each that cannot be signed."""
    published = datetime.fromisoformat(exported.abstract.updated)
    for interaction in exported.abstract.interactions:
        alone = replace(exported, abstract=replace(exported.abstract, interactions=(interaction,)))
        try:
            yield from write_signed_nanopublications(alone, list_sentences(alone), published, key, licence_url)
        except NanopublicationError as error:
            yield f"# {format_abstract_reference(exported)}: {' '.join(str(error).split())}\n"


MITAB_NOTE = (
    "A line for each two participants and each method; complexes are expanded. Organisms, annotations and contributors "
    "of the record are left out, and records without interactions."
)
PSI_MI_NOTE = "Everything in the record. Records without interactions are left out, because PSI-MI has none."
_FORMATS = (
    AbstractFileFormat(
        "sentences",
        "Sentences",
        "text/plain",
        "txt",
        _encode_writer(write_sentences),
        "One sentence for each interaction. Passages, comments and confidences are left out.",
    ),
    AbstractFileFormat(
        "ndjson",
        "NDJSON",
        "application/x-ndjson",
        "ndjson",
        _encode_writer(write_abstracts_as_ndjson),
        "A line of JSON for each article: everything in the record, with the sentences.",
    ),
    AbstractFileFormat(
        "mitab",
        "PSI-MITAB 2.7",
        "text/tab-separated-values",
        "mitab.tsv",
        _encode_writer(write_abstracts_as_mitab),
        MITAB_NOTE,
    ),
    *(
        AbstractFileFormat(
            f"psi-mi-xml-{version.value}",
            f"PSI-MI XML {version.value}",
            "application/xml",
            "xml",
            _encode_writer(lambda abstracts, version=version: write_psi_mi_xml(abstracts, version)),  # type: ignore[misc]
            PSI_MI_NOTE,
        )
        for version in PsiMiVersion
    ),
)
HTML_NOTE = "A page with the passages, and with metadata of schema.org (JSON-LD) that search engines read."
_HTML_PAGE = AbstractFileFormat("html", "HTML", "text/html", "html", _encode_writer(_write_html_page), HTML_NOTE)
_HTML_ARCHIVE = AbstractFileFormat(
    "html", "HTML", "application/zip", "zip", write_html_archive, f"An archive. {HTML_NOTE}", packed=True
)


def build_abstract_formats(
    key: rsa.RSAPrivateKey | None, licence_url: str, *, of_one_article: bool
) -> Mapping[str, AbstractFileFormat]:
    """The formats by slug; nanopublications only with a key to sign them with."""
    formats = [*_FORMATS, _HTML_PAGE if of_one_article else _HTML_ARCHIVE]
    if key is not None:
        write = _make_nanopublication_writer(key, licence_url)
        note = "A signed nanopublication for each interaction, with its provenance."
        formats.append(
            AbstractFileFormat(NANOPUBLICATIONS, "Nanopublications", "application/trig", "trig", write, note)
        )
    return {each.slug: each for each in formats}
