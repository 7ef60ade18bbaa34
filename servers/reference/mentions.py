"""Mentions of genes and proteins by the shape of words, without any dictionary (GM)."""

import re
from collections.abc import Iterable, Iterator, Mapping

from annotations.kinds import Finding, Kind
from servers.kit.articles import KitArticle
from servers.reference.abbreviations import explained
from servers.reference.spelling import GREEK, GREEK_NAMES
from servers.reference.stopwords import NO_ENZYMES, NO_MODIFIERS, NO_PROTEINS, NO_SYMBOLS, PLAIN_WORDS

GREEK_WORD = "|".join(sorted(GREEK_NAMES.values(), key=len, reverse=True))
LETTER = rf"A-Za-z{GREEK}"
# A word with its hyphens, and numbers after a stroke: TNF-α, IL-1β-induced, ERK1/2.
WORD = re.compile(rf"[{LETTER}\d]+(?:-[{LETTER}\d]+|/\d+)*")
# What hangs on a name by a hyphen and is no part of it: IL-6-induced, anti-CD20.
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
# A substitution (R175H), an allele (rs4680), an atom or a stage (Ca2, T1): letters and digits, yet no symbols.
NO_GENE = re.compile(r"[A-Z]\d{2,4}[A-Z]|rs\d+|[A-Z][a-z]?\d|[A-Z]\d+|[IVX]+")
ENZYME = re.compile(r"([A-Za-z-]{3,}ases?)(?:-\d{1,2})?")
PROTEIN = re.compile(rf"(?:[{GREEK}a-dA-Z]-|(?:{GREEK_WORD})-)?([A-Za-z]{{3,}}ins?)(?:-\d{{1,2}})?")
# Word endings that drugs and dyes have, not proteins.
DRUG = re.compile(
    r".*(?:mycin|micin|cillin|statin|platin|rubicin|floxacin|oxin|oxacin|sporin|formin|avirin|coumarin)s?"
)
# The last word of a name in words, and what may follow it.
FAMILY_WORDS = "receptor kinase factor hormone transporter ligand phosphatase symporter protease polymerase synthase"
FAMILY = frozenset(form for word in FAMILY_WORDS.split() for form in (word, f"{word}s")) - {"factors"}
AFTER = re.compile(rf"[ -](?:[{GREEK}]|(?:{GREEK_WORD})|\d{{1,2}}[A-Za-z]?|[A-Z]\d?|I{{1,3}})(?![\w-])")
LONGEST_PHRASE = 4
# The last word of a long form whose abbreviation is a gene's or protein's.
GENE_WORDS = FAMILY | {"protein", "proteins", "gene", "antigen", "enzyme", "peptide", "subunit", "regulator", "homolog"}
GREEK_LETTERS = frozenset(GREEK_NAMES.values())

Span = tuple[int, int, float]


def annotate(article: KitArticle) -> list[Finding]:
    """The mentions, in order of appearance, none overlapping; confidence by the kind of evidence."""
    text = article.text
    spans = [*symbols(text, explained(text)), *phrases(text)]
    return [
        Finding(Kind.MENTION, start=start, end=end, text=text[start:end], type="gene", confidence=sureness)
        for start, end, sureness in longest(spans)
    ]


def symbols(text: str, meanings: Mapping[str, str]) -> Iterator[Span]:
    """Single words that look like symbols, enzymes or proteins, with a number or Greek letter that follows."""
    for match in WORD.finditer(text):
        word = TAIL.sub("", match[0])
        front = FRONT.match(word)
        start, end = match.start() + (front.end() if front else 0), match.start() + len(word)
        sureness = looks(text[start:end], meanings)
        if sureness:
            after = AFTER.match(text, end)
            yield start, after.end() if after else end, sureness


def looks(word: str, meanings: Mapping[str, str]) -> float:
    """How much a word looks like a gene or protein: in (0, 1], or 0 when it does not."""
    if word in NO_SYMBOLS or word.upper() in NO_SYMBOLS or NO_GENE.fullmatch(word):
        return 0.0
    if GREEK_ENDED.fullmatch(word) or NUMBERED.fullmatch(word):
        return 0.85
    if word in meanings:
        return 0.75 if means_gene(meanings[word]) else 0.0
    if enzyme(word) or protein(word):
        return 0.5
    if MIXED.fullmatch(word):
        return 0.6
    return 0.45 if CAPITALS.fullmatch(word) else 0.0


def means_gene(long_form: str) -> bool:
    """Whether the words that an abbreviation stands for end like a gene's name, a letter or number after it apart."""
    *_, last = [word for word in long_form.lower().split() if len(word) > 2 and word not in GREEK_LETTERS] or [""]
    return last in GENE_WORDS or enzyme(last) or protein(last)


def enzyme(word: str) -> bool:
    match = ENZYME.fullmatch(word)
    return match is not None and match[1].lower() not in NO_ENZYMES and not word.endswith(("stases", "eases"))


def protein(word: str) -> bool:
    match = PROTEIN.fullmatch(word)
    return match is not None and match[1].lower() not in NO_PROTEINS and not DRUG.fullmatch(match[1])


def phrases(text: str) -> Iterator[Span]:
    """Names in words: up to four words before "receptor", "kinase" and the like, and a letter or number after."""
    words = list(WORD.finditer(text))
    for number, head in enumerate(words):
        if head[0].lower() not in FAMILY:
            continue
        first = first_word(text, words, number)
        if first < number:
            after = AFTER.match(text, head.end())
            yield words[first].start(), after.end() if after else head.end(), 0.5


def first_word(text: str, words: list[re.Match[str]], head: int) -> int:
    """The number of the word with which the name ending at `head` begins; `head` when no other word is part of it."""
    if words[head - 1][0].lower() in NO_MODIFIERS:
        return head
    first = head
    while first > max(0, head - LONGEST_PHRASE) and part_of_name(text, words[first - 1], words[first]):
        first -= 1
    return first


def part_of_name(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    return text[word.end() : following.start()] == " " and word[0].lower() not in PLAIN_WORDS


def longest(spans: Iterable[Span]) -> list[Span]:
    """Of overlapping spans the longest, of equally long ones the surest; in order of appearance."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span[0] - span[1], -span[2])):
        if all(span[1] <= other[0] or other[1] <= span[0] for other in kept):
            kept.append(span)
    return sorted(kept)
