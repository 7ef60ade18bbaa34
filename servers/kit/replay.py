"""An annotation server that says again what a file says: python -m servers.kit.replay FILE --port 9200

FILE is PubTator, BioC (XML or JSON) or PubAnnotation, packed by gzip or not. Mentions keep their places and, with
--protocol rest, their types, for which XML-RPC has no word; genes and organisms with an identifier are said of the
whole article too, those mentioned most often first. An article that the file does not have is answered with nothing.
--names FILE has lines of document and PMID, for files that number their documents themselves.
"""

import argparse
import gzip
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from annotations.databases import DATABASES
from annotations.formats.annotated_text import TEXT_FORMATS
from annotations.formats.errors import RefusedFileError
from annotations.formats.mentions import Mention, Mentions
from annotations.formats.sniffing import format_of
from annotations.formats.text_results import GENE_TYPES, SPECIES_TYPES, counts_as
from annotations.kinds import Finding, Kind
from servers.kit.articles import KitArticle
from servers.kit.serving import HANDLERS, serve

GZIP = b"\x1f\x8b"


class Replay:
    """Answers with what a file says. names: {document of the file: what the meta-server calls the article}."""

    def __init__(self, own: Mentions, names: Mapping[str, str]) -> None:
        self.mentions: dict[str, list[Mention]] = {}
        for mention in own.mentions:
            self.mentions.setdefault(names.get(mention.document, mention.document), []).append(mention)

    def __call__(self, article: KitArticle) -> Iterator[Finding]:
        mentions = self.mentions.get(article.identifier, [])
        yield from spans(mentions, article.text)
        yield from entries(mentions)


def spans(mentions: Sequence[Mention], text: str) -> Iterator[Finding]:
    """Each place once, under the first type that the file gives it; what stands there is the article's own text."""
    said = set()
    for mention in mentions:
        place = (mention.start, mention.end)
        if place not in said:
            said.add(place)
            there = text[mention.start : mention.end] or mention.text
            yield Finding(Kind.MENTION, start=mention.start, end=mention.end, text=there, type=mention.type)


def entries(mentions: Sequence[Mention]) -> Iterator[Finding]:
    """Genes, proteins and organisms of the article with their ranks: by number of mentions, then by first place."""
    for kind, types in ((Kind.NORMALIZATION, GENE_TYPES), (Kind.TAXON, SPECIES_TYPES)):
        counted = Counter(
            entry
            for mention in sorted(mentions, key=lambda mention: mention.start)
            if counts_as(mention.type, types)
            for name in mention.identifiers
            if (entry := entry_of(kind, name)) is not None
        )
        for rank, ((database, identifier), _) in enumerate(counted.most_common(), 1):
            yield Finding(kind, database=database, identifier=identifier, rank=rank)


def entry_of(kind: Kind, identifier: str) -> tuple[str, str] | None:
    """The database whose form the identifier has; None when it has none of them."""
    databases = ("ncbitaxon",) if kind == Kind.TAXON else ("ncbigene", "uniprot")
    fitting = [database for database in databases if DATABASES[database].pattern.fullmatch(identifier)]
    return (fitting[0], identifier) if fitting else None


def read_mentions(path: Path) -> Mentions:
    """What the file says. RefusedFileError with its faults; ValueError when it is in no format of annotated text."""
    with opened(path) as stream:
        found = TEXT_FORMATS.get(format_of(stream))
        if found is None:
            known = ", ".join(each.name for each in TEXT_FORMATS.values())
            raise ValueError(f"{path} is in none of the formats of annotated text: {known}.")
        return found.read(stream, path.name)


def opened(path: Path) -> BinaryIO:
    with path.open("rb") as stream:
        packed = stream.read(2) == GZIP
    return gzip.open(path, "rb") if packed else path.open("rb")  # type: ignore[return-value]


def read_names(path: Path) -> dict[str, str]:
    """{document: PMID} of lines with a tab between. ValueError for a line that is none."""
    names = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        document, tab, pmid = line.partition("\t")
        if not tab:
            raise ValueError(f"{path}:{number} has no tab: write the document, a tab and the PMID.")
        names[document] = pmid.strip()
    return names


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the file. What cannot be read ends it with a sentence and status 1."""
    parser = argparse.ArgumentParser(prog="python -m servers.kit.replay", description="Serve what a file says.")
    parser.add_argument("file", type=Path, help="PubTator, BioC or PubAnnotation, packed by gzip or not")
    parser.add_argument("--names", type=Path, help="lines of document and PMID")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--protocol", choices=list(HANDLERS), default="bcms", help="rest tells the types of mentions")
    parser.add_argument("--delay", type=float, default=0.0, metavar="S", help="seconds added to each call")
    options = parser.parse_args(arguments)
    try:
        replay = Replay(read_mentions(options.file), read_names(options.names) if options.names else {})
    except RefusedFileError as refused:
        sys.exit("\n".join(map(str, refused.faults)))
    except (OSError, ValueError) as error:
        sys.exit(f"The file cannot be served: {error}")
    serve(replay, port=options.port, protocol=options.protocol, delay=options.delay)


if __name__ == "__main__":
    main()
