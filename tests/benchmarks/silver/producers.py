"""Thirteen producers that are the reference annotators, each with variations of its own, and always the same ones.

Each producer finds a share of what the annotators find in a text, sometimes with other bounds; the rest of its
annotations are words that are no names, and identifiers of genes of other articles. These candidates for mistakes are
the same for all producers, so that they agree on mistakes too, as servers do.
"""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.schema import AnnotationData, Kind
from bcms.demo.data_archives import DemoFiles
from servers.kit.articles import KitArticle
from servers.reference import word_shapes
from servers.reference.__main__ import read_species_dictionary
from servers.reference.gene_dictionary import GeneDictionary, GeneNameTable
from servers.reference.keyword_classifier import KeywordClassifier

# Of all abstracts that all servers were asked for.
ABSTRACTS, MENTIONS, IDENTIFIERS = 22_730, 1_659_219, 237_600
WORD = re.compile(r"[A-Za-z][\w-]{3,}")
MISTAKES = 24
OTHER_BOUNDS = 0.08


@dataclass(frozen=True, slots=True)
class Variant:
    """One producer. mentions, identifiers: its shares of all of them, 0 for none; recall: of what the annotators find;
    word: what makes an article relevant to it, empty for one that classifies none."""

    slug: str
    name: str
    recall: float
    mentions: int = 0
    identifiers: int = 0
    taxa: bool = False
    word: str = ""

    @property
    def kinds(self) -> list[Kind]:
        has = {
            Kind.MENTION: self.mentions,
            Kind.NORMALIZATION: self.identifiers,
            Kind.TAXON: self.taxa,
            Kind.CLASSIFICATION: self.word,
        }
        return [kind for kind, own in has.items() if own]


VARIANTS = (
    Variant("silver-1", "Silver 1", 0.95, mentions=12, identifiers=10, taxa=True),
    Variant("silver-2", "Silver 2", 0.9, mentions=10, identifiers=14, taxa=True),
    Variant("silver-3", "Silver 3", 0.85, mentions=11, identifiers=8),
    Variant("silver-4", "Silver 4", 0.8, mentions=9, identifiers=12),
    Variant("silver-5", "Silver 5", 0.7, mentions=14, identifiers=6),
    Variant("silver-6", "Silver 6", 0.9, mentions=8),
    Variant("silver-7", "Silver 7", 0.8, mentions=10),
    Variant("silver-8", "Silver 8", 0.6, mentions=6),
    Variant("silver-9", "Silver 9", 0.5, mentions=16),
    Variant("silver-10", "Silver 10", 0.9, taxa=True),
    Variant("silver-11", "Silver 11", 0.9, taxa=True, word="interact"),
    Variant("silver-12", "Silver 12", 0.9, word="bind"),
    Variant("silver-13", "Silver 13", 0.9, word="complex"),
)


class Shares:
    """Divides a whole number among many by their weights, so that the parts sum up to it."""

    def __init__(self, whole: int, weights: float) -> None:
        self.whole, self.weights, self.passed = whole, weights, 0.0

    def take_next(self, weight: float) -> int:
        before = round(self.whole * self.passed / self.weights)
        self.passed += weight
        return round(self.whole * self.passed / self.weights) - before


class Annotators:
    """The reference annotators, and the genes that they have found so far."""

    def __init__(self, archives: DemoFiles) -> None:
        names = GeneNameTable()
        with archives.hgnc.open(encoding="utf-8", newline="") as lines:
            names.read_human(lines)
        for path, prefix in ((archives.mgi, "MGI:"), (archives.rgd, "RGD:")):
            with path.open(encoding="utf-8", newline="") as lines:
                names.read_orthologs(lines, prefix)
        self.species = read_species_dictionary()
        self.genes = GeneDictionary(names, self.species)
        self.classes = {own.slug: KeywordClassifier(own.word) for own in VARIANTS if own.word}
        self.seen: list[AnnotationData] = []

    def annotate(self, article: KitArticle) -> "ArticleCandidates":
        """The annotations of an article, and candidates for mistakes."""
        found = [*word_shapes.annotate_gene_mentions_by_word_shape(article), *self.genes.annotate(article)]
        named = [each for each in found if each.kind == Kind.NORMALIZATION]
        self.seen += named
        own = random.Random(f"mistakes {article.identifier}")
        words = [match.span() for match in WORD.finditer(article.text)]
        own.shuffle(words)
        return ArticleCandidates(
            article,
            list({(f.start, f.end): f for f in found if f.kind == Kind.MENTION}.values()),
            named,
            list(self.species.annotate(article)),
            words,
            [own.choice(self.seen) for _ in range(MISTAKES)] if self.seen else [],
        )


@dataclass(frozen=True, slots=True)
class ArticleCandidates:
    article: KitArticle
    mentions: Sequence[AnnotationData]
    named: Sequence[AnnotationData]
    taxa: Sequence[AnnotationData]
    words: Sequence[tuple[int, int]]
    others: Sequence[AnnotationData]


def iter_annotation_rows(
    variant: Variant, found: ArticleCandidates, shares: Mapping[Kind, Shares], annotators: Annotators
) -> Iterator[tuple[Kind, list[list[object]]]]:
    """The annotations of an article by one producer, of each of its kinds: the rows that loading.parse_row() reads."""
    own = random.Random(f"{variant.slug} {found.article.identifier}")
    weight = len(found.article.text)
    for kind in variant.kinds:
        match kind:
            case Kind.MENTION:
                yield kind, list_mention_rows(variant, found, shares[kind].take_next(variant.mentions * weight), own)
            case Kind.NORMALIZATION:
                yield (
                    kind,
                    list_identifier_rows(variant, found, shares[kind].take_next(variant.identifiers * weight), own),
                )
            case Kind.TAXON:
                yield kind, [[f.identifier, f.confidence] for f in found.taxa if own.random() < variant.recall]
            case _:
                (annotation,) = annotators.classes[variant.slug].annotate(found.article)
                yield kind, [[annotation.relevant != (own.random() < 0.1), vary_confidence(annotation.confidence, own)]]


def list_mention_rows(
    variant: Variant, found: ArticleCandidates, number: int, own: random.Random
) -> list[list[object]]:
    """So many mentions: those that the producer finds, and candidates for mistakes."""
    by_bounds = {
        draw_bounds(f, own): vary_confidence(f.confidence, own) for f in found.mentions if own.random() < variant.recall
    }
    kept = dict(list(by_bounds.items())[:number])
    for share in (0.5, 1.0):
        for span in found.words:
            if len(kept) < number and own.random() < share:
                kept.setdefault(span, round(0.2 + 0.6 * own.random(), 3))
    text = found.article.text
    return [[start, end, text[start:end], confidence] for (start, end), confidence in sorted(kept.items())]


def draw_bounds(mention: AnnotationData, own: random.Random) -> tuple[int, int]:
    """Those of the mention, or now and then without its last word."""
    start, end = mention.start or 0, mention.end or 0
    shorter = mention.text.rpartition(" ")[0]
    return (start, start + len(shorter)) if shorter and own.random() < OTHER_BOUNDS else (start, end)


def list_identifier_rows(
    variant: Variant, found: ArticleCandidates, number: int, own: random.Random
) -> list[list[object]]:
    right = [f for f in found.named if own.random() < variant.recall]
    wrong = own.sample(found.others, k=len(found.others))
    kept = {(f.database, f.identifier): f for f in (*right, *wrong)}
    chosen = list(kept.values())[:number]
    return [[f.database, f.identifier, f.taxon, vary_confidence(f.confidence, own)] for f in chosen]


def vary_confidence(confidence: float | None, own: random.Random) -> float:
    return round(min(max((confidence or 0.5) + own.uniform(-0.1, 0.1), 0.01), 1.0), 3)
