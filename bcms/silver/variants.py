"""The thirteen annotators of the silver standard: the reference annotators, each with variations, always the same ones.

Each of them finds a share of what the annotators find in a text, sometimes with other bounds; the rest of its
annotations are words that are no names, and identifiers of genes of other articles. These candidates for mistakes are
the same for all, so that they agree on mistakes too, as servers do.
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
    """One annotator. mentions, identifiers: its shares of all of them, 0 for none; recall: of what the annotators find;
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
        return [kind for kind, share in has.items() if share]


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


class VariedAnnotators:
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
        self.classes = {each.slug: KeywordClassifier(each.word) for each in VARIANTS if each.word}
        self.seen: list[AnnotationData] = []

    def annotate(self, article: KitArticle) -> "ArticleCandidates":
        """The annotations of an article, and candidates for mistakes."""
        found = [*word_shapes.annotate_gene_mentions_by_word_shape(article), *self.genes.annotate(article)]
        named = [each for each in found if each.kind == Kind.NORMALIZATION]
        self.seen += named
        generator = random.Random(f"mistakes {article.identifier}")
        words = [match.span() for match in WORD.finditer(article.text)]
        generator.shuffle(words)
        return ArticleCandidates(
            article,
            list({(f.start, f.end): f for f in found if f.kind == Kind.MENTION}.values()),
            named,
            list(self.species.annotate(article)),
            words,
            [generator.choice(self.seen) for _ in range(MISTAKES)] if self.seen else [],
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
    variant: Variant, candidates: ArticleCandidates, shares: Mapping[Kind, Shares], annotators: VariedAnnotators
) -> Iterator[tuple[Kind, list[list[object]]]]:
    """The annotations of an article by one annotator, of each of its kinds, as annotation_files.parse_row() reads."""
    generator = random.Random(f"{variant.slug} {candidates.article.identifier}")
    weight = len(candidates.article.text)
    for kind in variant.kinds:
        match kind:
            case Kind.MENTION:
                number = shares[kind].take_next(variant.mentions * weight)
                yield kind, _list_mention_rows(variant, candidates, number, generator)
            case Kind.NORMALIZATION:
                number = shares[kind].take_next(variant.identifiers * weight)
                yield kind, _list_identifier_rows(variant, candidates, number, generator)
            case Kind.TAXON:
                taxa = [each for each in candidates.taxa if generator.random() < variant.recall]
                yield kind, [[each.identifier, each.confidence] for each in taxa]
            case _:
                (annotation,) = annotators.classes[variant.slug].annotate(candidates.article)
                relevant = annotation.relevant != (generator.random() < 0.1)
                yield kind, [[relevant, _vary_confidence(annotation.confidence, generator)]]


def _list_mention_rows(
    variant: Variant, candidates: ArticleCandidates, number: int, generator: random.Random
) -> list[list[object]]:
    """So many mentions: those that the annotator finds, and candidates for mistakes."""
    by_bounds = {
        _draw_bounds(f, generator): _vary_confidence(f.confidence, generator)
        for f in candidates.mentions
        if generator.random() < variant.recall
    }
    kept = dict(list(by_bounds.items())[:number])
    for share in (0.5, 1.0):
        for span in candidates.words:
            if len(kept) < number and generator.random() < share:
                kept.setdefault(span, round(0.2 + 0.6 * generator.random(), 3))
    text = candidates.article.text
    return [[start, end, text[start:end], confidence] for (start, end), confidence in sorted(kept.items())]


def _draw_bounds(mention: AnnotationData, generator: random.Random) -> tuple[int, int]:
    """Those of the mention, or now and then without its last word."""
    start, end = mention.start or 0, mention.end or 0
    shorter = mention.text.rpartition(" ")[0]
    return (start, start + len(shorter)) if shorter and generator.random() < OTHER_BOUNDS else (start, end)


def _list_identifier_rows(
    variant: Variant, candidates: ArticleCandidates, number: int, generator: random.Random
) -> list[list[object]]:
    correct = [f for f in candidates.named if generator.random() < variant.recall]
    wrong = generator.sample(candidates.others, k=len(candidates.others))
    kept = {(f.database, f.identifier): f for f in (*correct, *wrong)}
    chosen = list(kept.values())[:number]
    return [[f.database, f.identifier, f.taxon, _vary_confidence(f.confidence, generator)] for f in chosen]


def _vary_confidence(confidence: float | None, generator: random.Random) -> float:
    return round(min(max((confidence or 0.5) + generator.uniform(-0.1, 0.1), 0.01), 1.0), 3)
