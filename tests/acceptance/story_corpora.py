"""Abstracts for a challenge about organisms: real ones with what two real systems found, or small made-up ones.

The real ones are the training part of tmVar 3 (Wei et al. 2022) and outputs of PubTator Central and BERN2; they are not
part of the project, and without them that is said aloud.
"""

import gzip
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.schema import AnnotationData, Kind
from tests.shared_data import FOLDER

TRAINING, TEST = 10, 40
SYSTEMS = ("pubtator_central", "bern2")
TAXON_BY_WORD = {"patient": "9606", "human": "9606", "boy": "9606", "women": "9606", "mice": "10090", "rat": "10116"}
INVENTED_TEXTS = (
    "Binding was seen in patients.",
    "Binding was seen in mice.",
    "Rat cells and human cells were compared.",
)
# What each made-up sentence is of, and what two systems find in it.
INVENTED_TAXA = (("9606",), ("10090",), ("10116", "9606"))
FOUND = {"pubtator_central": (("9606",), ("10090",), ("9606",)), "bern2": (("9606",), ("10090",), ("10116",))}


@dataclass(frozen=True, slots=True)
class Abstract:
    """An abstract with its organisms, as PubTator writes them, and what each system found, by system."""

    pmid: str
    title: str
    text: str
    organisms: Sequence[str]
    found: Mapping[str, Sequence[str]]

    @property
    def pubtator(self) -> str:
        lines = [f"{self.pmid}|t|{self.title}", f"{self.pmid}|a|{self.text}", *self.organisms]
        return "\n".join(lines) + "\n\n"


def abstracts() -> list[Abstract]:
    """For training, then for the test."""
    if FOLDER.exists():
        return real()[: TRAINING + TEST]
    warnings.warn("the corpora beside the project are absent: the challenge is about made-up abstracts", stacklevel=2)
    return [make_invented_abstract(number) for number in range(TRAINING + TEST)]


def make_invented_abstract(number: int) -> Abstract:
    pmid, title, sort = str(900_001 + number), f"Observation {number}", number % len(INVENTED_TEXTS)
    start = len(title) + 1
    lines = [f"{pmid}\t{start}\t{start + 7}\tBinding\tSpecies\t{taxon}" for taxon in INVENTED_TAXA[sort]]
    return Abstract(pmid, title, INVENTED_TEXTS[sort], lines, {name: own[sort] for name, own in FOUND.items()})


def real() -> list[Abstract]:
    """Those that name an organism."""
    runs = FOLDER / "system_runs" / "tmvar3"
    rows = (line.split("\t") for line in (runs / "doc_map.tsv").read_text().splitlines()[1:])
    pmids = dict(rows)
    found = {name: dict(iter_found_organisms(read_gzip_text(runs / f"{name}.txt.gz"), pmids)) for name in SYSTEMS}
    blocks = read_gzip_text(FOLDER / "corpora" / "tmvar3" / "tmVar3_Train.PubTator.gz").strip().split("\n\n")
    return [own for own in (parse_abstract_block(block, found) for block in blocks) if own.organisms]


def read_gzip_text(path) -> str:
    return gzip.decompress(path.read_bytes()).decode()


def parse_abstract_block(block: str, found: Mapping[str, Mapping[str, Sequence[str]]]) -> Abstract:
    title, text, *mentions = block.strip().split("\n")
    pmid = title.split("|")[0]
    organisms = [line for line in mentions if line.split("\t")[4] == "Species"]
    own = {name: by_pmid.get(pmid, ()) for name, by_pmid in found.items()}
    return Abstract(pmid, title.split("|", 2)[2], text.split("|", 2)[2], organisms, own)


def iter_found_organisms(text: str, pmids: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """What a system found of each abstract, each organism once, in the order of the text."""
    for block in text.strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if "\t" in line]
        taxa = [match[0] for row in rows if row[4] in ("species", "organism") and (match := number_at_end(row[5]))]
        if rows:
            yield pmids[rows[0][0]], list(dict.fromkeys(taxa))


def number_at_end(identifier: str) -> re.Match[str] | None:
    """-1 stands for no identifier."""
    return re.search(r"(?<![-\d])[1-9]\d*$", identifier)


def format_system_run(own: Iterable[Abstract], system: str, names: Mapping[str, str]) -> str:
    """What a system found, as a run; names: what the phase calls an abstract, {title: name}."""
    lines = []
    for each in own:
        for rank, taxon in enumerate(each.found[system], 1):
            lines.append(f"{names[each.title]}\t{taxon}\t{rank}\t{1 / rank:.3f}\n")
    return "".join(lines)


def annotate_by_words(article) -> Iterator[AnnotationData]:
    """An annotation server that knows a few words."""
    said = article.text.lower()
    taxa = dict.fromkeys(taxon for word, taxon in TAXON_BY_WORD.items() if word in said)
    for rank, taxon in enumerate(taxa, 1):
        yield AnnotationData(Kind.TAXON, 1 / rank, rank, database="ncbitaxon", identifier=taxon)


def annotate_as_rats(article) -> Iterator[AnnotationData]:
    """An annotation server that is nearly always wrong."""
    yield AnnotationData(Kind.TAXON, 0.9, 1, database="ncbitaxon", identifier="10116")
