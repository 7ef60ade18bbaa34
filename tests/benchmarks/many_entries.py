"""Tables of many entries for a benchmark: real ones of genes, if there are any, and made-up ones up to the number."""

import csv
import gzip
import random
from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

SEED = 4
GENE_INFO = "gene_info.*.tsv.gz"
HOMOLOGS = "homologene*.tsv.gz"
GENE_COLUMNS = ("tax_id", "GeneID", "Symbol", "LocusTag", "Synonyms", "description")
SPECIES = Path("annotations/identifiers/tables/species.tsv")
TAXA = (9606, 10090, 10116, 7955, 7227)
STEMS = (
    *("cardio", "neuro", "hepato", "nephro", "osteo", "dermato", "gastro", "myelo", "lympho", "angio", "arthro"),
    *("broncho", "chondro", "cranio", "cysto", "encephalo", "entero", "erythro", "fibro", "glio", "hemo", "kerato"),
)
ENDINGS = ("myopathy", "sarcoma", "itis", "blastoma", "pathy", "plegia", "sclerosis", "trophy", "kinase", "receptor")
ADJECTIVES = (
    *("acute", "chronic", "familial", "juvenile", "malignant", "mitochondrial", "nuclear", "progressive"),
    *("recessive", "dominant", "spastic", "thoracic", "cerebral", "renal", "pulmonary", "congenital"),
)
NOUNS = ("syndrome", "disease", "protein", "domain", "factor", "deficiency", "binding", "precursor", "complex", "type")


def list_tables(tables: Path | None, number: int, folder: Path) -> list[Path]:
    """Files with so many entries in all: those of genes in `tables`, then made-up ones, written to `folder`.

    Organisms of the bundled table come in addition. Without `tables`, a third of the entries are made-up genes.
    """
    paths = [SPECIES]
    if tables:
        homologs = folder / "homologs.tsv"
        _write_genes(homologs, _iter_homologs(next(tables.glob(HOMOLOGS))))
        paths += [*sorted(tables.glob(GENE_INFO)), homologs]
    else:
        genes = folder / "genes.tsv"
        _write_genes(genes, _iter_made_up_genes(number // 3))
        paths.append(genes)
    missing = number - sum(_count_lines(path) - 1 for path in paths[1:])
    labels = folder / "labels.tsv"
    with labels.open("w", encoding="utf-8") as stream:
        stream.writelines(_iter_made_up_labels(max(missing, 1)))
    return [*paths, labels]


def _count_lines(path: Path) -> int:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
        return sum(1 for _ in stream)


def _write_genes(path: Path, rows: Iterable[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, "excel-tab").writerows((GENE_COLUMNS, *rows))


def _iter_homologs(path: Path) -> Iterator[tuple[object, ...]]:
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for row in csv.DictReader(stream, delimiter="\t"):
            yield row["Taxonomy"], row["Gene.ID"], row["Gene.Symbol"], "-", "-", "-"


def _iter_made_up_genes(number: int) -> Iterator[tuple[object, ...]]:
    generator = random.Random(SEED)
    for gene in range(number):
        symbol = "".join(generator.choices("ABCDEFGHIKLMNPRST", k=generator.randint(2, 4))) + str(gene // 5 % 40)
        name = f"{_make_up_word(generator)} {generator.choice(NOUNS)} {gene // 5 % 40}"
        synonyms = f"{symbol[:-1]}-{symbol[-1]}|{_make_up_word(generator)} {generator.choice(NOUNS)}"
        yield TAXA[gene % len(TAXA)], gene + 1, symbol, "-", synonyms, name


def _make_up_word(generator: random.Random) -> str:
    return generator.choice(STEMS) + generator.choice(ENDINGS)


def _iter_made_up_labels(number: int) -> Iterator[str]:
    """Lines of a table of MeSH, every name with others in other orders of its words."""
    generator = random.Random(SEED)
    forms = product(ADJECTIVES, STEMS, ENDINGS, NOUNS, range(100))
    kept = (form for form in forms if generator.random() < 0.1)
    for position, (adjective, stem, ending, noun, numeral) in zip(range(number), kept, strict=False):
        name = f"{adjective.title()} {stem.title()}{ending} {noun.title()} {numeral}"
        others = f"{stem}{ending} {noun} {numeral}, {adjective}|{stem}{ending}, {adjective}|{noun} of {stem}{ending}"
        yield f"D{position + 1:06}\t{name}\t{others}|{adjective[:1]}{stem[:2]}{numeral}\n"
