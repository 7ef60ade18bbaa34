"""The demo's corpora are cut the same way every time, and the halves share nothing."""

import json
from unittest.mock import ANY

import pytest

from annotations.formats.articles.parsed_article import TextPassage
from annotations.formats.pubmed.reader import Citation, Deletion
from annotations.identifiers.tables.hgnc import HgncGene
from annotations.schema import EntityId, make_entity
from bcms.demo.corpus_selection import (
    CORPUS_SIZE,
    POSITIVES,
    has_enough_mentions_and_distinct_genes,
    select_gene_rich_reading_pmids,
    select_stratified_training_and_test_articles_by_hash,
)
from bcms.demo.gene_names import StrictGeneNames
from bcms.demo.mesh_headings import MeshHeadings
from servers.reference.mesh_dictionary import iter_mesh_descriptors

MESH = (
    "D005334\tFever\tFevers|Pyrexia\tC23.888.119.344\t\n"
    "D007328\tInsulin\tInsulin, Regular\tD06.472.699|D12.644.548\t\n"
    "D051381\tRats\tRat|Fever\tB01.050.150\t\n"
)
GENES = [
    HgncGene("EGFR", "epidermal growth factor receptor", ("ERBB", "HER1"), "1956", ("P00533",)),
    HgncGene("IL6", "interleukin 6", ("IL-6", "BSF2"), "3569", ("P05231",)),
    HgncGene("AKT1", "AKT serine/threonine kinase 1", ("RAC", "PKB"), "207", ("P31749",)),
    HgncGene("CAT", "catalase", (), "847", ("P04040",)),
    HgncGene("GENA", "gene a", ("AB12",), "1", ()),
    HgncGene("GENB", "gene b", ("AB12",), "2", ()),
]


def citation(pmid, text="An abstract.", mesh=(), version=1):
    return Citation(pmid, version, (TextPassage("title", "A title."), TextPassage("abstract", text)), mesh=mesh)


def make_indexed_citation(pmid):
    return citation(pmid, mesh=("Rats", "Protein Binding") if pmid % 10 == 0 else ("Humans", "Pyrexia"))


def numbers(part):
    return [article.citation.pmid for article in part]


@pytest.fixture
def names():
    return StrictGeneNames(GENES)


def test_it_cuts_two_halves_that_share_no_article():
    halves = select_stratified_training_and_test_articles_by_hash(map(make_indexed_citation, range(1, 2001)))
    assert len(halves.training) == len(halves.test) == CORPUS_SIZE
    assert not set(numbers(halves.training)) & set(numbers(halves.test))
    for part in (halves.training, halves.test):
        assert sum(article.relevant for article in part) == POSITIVES


def test_it_cuts_the_same_whatever_the_order_of_the_archive():
    assert select_stratified_training_and_test_articles_by_hash(
        map(make_indexed_citation, range(1, 2001))
    ) == select_stratified_training_and_test_articles_by_hash(map(make_indexed_citation, range(2000, 0, -1)))


def test_it_takes_only_abstracts_with_a_species():
    bare = Citation(3, 1, (TextPassage("title", "No abstract."),), mesh=("Humans", "Protein Binding"))
    others = [bare, citation(7, mesh=("Haplorhini",)), Deletion(9, 1)]
    halves = select_stratified_training_and_test_articles_by_hash(
        [*others, *map(make_indexed_citation, range(10, 2001))]
    )
    assert not {3, 7, 9} & {*numbers(halves.training), *numbers(halves.test)}


def test_it_says_that_an_archive_is_too_small():
    with pytest.raises(ValueError, match="too few indexed abstracts"):
        select_stratified_training_and_test_articles_by_hash(map(make_indexed_citation, range(1, 50)))


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("EGFR and IL-6, then BSF2.", ["EGFR", "IL6", "IL6"]),
        ("EGFR-mutant, PI-AKT1 and AKT", ["EGFR", "AKT1", "AKT"]),
        ("egfr, the RAC of a CAT scan, AB12", []),
        ("HER1+ cells", ["EGFR"]),
    ],
)
def test_it_counts_gene_names_strictly(names, text, symbols):
    assert names.list_mentioned_symbols(text) == symbols


def test_it_wants_four_mentions_of_two_genes(names):
    assert has_enough_mentions_and_distinct_genes("EGFR, EGFR, EGFR and IL-6", names)
    assert not has_enough_mentions_and_distinct_genes("EGFR, EGFR, EGFR and EGFR", names)
    assert not has_enough_mentions_and_distinct_genes("EGFR, EGFR and IL-6", names)


def test_it_reads_the_newest_version_of_an_article(names):
    good = "EGFR and IL-6, EGFR and IL-6."
    withdrawn = [citation(5, good), citation(5, "Nothing left.", version=2)]
    chosen = select_gene_rich_reading_pmids([*withdrawn, *(citation(pmid, good) for pmid in range(1000, 1400))], names)
    assert len(chosen) == CORPUS_SIZE
    assert 5 not in chosen


def test_it_writes_what_the_demo_loads(tmp_path):
    from bcms.demo import corpus_files
    from bcms.demo.data_archives import DemoFiles

    hgnc = tmp_path / "hgnc.tsv"
    hgnc.write_text(
        "Approved symbol\tApproved name\tStatus\tAlias symbols\tNCBI Gene ID(supplied by NCBI)\t"
        "UniProt ID(supplied by UniProt)\tPrevious symbols\n"
        "EGFR\tepidermal\tApproved\t\t1956\tP00533\t\nIL6\tinterleukin\tApproved\tIL-6\t3569\tP05231\t\n"
    )
    mesh = tmp_path / "mesh.tsv"
    mesh.write_text(MESH)
    older, newer = tmp_path / "older.xml", tmp_path / "newer.xml"
    older.write_text(format_pubmed_xml(make_indexed_citation(pmid) for pmid in range(1, 2001)))
    newer.write_text(format_pubmed_xml(citation(pmid, "EGFR and IL-6, EGFR and IL-6.") for pmid in range(5000, 5400)))
    corpus_files.write_demo_corpora_and_gold_standards(
        DemoFiles(older, newer, hgnc, hgnc, hgnc, mesh), tmp_path / "cut"
    )
    lines = {path.name: path.read_text().splitlines() for path in (tmp_path / "cut").iterdir()}
    assert {name: len(found) for name, found in lines.items()} == {
        "training.pmids": 300,
        "test.pmids": 300,
        "reading.pmids": 300,
        "training.act.tsv": 300,
        "test.act.tsv": 300,
        "training.tx.tsv": 300,
        "test.tx.tsv": 300,
        **dict.fromkeys(("training.dis.json", "test.dis.json", "training.chem.json", "test.chem.json"), ANY),
        "training.jsonl": 300,
    }
    first = json.loads(lines["training.jsonl"][0])
    assert first["id"] == lines["training.pmids"][0]
    assert (first["title"], first["abstract"]) == ("A title.", "An abstract.")
    assert lines["training.act.tsv"][0] == f"{first['id']}\t{int(first['relevant'])}"
    documents = json.loads("".join(lines["training.dis.json"]))["documents"]
    assert [document["id"] for document in documents] == sorted(lines["training.pmids"])
    assert sum("D005334" in json.dumps(document) for document in documents) == CORPUS_SIZE - POSITIVES
    assert lines["training.tx.tsv"][0] == f"{first['id']}\t{10116 if first['relevant'] else 9606}"


def test_a_heading_names_a_descriptor_of_its_tree_by_its_label_or_its_earlier_label():
    headings = MeshHeadings(list(iter_mesh_descriptors(MESH.splitlines())))
    named = ("Pyrexia", "Insulin", "Rats", "Nowhere", "Fever")
    assert headings.list_entities(named, "Disease") == [make_entity(EntityId("mesh", "D005334"), "Disease")]
    assert headings.list_entities(named, "Chemical") == [make_entity(EntityId("mesh", "D007328"), "Chemical")]


def format_pubmed_xml(citations):
    records = (
        f"<PubmedArticle><MedlineCitation><PMID>{c.pmid}</PMID><Article><ArticleTitle>{c.title}</ArticleTitle>"
        f"<Abstract><AbstractText>{c.abstract}</AbstractText></Abstract></Article><MeshHeadingList>"
        + "".join(f"<MeshHeading><DescriptorName>{name}</DescriptorName></MeshHeading>" for name in c.mesh)
        + "</MeshHeadingList></MedlineCitation></PubmedArticle>"
        for c in citations
    )
    return f"<PubmedArticleSet>{''.join(records)}</PubmedArticleSet>"
