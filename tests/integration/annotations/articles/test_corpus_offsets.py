"""Every mention of the published corpora whose place is right stands at its place in the stored text; every other one
is told, and kept as its authors wrote it."""

import csv
import gzip
import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from annotations.articles.imports.article_files import (
    read_unpacked_non_pubmed_article_file,
    sniff_article_format_unpacking_gzip,
    unpack_if_gzipped_within_limit,
)
from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Article
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle
from annotations.formats.plain.reader import split_title_and_limited_paragraphs
from annotations.results.models import Annotation
from annotations.results.producers import get_or_create_author_or_gold_producer
from tests.shared_data import require_shared_path

PUBLISHED = [
    ("biored/Train.PubTator.gz", 400, 13_351),
    ("biored/Dev.PubTator.gz", 100, 3_533),
    ("biored/Dev.BioC.XML.gz", 100, 3_533),
    ("biored/Dev.BioC.JSON.gz", 100, 3_533),
    ("nlmgene/NLMgene_Train.PubTator.gz", 429, 13_196),
    ("gnormplus/GNormPlus_Train.PubTator.gz", 427, 5_703),
    ("tmvar3/tmVar3_Train.PubTator.gz", 318, 7_267),
    ("bc6pm/PMtask_Relations_TrainingSet.xml.gz", 597, 8_833),
    ("bc6pm/PMtask_Relations_TrainingSet.json.gz", 597, 8_833),
    ("bc6pm/PMtask_Triage_TrainingSet.xml.gz", 4_082, 0),
]
# Of entities.
NUMBERS = {"AIMed": 3_343, "BioInfer": 3_611, "HPRD50": 320, "IEPA": 907, "LLL": 198}

pytestmark = [pytest.mark.long, pytest.mark.django_db, pytest.mark.shared]


def count_known_mismatches(corpus: str) -> Counter[tuple[str, str]]:
    """Article and mention of the rows that are known to be wrong; the JSON of a corpus has those of its XML."""
    rows = csv.DictReader(require_shared_path("offset_mismatches.tsv").open(), delimiter="\t", quoting=csv.QUOTE_NONE)
    name = f"corpora/{corpus.replace('.json.gz', '.xml.gz')}"
    return Counter((row["doc_id"], row["mention_as_given"]) for row in rows if row["file"] == name)


@pytest.mark.parametrize(("corpus", "articles", "mentions"), PUBLISHED)
def test_it_finds_every_right_mention_at_its_place(corpus, articles, mentions):
    with require_shared_path("corpora", *corpus.split("/")).open("rb") as stream:
        read = read_unpacked_non_pubmed_article_file(
            unpack_if_gzipped_within_limit(stream, corpus), corpus, sniff_article_format_unpacking_gzip(stream, corpus)
        )
    assert store_annotated_articles(read.articles).counts.new == articles
    texts = dict(Article.objects.values_list("pmid", "text"))
    wrong: Counter[tuple[str, str]] = Counter()
    in_parts = 0
    for own in read.articles:
        for mention in own.mentions:
            found = texts[own.ids.pmid][mention.start : mention.end]
            if found != mention.text:
                parts = re.split(r"\W+", mention.text)
                in_parts += all(part in found for part in parts) and len(found) > len(mention.text)
                wrong[mention.document, mention.text] += 1
    # R655: one that goes beyond the end of its text.
    told = [warning for warning in read.warnings if warning.rule in ("R655", "R657")]
    assert sum(len(own.mentions) for own in read.articles) == mentions
    assert len(told) == count_known_mismatches(corpus).total()
    assert count_known_mismatches(corpus) <= wrong
    # The 21 others are mentions in several parts, which go from the first to the last.
    assert wrong.total() - len(told) == (21 if "Relations" in corpus else 0) <= max(in_parts, 0)


def test_it_keeps_the_mentions_that_differ_as_their_authors_wrote_them():
    with require_shared_path("corpora", "gnormplus", "GNormPlus_Train.PubTator.gz").open("rb") as stream:
        read = read_unpacked_non_pubmed_article_file(
            unpack_if_gzipped_within_limit(stream, "gnormplus"),
            "gnormplus",
            sniff_article_format_unpacking_gzip(stream, "gnormplus"),
        )
    told = {warning.line for warning in read.warnings}
    some = [own for own in read.articles if any(mention.line in told for mention in own.mentions)]
    stored = store_annotated_articles(some, get_or_create_author_or_gold_producer("The corpus", "gold"))
    assert stored.skipped_annotations == []
    rows = Annotation.objects.filter(result__kind="mention").select_related("result__article")
    wrong = [row for row in rows if row.result.article.text[row.start : row.end] != row.text]
    assert len(wrong) == len(told) == 35
    assert len(rows) == sum(len({(m.start, m.end, m.text, m.type) for m in own.mentions}) for own in some)


def lines(*parts: str) -> list[str]:
    return gzip.decompress(require_shared_path("corpora", *parts).read_bytes()).decode().splitlines()


def store_text_lines(texts):
    """The texts as articles without a name, in their order, as they are stored."""
    read = [
        ParsedArticle(ArticleIds(), split_title_and_limited_paragraphs(text), source_id=name)
        for name, text in texts.items()
    ]
    return {name: article.text for name, article in zip(texts, store_annotated_articles(read).articles, strict=True)}


def test_it_keeps_the_places_of_biocreative_two():
    texts = dict(line.split(" ", 1) for line in lines("bc2gm", "train", "train.in.gz"))
    stored = {name: [at for at, c in enumerate(text) if not c.isspace()] for name, text in texts.items()}
    kept = store_text_lines(texts)
    wrong = []
    for file in ("GENE.eval.gz", "ALTGENE.eval.gz"):
        for line in lines("bc2gm", "train", file):
            name, place, mention = line.split("|", 2)
            start, end = map(int, place.split(" "))
            if kept[name][stored[name][start] : stored[name][end] + 1] != mention:
                wrong.append(line)
    assert len(wrong) == 4, wrong


@pytest.mark.parametrize("corpus", NUMBERS)
def test_it_keeps_the_places_of_the_interaction_corpora(corpus):
    root = ElementTree.fromstring(
        gzip.decompress(require_shared_path("corpora", "ppi5", f"{corpus}-train.xml.gz").read_bytes())
    )
    sentences = {sentence.get("id"): sentence for sentence in root.iter("sentence")}
    kept = store_text_lines({name: sentence.get("text") for name, sentence in sentences.items()})
    number = 0
    for name, sentence in sentences.items():
        for entity in sentence.iter("entity"):
            parts = [tuple(map(int, part.split("-"))) for part in entity.get("charOffset").split(",")]
            found = "".join(kept[name][start:end] for start, end in parts)
            # What stands between the parts of an entity is not always written in its text.
            assert re.sub(r"\s", "", found) == re.sub(r"\s", "", entity.get("text"))
            number += 1
    assert number == NUMBERS[corpus]
