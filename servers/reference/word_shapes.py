"""Mentions of genes and proteins by the shape of words, without a dictionary (GM)."""

import re
from collections.abc import Iterable, Iterator, Mapping

from annotations.schema import AnnotationData, Kind
from servers.kit.articles import KitArticle
from servers.reference.abbreviations import extract_long_form_by_abbreviation
from servers.reference.gene_spelling import GREEK, GREEK_NAMES
from servers.reference.stopwords import NO_ENZYMES, NO_MODIFIERS, NO_PROTEINS, NO_SYMBOLS, PLAIN_WORDS

GREEK_WORD = "|".join(sorted(GREEK_NAMES.values(), key=len, reverse=True))
LETTER = rf"A-Za-z{GREEK}"
# A word with hyphens, and numbers after a slash: TNF-α, IL-1β-induced, ERK1/2.
WORD = re.compile(rf"[{LETTER}\d]+(?:-[{LETTER}\d]+|/\d+)*")
# Hyphenated affixes that are not part of a name: IL-6-induced, anti-CD20.
TAIL = re.compile(r"(?:-[a-z]*(?:ed|ing|ent|ient|ive|like|free|null|type|specific|rich|cells?|mice))+$")
FRONT = re.compile(r"^(?:anti|non|pre|post|type|wild)-(?=[A-Z])")

NUMBERED = re.compile(
    rf"[A-Z][A-Za-z]{{1,5}}-?\d{{1,3}}(?:[A-Z]{{1,2}}\d?|-?[{GREEK}]|[a-d])?|[A-Z]{{2,5}}\d[A-Z]\d+|p\d{{2,3}}"
    r"|[A-Z]{3,5}\d(?:/\d)+|PI3K"
)
GREEK_ENDED = re.compile(
    rf"[A-Za-z]{{2,6}}-?\d?(?:[{GREEK}]|-(?:{GREEK_WORD})|-[abgd])\d?|[A-Z]{{2,5}}\d?(?:{GREEK_WORD})\d?|[A-Z]{{2,4}}-?(?:kappa|[kκ])B\d?"
)
MIXED = re.compile(r"[a-z]{1,2}[A-Z]{2,5}\d?|[A-Z][a-z]{1,2}[A-Z]{1,3}\d?")
CAPITALS = re.compile(r"[A-Z]{3,6}")
# Not gene symbols, despite letters and digits: substitutions (R175H), alleles (rs4680), atoms (Ca2), stages (T1).
NO_GENE = re.compile(r"[A-Z]\d{2,4}[A-Z]|rs\d+|[A-Z][a-z]?\d|[A-Z]\d+|[IVX]+")
ENZYME = re.compile(r"([A-Za-z-]{3,}ases?)(?:-\d{1,2})?")
PROTEIN = re.compile(rf"(?:[{GREEK}a-dA-Z]-|(?:{GREEK_WORD})-)?([A-Za-z]{{3,}}ins?)(?:-\d{{1,2}})?")
# Word endings of drugs and dyes.
DRUG = re.compile(
    r".*(?:mycin|micin|cillin|statin|platin|rubicin|floxacin|oxin|oxacin|sporin|formin|avirin|coumarin)s?"
)
# The last word of a multi-word name, and what may follow it.
FAMILY_WORDS = "receptor kinase factor hormone transporter ligand phosphatase symporter protease polymerase synthase"
FAMILY = frozenset(form for word in FAMILY_WORDS.split() for form in (word, f"{word}s")) - {"factors"}
AFTER = re.compile(rf"[ -](?:[{GREEK}]|(?:{GREEK_WORD})|\d{{1,2}}[A-Za-z]?|[A-Z]\d?|I{{1,3}})(?![\w-])")
LONGEST_PHRASE = 4
# The last word of the long form of an abbreviated gene or protein name.
GENE_WORDS = FAMILY | {"protein", "proteins", "gene", "antigen", "enzyme", "peptide", "subunit", "regulator", "homolog"}
GREEK_LETTERS = frozenset(GREEK_NAMES.values())

ScoredSpan = tuple[int, int, float]


def annotate_gene_mentions_by_word_shape(article: KitArticle) -> list[AnnotationData]:
    """Non-overlapping mentions in order of appearance; the confidence depends on the kind of evidence."""
    text = article.text
    spans = [*_iter_symbol_spans(text, extract_long_form_by_abbreviation(text)), *_iter_phrase_spans(text)]
    return [
        AnnotationData(Kind.MENTION, start=start, end=end, text=text[start:end], type="gene", confidence=confidence)
        for start, end, confidence in _select_longest_spans(spans)
    ]


def _iter_symbol_spans(text: str, long_forms: Mapping[str, str]) -> Iterator[ScoredSpan]:
    """Single words that look like symbols, enzymes or proteins, with a following number or Greek letter."""
    for match in WORD.finditer(text):
        word = TAIL.sub("", match[0])
        front = FRONT.match(word)
        start, end = match.start() + (front.end() if front else 0), match.start() + len(word)
        confidence = _estimate_symbol_confidence(text[start:end], long_forms)
        if confidence:
            after = AFTER.match(text, end)
            yield start, after.end() if after else end, confidence


def _estimate_symbol_confidence(word: str, long_forms: Mapping[str, str]) -> float:
    """The confidence in (0, 1] that a word is a gene or protein, or 0 if it does not look like one."""
    if word in NO_SYMBOLS or word.upper() in NO_SYMBOLS or NO_GENE.fullmatch(word):
        return 0.0
    if GREEK_ENDED.fullmatch(word) or NUMBERED.fullmatch(word):
        return 0.85
    if word in long_forms:
        return 0.75 if has_gene_name_ending(long_forms[word]) else 0.0
    if _is_enzyme_name(word) or _is_protein_name(word):
        return 0.5
    if MIXED.fullmatch(word):
        return 0.6
    return 0.45 if CAPITALS.fullmatch(word) else 0.0


def has_gene_name_ending(long_form: str) -> bool:
    """Whether a long form ends like a gene name, ignoring short words and Greek letters at the end."""
    *_, last = [word for word in long_form.lower().split() if len(word) > 2 and word not in GREEK_LETTERS] or [""]
    return last in GENE_WORDS or _is_enzyme_name(last) or _is_protein_name(last)


def _is_enzyme_name(word: str) -> bool:
    match = ENZYME.fullmatch(word)
    return match is not None and match[1].lower() not in NO_ENZYMES and not word.endswith(("stases", "eases"))


def _is_protein_name(word: str) -> bool:
    match = PROTEIN.fullmatch(word)
    return match is not None and match[1].lower() not in NO_PROTEINS and not DRUG.fullmatch(match[1])


def _iter_phrase_spans(text: str) -> Iterator[ScoredSpan]:
    """Multi-word names: up to four words, "receptor", "kinase" or the like, and a following letter or number."""
    words = list(WORD.finditer(text))
    for number, head in enumerate(words):
        if head[0].lower() not in FAMILY:
            continue
        first = _locate_first_word(text, words, number)
        if first < number:
            after = AFTER.match(text, head.end())
            yield words[first].start(), after.end() if after else head.end(), 0.5


def _locate_first_word(text: str, words: list[re.Match[str]], head: int) -> int:
    """The index of the first word of the name that ends at index `head`, which is `head` for a single word."""
    if words[head - 1][0].lower() in NO_MODIFIERS:
        return head
    first = head
    while first > max(0, head - LONGEST_PHRASE) and _is_part_of_name(text, words[first - 1], words[first]):
        first -= 1
    return first


def _is_part_of_name(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    return text[word.end() : following.start()] == " " and word[0].lower() not in PLAIN_WORDS


def _select_longest_spans(spans: Iterable[ScoredSpan]) -> list[ScoredSpan]:
    """Of overlapping spans the longest, then the one with the highest confidence; in order of appearance."""
    selected: list[ScoredSpan] = []
    for span in sorted(spans, key=lambda span: (span[0] - span[1], -span[2])):
        if all(span[1] <= other[0] or other[1] <= span[0] for other in selected):
            selected.append(span)
    return sorted(selected)
