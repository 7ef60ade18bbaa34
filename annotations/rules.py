"""The rules of form that every annotation keeps, whichever way it came in (R1xx).

Each rule is one function, registered with its code, title and mend. Whether an identifier exists is another step
(annotations/verification.py).
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotations.databases import DATABASES
from annotations.kinds import LABELS, BrokenRule, Finding, Kind
from annotations.passages import PASSAGES_PER_PAIR, is_copied, too_long
from annotations.positions import Claims, Text, misplaced
from bcms.lib.foreign import bounded
from bcms.lib.text import one_spaced

LARGEST = 2**31 - 1
QUOTED = 60
KNOWN_DATABASES = {
    Kind.NORMALIZATION: ("uniprot", "ncbigene"),
    Kind.TAXON: ("ncbitaxon",),
    Kind.PAIR: ("uniprot", "ncbigene"),
    Kind.METHOD: ("psi-mi",),
    Kind.PASSAGE: ("uniprot", "ncbigene"),
}
ENTRY_NAME = re.compile(r"[A-Z0-9]{1,10}_[A-Z0-9]{1,5}", re.ASCII)
# Control characters other than tab, line feed and carriage return, and halves of surrogate pairs.
UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

Fault = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Answer:
    """What the rules look at besides the findings; most is the largest number of one kind."""

    claims: Claims
    most: int | None


@dataclass(frozen=True, slots=True)
class Rule:
    """find yields (index of the finding, message) for each finding that breaks the rule; field names the value."""

    code: str
    title: str
    mend: str
    field: str
    kinds: Collection[Kind]
    find: Callable[[Sequence[tuple[int, Finding]], Answer], Iterator[Fault]]


RULES: dict[str, Rule] = {}
Each = Callable[[Finding, Answer], str | None]
Whole = Callable[[Sequence[tuple[int, Finding]], Answer], Iterator[Fault]]


def whole(
    code: str, title: str, mend: str, *, field: str = "", kinds: Collection[Kind] = tuple(Kind)
) -> Callable[[Whole], Whole]:
    """Register a rule about all findings together."""

    def register(find: Whole) -> Whole:
        RULES[code] = Rule(code, title, mend, field, frozenset(kinds), find)
        return find

    return register


def each(
    code: str, title: str, mend: str, *, field: str = "", kinds: Collection[Kind] = tuple(Kind)
) -> Callable[[Each], Each]:
    """Register a rule about one finding; its function returns what is wrong, or None."""

    def register(fault: Each) -> Each:
        def find(findings: Sequence[tuple[int, Finding]], answer: Answer) -> Iterator[Fault]:
            for index, finding in findings:
                message = fault(finding, answer)
                if message is not None:
                    yield index, message

        whole(code, title, mend, field=field, kinds=kinds)(find)
        return fault

    return register


def check(
    findings: Sequence[Finding],
    text: str,
    title_length: int,
    *,
    places: Sequence[str] = (),
    names: Mapping[tuple[Kind, str], str] | None = None,
    most: int | None = None,
) -> list[BrokenRule]:
    """Every rule that every finding breaks, in the order of the findings; the index of each names the finding.

    text is the canonical text and title_length its title's length, in code points. places[i] is where findings[i] stood
    ("mentions[3]"; by default its kind and index), names what its fields are called there. most is the largest
    number of findings of one kind. Takes time in proportion to the findings and the text.
    """
    by_kind: dict[Kind, list[tuple[int, Finding]]] = {kind: [] for kind in Kind}
    answer = Answer(Claims(Text(text, title_length), by_kind[Kind.MENTION]), most)
    for index, finding in enumerate(findings):
        by_kind[finding.kind].append((index, finding))
    broken = []
    for rule in RULES.values():
        for kind in rule.kinds:
            for index, message in rule.find(by_kind[kind], answer):
                place = places[index] if places else f"{kind}[{index}]"
                name = (names or {}).get((kind, rule.field), rule.field)
                where = f"{place}.{name}" if name else place
                broken.append(BrokenRule(rule.code, where, message, rule.mend, index))
    return sorted(broken, key=lambda rule: (rule.index or 0, rule.code))


def quoted(text: str) -> str:
    return f'"{bounded(text, QUOTED)}"'


@each(
    "R101",
    "A confidence is greater than 0 and at most 1.",
    "Scale confidences to more than 0 and at most 1; leave a confidence out when it is not known.",
    field="confidence",
)
def confidence_in_range(finding: Finding, _: Answer) -> str | None:
    value = finding.confidence
    if value is None or 0 < value <= 1:
        return None
    if math.isnan(value):
        return "The confidence is not a number."
    return f"The confidence is {value:g}, which is not greater than 0 and at most 1."


@each("R102", "A rank is a positive whole number.", "Count ranks from 1.", field="rank")
def rank_positive(finding: Finding, _: Answer) -> str | None:
    if finding.rank is None or 1 <= finding.rank <= LARGEST:
        return None
    return f"The rank is {finding.rank}, but the first rank is 1."


@whole(
    "R103",
    "No rank is given twice within one kind (for passages: within one pair).",
    "Give each annotation a rank of its own, or leave out all ranks.",
    field="rank",
)
def rank_unique(findings: Sequence[tuple[int, Finding]], _: Answer) -> Iterator[Fault]:
    seen: set[object] = set()
    for index, finding in findings:
        if finding.rank is None:
            continue
        slot = (finding.rank, *(finding.key[:-1] if finding.kind is Kind.PASSAGE else ()))
        if slot in seen:
            yield index, f"The rank {finding.rank} was given to another annotation before."
        seen.add(slot)


@each(
    "R104",
    "A mention lies inside the text and is not empty.",
    "Count characters (Unicode code points) from 0: in the section if one is named, else in the title, one newline and "
    "the abstract.",
    field="start",
    kinds=[Kind.MENTION],
)
def inside_text(finding: Finding, answer: Answer) -> str | None:
    start, end, length = finding.start, finding.end, len(answer.claims.text.text)
    if start is None or end is None:
        return "The mention has no position."
    if start == end:
        return "The mention is empty." + answer.claims.guess(finding)
    if 0 <= start < end <= length or (finding.text and answer.claims.foreign):
        return None
    outside = f"The mention would be characters {start} to {end} of a text of {length:,}."
    return outside + answer.claims.guess(finding)


@each(
    "R105",
    "A mention's text is what the article has at its position.",
    "Send the position of exactly this text, as the article has it: code points from 0, nothing normalized.",
    field="start",
    kinds=[Kind.MENTION],
)
def text_at_position(finding: Finding, answer: Answer) -> str | None:
    text, start, end = answer.claims.text.text, finding.start, finding.end
    if not misplaced(finding, answer.claims.text) or start is None or end is None or not 0 <= start < end <= len(text):
        return None
    if answer.claims.foreign:
        return None
    other = f"The article has {quoted(text[start:end])} there, not {quoted(finding.text)}."
    return other + answer.claims.guess(finding)


@each(
    "R106",
    "A text holds no control characters and no halves of surrogate pairs.",
    "Send the text as the article has it, in UTF-8.",
)
def storable(finding: Finding, _: Answer) -> str | None:
    for value in (finding.text, finding.type, finding.identifier, finding.partner, finding.database):
        found = UNSTORABLE.search(value)
        if found:
            return f"There is a character U+{ord(found[0]):04X} in it, which no text may hold."
    return None


@each(
    "R107",
    "The mentions of an answer are of the article that was asked for.",
    "Answer each question with the annotations of its own article; check caches, batches and threads.",
    field="text",
    kinds=[Kind.MENTION],
)
def of_this_article(finding: Finding, answer: Answer) -> str | None:
    claim = misplaced(finding, answer.claims.text)
    if claim is None or claim[0] == claim[1] or not answer.claims.foreign:
        return None
    return f"Neither {quoted(finding.text)} nor the answer's other mentions are anywhere in the article."


@each(
    "R110",
    "The database is one that this kind of annotation uses.",
    'Send "UniProt" or "EntrezGene" as the database of genes and proteins.',
    field="database",
    kinds=KNOWN_DATABASES,
)
def known_database(finding: Finding, _: Answer) -> str | None:
    if finding.database in KNOWN_DATABASES[finding.kind]:
        return None
    return f"Nothing is known of the database {quoted(finding.database)} for {LABELS[finding.kind].lower()}."


def identifiers(finding: Finding) -> tuple[str, ...]:
    """The identifiers of a finding: two for a pair or a passage."""
    if finding.kind in (Kind.PAIR, Kind.PASSAGE):
        return (finding.identifier, finding.partner)
    return (finding.identifier,)


def malformed(finding: Finding, database: str) -> str | None:
    """The first identifier of the finding that has not the form of the database, if it is of that database."""
    if finding.database != database:
        return None
    pattern = DATABASES[database].pattern
    return next((name for name in identifiers(finding) if not pattern.fullmatch(name)), None)


@each(
    "R111",
    "A UniProt accession has 6 or 10 characters, and may name an isoform (P12345, A0A024R1R8, P04637-2).",
    "Send the primary accession, without a database's name, a version or white space.",
    field="identifier",
    kinds=KNOWN_DATABASES,
)
def uniprot_accession(finding: Finding, _: Answer) -> str | None:
    name = malformed(finding, "uniprot")
    if name is None or ENTRY_NAME.fullmatch(name):
        return None
    return f"{quoted(name)} is not a UniProt accession."


@each(
    "R112",
    "Proteins are named by UniProt accession, not by entry name.",
    "Map entry names to accessions (P53_HUMAN is P04637); the mapping service of UniProt does it.",
    field="identifier",
    kinds=KNOWN_DATABASES,
)
def no_entry_name(finding: Finding, _: Answer) -> str | None:
    name = malformed(finding, "uniprot")
    if name is None or not ENTRY_NAME.fullmatch(name):
        return None
    return f"{quoted(name)} is a UniProt entry name, which can change; an accession belongs here."


@each(
    "R113",
    "An NCBI Gene identifier is made of digits.",
    "Send the number of the gene (7157), not its symbol.",
    field="identifier",
    kinds=KNOWN_DATABASES,
)
def gene_number(finding: Finding, _: Answer) -> str | None:
    name = malformed(finding, "ncbigene")
    return None if name is None else f"{quoted(name)} is not an NCBI Gene identifier."


@each(
    "R114",
    "An organism is named by its number in the NCBI Taxonomy.",
    "Send the number (9606), not the name of the organism; leave the organism of a gene away when it is not known.",
    field="identifier",
    kinds=[Kind.TAXON],
)
def taxon_number(finding: Finding, _: Answer) -> str | None:
    name = malformed(finding, "ncbitaxon")
    return None if name is None else f"{quoted(name)} is not an identifier of the NCBI Taxonomy."


@each(
    "R115",
    "The organism of a gene or protein is named by its number in the NCBI Taxonomy.",
    "Send the number (9606), or leave the value away when the organism is not known.",
    field="taxon",
    kinds=[Kind.NORMALIZATION, Kind.PAIR],
)
def taxon_of_gene(finding: Finding, _: Answer) -> str | None:
    if finding.taxon is None or 1 <= finding.taxon <= LARGEST:
        return None
    return f"{finding.taxon} is not an identifier of the NCBI Taxonomy."


@each(
    "R116",
    "A method is named by its PSI-MI identifier.",
    "Send the identifier of the term (MI:0006), not its name.",
    field="identifier",
    kinds=[Kind.METHOD],
)
def method_term(finding: Finding, _: Answer) -> str | None:
    name = malformed(finding, "psi-mi")
    return None if name is None else f"{quoted(name)} is not a PSI-MI identifier."


@whole(
    "R120",
    "No annotation is given twice; a pair and the same pair swapped are one annotation.",
    "Send each annotation once, with its highest confidence.",
)
def given_once(findings: Sequence[tuple[int, Finding]], _: Answer) -> Iterator[Fault]:
    seen: set[object] = set()
    for index, finding in findings:
        if finding.key in seen:
            swapped = finding.kind is Kind.PAIR and finding.identifier != finding.partner
            yield index, "The same annotation was given before" + (" (pairs have no direction)." if swapped else ".")
        seen.add(finding.key)


@whole(
    "R121",
    "No more annotations of one kind than are allowed.",
    "Send the best ones only.",
)
def not_too_many(findings: Sequence[tuple[int, Finding]], answer: Answer) -> Iterator[Fault]:
    if answer.most is not None:
        for index, _ in findings[answer.most :]:
            yield index, f"{len(findings):,} were sent of this kind, but {answer.most:,} are the most."


@whole(
    "R122",
    "At most five passages are given for one pair.",
    "Send the five best passages of each pair.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def few_passages(findings: Sequence[tuple[int, Finding]], _: Answer) -> Iterator[Fault]:
    counts: dict[object, int] = {}
    for index, finding in findings:
        pair = finding.key[:-1]
        counts[pair] = counts.get(pair, 0) + 1
        if counts[pair] > PASSAGES_PER_PAIR:
            yield index, f"This is passage {counts[pair]} of the pair {finding.identifier} and {finding.partner}."


@whole(
    "R123",
    "A passage is copied from the article; white space alone may differ.",
    "Send whole sentences letter by letter as the article has them.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def copied(findings: Sequence[tuple[int, Finding]], answer: Answer) -> Iterator[Fault]:
    article = one_spaced(answer.claims.text.text) if findings else ""
    for index, finding in findings:
        if not is_copied(finding.text, article):
            yield index, f"The article has no passage {quoted(finding.text)}."


@each(
    "R124",
    "A passage has at most three sentences.",
    "Send the sentences that say most, or several passages.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def three_sentences(finding: Finding, _: Answer) -> str | None:
    return f"The passage {quoted(finding.text)} has more sentences." if too_long(finding.text) else None
