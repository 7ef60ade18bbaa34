"""The rules for the form of annotations, wherever they come from (R101 to R124).

Each rule is one function, registered with its code, title and hint. Whether an identifier exists is checked elsewhere
(annotations/identifiers/verification.py).
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence

from annotations.articles.evidence_passages import PASSAGES_PER_PAIR, has_too_many_sentences, is_copied_passage
from annotations.identifiers.namespaces import NAMESPACES
from annotations.results.misplaced_mentions import IndexedText, PositionClaims, find_misplaced_claim
from annotations.rule_registry import (
    ANNOTATION_RULES,
    IndexedAnnotation,
    IndexedFault,
    RuleContext,
    register_rule_across_annotations,
    register_rule_on_single_annotation,
)
from annotations.schema import KIND_LABELS, AnnotationData, BrokenRule, Kind
from bcms.lib.text import clip_text_replacing_unprintable, collapse_white_space

LARGEST_INTEGER = 2**31 - 1
LONGEST_QUOTED_VALUE = 60
NAMESPACES_BY_KIND = {
    Kind.NORMALIZATION: ("uniprot", "ncbigene"),
    Kind.TAXON: ("ncbitaxon",),
    Kind.PAIR: ("uniprot", "ncbigene"),
    Kind.METHOD: ("psi-mi",),
    Kind.PASSAGE: ("uniprot", "ncbigene"),
}
ENTRY_NAME_PATTERN = re.compile(r"[A-Z0-9]{1,10}_[A-Z0-9]{1,5}", re.ASCII)
LONGEST_MENTION_TYPE = 100
FORBIDDEN_CHARACTER_RULE = "R106"
# The fields that hold text of a server.
TEXT_FIELDS = ("text", "type", "identifier", "partner", "database")
# Control characters other than tab, line feed and carriage return, and lone surrogates.
UNSTORABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def _quote_value(text: str) -> str:
    """The text in quotation marks for a message: printable and shortened."""
    return f'"{clip_text_replacing_unprintable(text, LONGEST_QUOTED_VALUE)}"'


@register_rule_on_single_annotation(
    "R101",
    "A confidence is greater than 0 and at most 1.",
    "Scale confidences to values greater than 0 and at most 1. Omit a confidence that is not known.",
    field="confidence",
)
def explain_nonpositive_or_above_one_confidence(annotation: AnnotationData, _: RuleContext) -> str | None:
    value = annotation.confidence
    if value is None or 0 < value <= 1:
        return None
    if math.isnan(value):
        return "The confidence is not a number."
    return f"The confidence is {value:g}, which is not greater than 0 and at most 1."


@register_rule_on_single_annotation("R102", "A rank is a positive whole number.", "Number ranks from 1.", field="rank")
def explain_nonpositive_or_too_large_rank(annotation: AnnotationData, _: RuleContext) -> str | None:
    if annotation.rank is None or 1 <= annotation.rank <= LARGEST_INTEGER:
        return None
    return f"The rank is {annotation.rank}. Ranks are whole numbers from 1 to {LARGEST_INTEGER:,}."


@register_rule_across_annotations(
    "R103",
    "Each rank is used once within one kind (for passages: within one pair).",
    "Give each annotation its own rank, or omit all ranks.",
    field="rank",
)
def iter_ranks_repeated_in_kind_or_pair(
    annotations_of_kind: Sequence[IndexedAnnotation], _: RuleContext
) -> Iterator[IndexedFault]:
    seen: set[object] = set()
    for index, annotation in annotations_of_kind:
        if annotation.rank is None:
            continue
        rank_in_list = (annotation.rank, *(annotation.key[:-1] if annotation.kind is Kind.PASSAGE else ()))
        if rank_in_list in seen:
            yield index, f"Another annotation already has rank {annotation.rank}."
        seen.add(rank_in_list)


@register_rule_on_single_annotation(
    "R104",
    "A mention lies within the text and is not empty.",
    "Count characters (Unicode code points) from 0: within the section if you name one, otherwise within the title, "
    "one newline and the abstract.",
    field="start",
    kinds=[Kind.MENTION],
)
def explain_mention_outside_text_or_empty(annotation: AnnotationData, context: RuleContext) -> str | None:
    start, end, length = annotation.start, annotation.end, len(context.claims.text.text)
    if start is None or end is None:
        return "The mention has no position."
    if start == end:
        return "The mention is empty." + context.claims.explain_mention(annotation)
    if 0 <= start < end <= length or (annotation.text and context.claims.has_no_mention_in_article):
        return None
    message = f"The mention covers characters {start} to {end}, but the text has {length:,} characters."
    return message + context.claims.explain_mention(annotation)


@register_rule_on_single_annotation(
    "R105",
    "A mention's text is the article's text at its position.",
    "Send the position of exactly this text in the article. Count code points from 0 and do not normalize the text.",
    field="start",
    kinds=[Kind.MENTION],
)
def explain_mention_text_not_at_position(annotation: AnnotationData, context: RuleContext) -> str | None:
    text, start, end = context.claims.text.text, annotation.start, annotation.end
    if (
        not find_misplaced_claim(annotation, context.claims.text)
        or start is None
        or end is None
        or not 0 <= start < end <= len(text)
    ):
        return None
    if context.claims.has_no_mention_in_article:
        return None
    message = f"The article has {_quote_value(text[start:end])} there, not {_quote_value(annotation.text)}."
    return message + context.claims.explain_mention(annotation)


@register_rule_on_single_annotation(
    FORBIDDEN_CHARACTER_RULE,
    "Texts contain no control characters and no lone surrogates.",
    "Send texts exactly as they are in the article and identifiers as they are in their database, in UTF-8.",
)
def explain_control_or_surrogate_character(annotation: AnnotationData, _: RuleContext) -> str | None:
    name = _find_unstorable_field(annotation)
    match = UNSTORABLE.search(getattr(annotation, name)) if name else None
    return f"It contains the character U+{ord(match[0]):04X}, which is not allowed." if match else None


def _find_unstorable_field(annotation: AnnotationData) -> str:
    """The name of the first field with a control character or a lone surrogate; "" if there is none."""
    return next((name for name in TEXT_FIELDS if UNSTORABLE.search(getattr(annotation, name))), "")


@register_rule_on_single_annotation(
    "R107",
    "The mentions of an answer belong to the requested article.",
    "Answer each request with annotations of its own article. Check caches, batches and threads for mix-ups.",
    field="text",
    kinds=[Kind.MENTION],
)
def explain_mention_if_none_of_several_occurs(annotation: AnnotationData, context: RuleContext) -> str | None:
    claim = find_misplaced_claim(annotation, context.claims.text)
    if claim is None or claim[0] == claim[1] or not context.claims.has_no_mention_in_article:
        return None
    return f"Neither {_quote_value(annotation.text)} nor any other mention of the answer occurs in the article."


@register_rule_on_single_annotation(
    "R108",
    "The type of a mention is short.",
    f"Send the name of a type, of at most {LONGEST_MENTION_TYPE} characters.",
    field="type",
    kinds=[Kind.MENTION],
)
def explain_too_long_mention_type(annotation: AnnotationData, _: RuleContext) -> str | None:
    length = len(annotation.type)
    if length <= LONGEST_MENTION_TYPE:
        return None
    return f"The type has {length:,} characters; at most {LONGEST_MENTION_TYPE} are allowed."


@register_rule_on_single_annotation(
    "R110",
    "The database is one that is supported for this kind of annotation.",
    'Send "UniProt" or "EntrezGene" as the database of genes and proteins.',
    field="database",
    kinds=NAMESPACES_BY_KIND,
)
def explain_database_unsupported_for_kind(annotation: AnnotationData, _: RuleContext) -> str | None:
    if annotation.database in NAMESPACES_BY_KIND[annotation.kind]:
        return None
    return (
        f"The database {_quote_value(annotation.database)} is not supported for {KIND_LABELS[annotation.kind].lower()}."
    )


def _list_required_identifiers(annotation: AnnotationData) -> tuple[str, ...]:
    """The identifiers that an annotation must have: two for a pair or a passage, otherwise one. They may be empty."""
    if annotation.kind in (Kind.PAIR, Kind.PASSAGE):
        return (annotation.identifier, annotation.partner)
    return (annotation.identifier,)


def _find_malformed_identifier(annotation: AnnotationData, database: str) -> str | None:
    """The first identifier of an annotation that is malformed for the database; None for another database."""
    if annotation.database != database:
        return None
    pattern = NAMESPACES[database].pattern
    return next((each for each in _list_required_identifiers(annotation) if not pattern.fullmatch(each)), None)


@register_rule_on_single_annotation(
    "R111",
    "A UniProt accession has 6 or 10 characters and may name an isoform (P12345, A0A024R1R8, P04637-2).",
    "Send the primary accession without a database name, version or white space.",
    field="identifier",
    kinds=NAMESPACES_BY_KIND,
)
def explain_malformed_uniprot_accession_unless_entry_name(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "uniprot")
    if identifier is None or ENTRY_NAME_PATTERN.fullmatch(identifier):
        return None
    return f"{_quote_value(identifier)} is not a UniProt accession."


@register_rule_on_single_annotation(
    "R112",
    "Proteins are identified by UniProt accession, not by entry name.",
    "Map entry names to accessions (P53_HUMAN is P04637), for example with UniProt's ID mapping service.",
    field="identifier",
    kinds=NAMESPACES_BY_KIND,
)
def explain_entry_name_as_uniprot_accession(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "uniprot")
    if identifier is None or not ENTRY_NAME_PATTERN.fullmatch(identifier):
        return None
    return f"{_quote_value(identifier)} is a UniProt entry name, which can change, not an accession."


@register_rule_on_single_annotation(
    "R113",
    "An NCBI Gene identifier consists of digits.",
    "Send the gene's number (7157), not its symbol.",
    field="identifier",
    kinds=NAMESPACES_BY_KIND,
)
def explain_malformed_ncbi_gene_id(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "ncbigene")
    return None if identifier is None else f"{_quote_value(identifier)} is not an NCBI Gene identifier."


@register_rule_on_single_annotation(
    "R114",
    "An organism is identified by its NCBI Taxonomy number.",
    "Send the number (9606), not the organism's name. Omit a gene's organism when it is not known.",
    field="identifier",
    kinds=[Kind.TAXON],
)
def explain_malformed_id_of_taxon_annotation(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "ncbitaxon")
    return None if identifier is None else f"{_quote_value(identifier)} is not an identifier of the NCBI Taxonomy."


@register_rule_on_single_annotation(
    "R115",
    "The organism of a gene or protein is identified by its NCBI Taxonomy number.",
    "Send the number (9606), or omit the organism when it is not known.",
    field="taxon",
    kinds=[Kind.NORMALIZATION, Kind.PAIR],
)
def explain_gene_taxon_out_of_range(annotation: AnnotationData, _: RuleContext) -> str | None:
    if annotation.taxon is None or 1 <= annotation.taxon <= LARGEST_INTEGER:
        return None
    return f"{annotation.taxon} is not an identifier of the NCBI Taxonomy."


@register_rule_on_single_annotation(
    "R116",
    "A method is given as a PSI-MI identifier.",
    "Send the identifier of the term (MI:0006), not its name.",
    field="identifier",
    kinds=[Kind.METHOD],
)
def explain_malformed_psi_mi_id(annotation: AnnotationData, _: RuleContext) -> str | None:
    identifier = _find_malformed_identifier(annotation, "psi-mi")
    return None if identifier is None else f"{_quote_value(identifier)} is not a PSI-MI identifier."


@register_rule_across_annotations(
    "R120",
    "Each annotation is given once; a pair and its reverse are the same annotation.",
    "Send each annotation once, with its highest confidence.",
)
def iter_repeated_annotation_faults(
    annotations_of_kind: Sequence[IndexedAnnotation], _: RuleContext
) -> Iterator[IndexedFault]:
    seen: set[object] = set()
    for index, annotation in annotations_of_kind:
        if annotation.key in seen:
            swapped = annotation.kind is Kind.PAIR and annotation.identifier != annotation.partner
            note = " (pairs have no direction)" if swapped else ""
            yield index, f"The answer already contains this annotation{note}."
        seen.add(annotation.key)


@register_rule_across_annotations(
    "R121",
    "The number of annotations of one kind is limited.",
    "Send only the best annotations.",
)
def iter_faults_beyond_max_per_kind(
    annotations_of_kind: Sequence[IndexedAnnotation], context: RuleContext
) -> Iterator[IndexedFault]:
    if context.max_per_kind is not None:
        for index, _ in annotations_of_kind[context.max_per_kind :]:
            yield (
                index,
                f"The answer has {len(annotations_of_kind):,} annotations of this kind; "
                f"the limit is {context.max_per_kind:,}.",
            )


@register_rule_across_annotations(
    "R122",
    "A pair has at most five passages.",
    "Send the five best passages of each pair.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def iter_excess_passages_per_pair_faults(
    annotations: Sequence[IndexedAnnotation], _: RuleContext
) -> Iterator[IndexedFault]:
    counts: dict[object, int] = {}
    for index, annotation in annotations:
        pair = annotation.key[:-1]
        counts[pair] = counts.get(pair, 0) + 1
        if counts[pair] > PASSAGES_PER_PAIR:
            yield index, f"This is passage {counts[pair]} of the pair {annotation.identifier} and {annotation.partner}."


@register_rule_across_annotations(
    "R123",
    "A passage is copied verbatim from the article; only white space may differ.",
    "Send whole sentences exactly as they are in the article.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def iter_faults_of_uncopied_passages(
    passages: Sequence[IndexedAnnotation], context: RuleContext
) -> Iterator[IndexedFault]:
    article = collapse_white_space(context.claims.text.text) if passages else ""
    for index, annotation in passages:
        if not is_copied_passage(annotation.text, article):
            yield index, f"The article does not contain the passage {_quote_value(annotation.text)}."


@register_rule_on_single_annotation(
    "R124",
    "A passage has at most three sentences.",
    "Send the most informative sentences, or several passages.",
    field="text",
    kinds=[Kind.PASSAGE],
)
def explain_passage_over_three_sentences(annotation: AnnotationData, _: RuleContext) -> str | None:
    if not has_too_many_sentences(annotation.text):
        return None
    return f"The passage {_quote_value(annotation.text)} has more than three sentences."


def list_broken_annotation_rules(
    annotations: Sequence[AnnotationData],
    text: str,
    title_length: int,
    *,
    locations: Sequence[str] = (),
    field_names: Mapping[tuple[Kind, str], str] | None = None,
    max_per_kind: int | None = None,
) -> list[BrokenRule]:
    """Every rule that an annotation breaks, in the order of the annotations, which BrokenRule.index refers to.

    text is the canonical text of the article and title_length the length of its title, in code points. locations[i]
    says where annotations[i] is in the answer ("mentions[3]"; by default its kind and index), field_names what its
    fields are called there. max_per_kind limits the number of annotations of one kind. An annotation with a forbidden
    character (R106) breaks only that rule. Takes time in proportion to the annotations and the text.
    """
    annotations_by_kind: dict[Kind, list[IndexedAnnotation]] = {kind: [] for kind in Kind}
    context = RuleContext(
        PositionClaims(IndexedText(text, title_length), annotations_by_kind[Kind.MENTION]), max_per_kind
    )
    for index, annotation in enumerate(annotations):
        annotations_by_kind[annotation.kind].append((index, annotation))
    broken_rules = []
    for rule in ANNOTATION_RULES.values():
        for kind in rule.kinds:
            for index, message in rule.find_faults(annotations_by_kind[kind], context):
                location = locations[index] if locations else f"{kind}[{index}]"
                is_about_characters = rule.code == FORBIDDEN_CHARACTER_RULE
                field = _find_unstorable_field(annotations[index]) if is_about_characters else rule.field
                field_name = (field_names or {}).get((kind, field), field)
                where = f"{location}.{field_name}" if field_name else location
                broken_rules.append(BrokenRule(rule.code, where, message, rule.hint, index))
    unstorable = {broken.index for broken in broken_rules if broken.code == FORBIDDEN_CHARACTER_RULE}
    kept = (each for each in broken_rules if each.code == FORBIDDEN_CHARACTER_RULE or each.index not in unstorable)
    return sorted(kept, key=lambda broken: (broken.index or 0, broken.code))
