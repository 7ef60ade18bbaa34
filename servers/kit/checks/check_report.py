"""Reports of a check: as text, as data for programs, and as result files for python -m evaluation."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from annotations.identifiers.curies import format_curie
from annotations.relation_text import format_relation_ends
from annotations.schema import KIND_LABELS, AnnotationData, Kind, RelationArgument
from bcms.lib.text import clip_text_replacing_unprintable, replace_unstorable_characters
from servers.kit.checks.answer_vocabulary import count_answer_namespaces, count_answer_types, iter_vocabulary_lines
from servers.kit.checks.batch_check import BatchCheck
from servers.kit.checks.server_check import ServerCheck
from servers.protocols.parsed_answers import OmittedParts

MOST_REPORTED = 10
MOST_IN_DATA = 200
LONGEST_SHOWN = 60
# The columns of each kind's result file: those of its task, in the evaluation's tab-separated form.
RESULT_COLUMNS = {
    Kind.CLASSIFICATION: ("relevant",),
    Kind.NORMALIZATION: ("identifier",),
    Kind.TAXON: ("identifier",),
    Kind.METHOD: ("identifier",),
    Kind.PAIR: ("identifier", "partner"),
    Kind.PASSAGE: ("identifier", "partner", "text"),
}
TASKS_BY_KIND = {
    Kind.CLASSIFICATION: "act",
    Kind.NORMALIZATION: "gn",
    Kind.TAXON: "tx",
    Kind.METHOD: "imt",
    Kind.PAIR: "ipt",
    Kind.PASSAGE: "iss",
}

# All characters at which Python's str.splitlines splits, and tabs.
LINE_BREAKS_TO_SPACES = dict.fromkeys(map(ord, "\t\n\x0b\x0c\r\x1c\x1d\x1e\x85\u2028\u2029"), " ")
ResultFileRow = tuple[str, AnnotationData]


def iter_verdict_lines(checks: Sequence[ServerCheck]) -> Iterator[str]:
    """The last lines of the text report."""
    failed = sum(not check.passed for check in checks)
    if failed:
        yield f"The answers for {failed} of {format_article_count(len(checks))} break rules or are missing."
        return
    yield f"The answers for {format_article_count(len(checks))} break no rule."
    if not any(check.valid_annotations for check in checks):
        yield "The server returned no annotations, so few rules were tested: send articles that it should annotate."


def format_article_count(article_count: int) -> str:
    return f"{article_count:,} article{'' if article_count == 1 else 's'}"


def iter_check_report_lines(check: ServerCheck) -> Iterator[str]:
    """The lines of the text report about one article."""
    phases = ", ".join(f"{name} {seconds:.3f}" for name, seconds in check.phases.items())
    yield f"Article {check.sample.identifier}: {clip_text_replacing_unprintable(check.sample.title, 200)}"
    yield f"  {check.seconds:.3f} s" + (f" ({phases})" if phases else "")
    if check.answer is None:
        yield f"  FAILED [{check.failure_code}] {check.failure}"
        yield f"    What to do: {check.advice}"
        return
    if check.answer.stated_version:
        yield f"  version of the system: {check.answer.stated_version}"
    counts = [f"{KIND_LABELS[kind].lower()}: {number:,}" for kind, number in check.counts_by_kind.items()]
    yield f"  would be stored: {', '.join(counts) or 'nothing'}"
    yield from (f"    {format_annotation_line(annotation)}" for annotation in check.valid_annotations[:MOST_REPORTED])
    yield from iter_unreported_count_line(len(check.valid_annotations))
    yield from (f"  {line}" for line in iter_vocabulary_lines(check.valid_annotations, check.entity_types))
    for rule in check.broken_rules[:MOST_REPORTED]:
        where = clip_text_replacing_unprintable(rule.where, LONGEST_SHOWN) or "the answer"
        yield f"  BROKEN [{rule.code}] at {where}: {rule.message}"
        yield f"    What to do: {rule.mend}"
    yield from iter_unreported_count_line(len(check.broken_rules))
    yield from iter_batch_lines(check.batch) if check.batch else ()
    yield from (f"  note: {note}" for note in check.answer.notes)
    for part in check.answer.omitted.parts[:MOST_REPORTED]:
        where = clip_text_replacing_unprintable(part.where, LONGEST_SHOWN)
        yield f"  NOT STORED {where}: {part.reason}"
    if len(check.answer.omitted.parts) > MOST_REPORTED:
        yield f"    and more; {check.answer.omitted.count:,} parts in all are not stored"


def iter_batch_lines(batch: BatchCheck) -> Iterator[str]:
    """The lines about a request with several articles."""
    if batch.passed:
        yield f"  in one request with article {batch.articles[-1]}: both answers break no rule"
    for fault in batch.faults:
        where = f"article {fault.article}" if fault.article else "the request"
        yield f"  BATCH FAILED [{fault.code}] {where} of {len(batch.articles)} articles: {fault.message}"
        yield f"    What to do: {fault.mend}"


def iter_unreported_count_line(total_count: int) -> Iterator[str]:
    if total_count > MOST_REPORTED:
        yield f"    and {total_count - MOST_REPORTED:,} more"


def format_annotation_line(annotation: AnnotationData) -> str:
    """One annotation as a line of text."""
    fields = build_annotation_report_fields(annotation)
    extra = [f"{name} {fields[name]}" for name in ("rank", "confidence") if fields[name] is not None]
    texts = [clip_text_replacing_unprintable(str(fields[name]), LONGEST_SHOWN) for name in ("where", "what", "type")]
    return "  ".join(filter(None, [annotation.kind, *texts, *extra]))


def build_annotation_report_fields(annotation: AnnotationData) -> dict[str, object]:
    """One annotation as reports show it: kind, what, type, where, confidence and rank.

    type: of a mention, entity or relation, or the name of the set of a label. where: the parts of a mention, or the
    database of a bare identifier.
    """
    what = annotation.text or annotation.identifier
    bare_database = "" if annotation.kind == Kind.ENTITY else annotation.database
    if annotation.kind == Kind.CLASSIFICATION:
        what = "relevant" if annotation.relevant else "not relevant"
    elif annotation.partner:
        what = f"{annotation.identifier} - {annotation.partner}"
    elif annotation.kind == Kind.RELATION:
        what = format_relation_ends(annotation, map(name_relation_argument, annotation.arguments))
    elif annotation.kind == Kind.ENTITY:
        what = " ".join(filter(None, [annotation.text, format_curies_in_brackets(annotation)]))
    elif annotation.identifiers:
        what = f"{annotation.text} {format_curies_in_brackets(annotation)}"
    return {
        "kind": annotation.kind.value,
        "what": what,
        "type": annotation.type,
        "where": ", ".join(f"{start}-{end}" for start, end in annotation.parts) or bare_database,
        "confidence": annotation.confidence,
        "rank": annotation.rank,
    }


def format_curies_in_brackets(annotation: AnnotationData) -> str:
    """The links of a mention or the identifier of an entity, as in "(mesh:D009369, mondo:0005070)"."""
    return f"({', '.join(map(format_curie, annotation.iter_entity_ids()))})"


def name_relation_argument(argument: RelationArgument) -> str:
    """The text of an argument, or its identifiers."""
    return argument.text or ", ".join(map(format_curie, argument.identifiers))


def build_report_data(checks: Sequence[ServerCheck]) -> dict[str, object]:
    """The report as JSON-compatible data."""
    return {"passed": all(check.passed for check in checks), "articles": [build_check_data(check) for check in checks]}


def build_check_data(check: ServerCheck) -> dict[str, object]:
    failure = (
        {"code": check.failure_code, "message": replace_unstorable_characters(check.failure), "mend": check.advice}
        if check.answer is None
        else None
    )
    broken = [
        {
            "code": rule.code,
            "where": replace_unstorable_characters(rule.where),
            "message": replace_unstorable_characters(rule.message),
            "mend": rule.mend,
        }
        for rule in check.broken_rules
    ]
    return {
        "id": check.sample.identifier,
        "passed": check.passed,
        **({"batch": build_batch_data(check.batch)} if check.batch else {}),
        "seconds": round(check.seconds, 6),
        "phases": dict(check.phases),
        "stated_version": check.answer.stated_version if check.answer else "",
        "failure": failure,
        "broken_rules": broken,
        "notes": [replace_unstorable_characters(note) for note in check.answer.notes] if check.answer else [],
        "omitted": (check.answer.omitted if check.answer else OmittedParts()).build_data(),
        "stored": {kind.value: number for kind, number in check.counts_by_kind.items()},
        "findings": [
            build_annotation_report_fields(annotation) for annotation in check.valid_annotations[:MOST_IN_DATA]
        ],
        **build_vocabulary_data(check),
    }


def build_vocabulary_data(check: ServerCheck) -> dict[str, object]:
    """How the types and databases of the answer are understood.

    types: given, name, known, registered and number. namespaces: database, title, known, number and examples.
    """
    types = count_answer_types(check.valid_annotations, check.entity_types)
    namespaces = count_answer_namespaces(check.valid_annotations)
    return {
        "types": [asdict(each) for each in types],
        "namespaces": [{**asdict(each), "title": each.title, "known": bool(each.database)} for each in namespaces],
    }


def build_batch_data(batch: BatchCheck) -> dict[str, object]:
    """The result of a request with several articles; article is empty for a fault of the whole."""
    faults = [
        {
            "article": fault.article,
            "code": fault.code,
            "message": replace_unstorable_characters(fault.message),
            "mend": fault.mend,
        }
        for fault in batch.faults
    ]
    return {"passed": batch.passed, "articles": list(batch.articles), "faults": faults}


def write_result_file_per_task(checks: Sequence[ServerCheck], folder: Path) -> list[Path]:
    """Write one result file for each task with answers, mentions as PubTator; returns the paths. Raises OSError.

    NCBI Gene ids (gn) and UniProt accessions (int) are separate tasks.
    """
    tasks: dict[str, list[ResultFileRow]] = {}
    for check in checks:
        for annotation in check.valid_annotations:
            if annotation.kind in TASKS_BY_KIND:
                tasks.setdefault(get_result_task(annotation), []).append((check.sample.identifier, annotation))
    written = [write_task_tsv_dropping_incomplete_columns(folder / f"{task}.tsv", rows) for task, rows in tasks.items()]
    if any(check.counts_by_kind[Kind.MENTION] for check in checks):
        written.append(folder / "gm.pubtator")
        written[-1].write_text(
            "\n".join(format_pubtator_document_with_mentions(check) for check in checks), encoding="utf-8"
        )
    return written


def get_result_task(annotation_except_mention: AnnotationData) -> str:
    """The name of the annotation's task in the evaluation."""
    return (
        "int"
        if (annotation_except_mention.kind, annotation_except_mention.database) == (Kind.NORMALIZATION, "uniprot")
        else TASKS_BY_KIND[annotation_except_mention.kind]
    )


def write_task_tsv_dropping_incomplete_columns(path: Path, at_least_one_row: Sequence[ResultFileRow]) -> Path:
    """Write the rows of one task; rank and confidence become columns only if every row has them."""
    extra = [
        name for name in ("rank", "confidence") if all(getattr(each, name) is not None for _, each in at_least_one_row)
    ]
    columns = (*RESULT_COLUMNS[at_least_one_row[0][1].kind], *extra)
    path.write_text(
        "".join(format_result_tsv_line(identifier, each, columns) for identifier, each in at_least_one_row),
        encoding="utf-8",
    )
    return path


def format_result_tsv_line(article_id: str, annotation: AnnotationData, attribute_names: Sequence[str]) -> str:
    cells = [getattr(annotation, column) for column in attribute_names]
    texts = [str(int(cell)) if isinstance(cell, bool) else " ".join(str(cell).split()) for cell in cells]
    return "\t".join([article_id, *texts]) + "\n"


def format_pubtator_document_with_mentions(check: ServerCheck) -> str:
    """One document with its mentions; line breaks and tabs become spaces, so that positions stay the same."""
    identifier, sample = check.sample.identifier, check.sample
    rows = [
        "\t".join(
            [
                identifier,
                str(each.start),
                str(each.end),
                replace_line_breaks_and_tabs_with_spaces(each.text),
                replace_line_breaks_and_tabs_with_spaces(each.type) or "Gene",
            ]
        )
        for each in check.valid_annotations
        if each.kind == Kind.MENTION
    ]
    return "\n".join(
        [
            f"{identifier}|t|{sample.title}",
            f"{identifier}|a|{replace_line_breaks_and_tabs_with_spaces(sample.abstract)}",
            *rows,
            "",
        ]
    )


def replace_line_breaks_and_tabs_with_spaces(text: str) -> str:
    """The text with line breaks and tabs as spaces, one for one."""
    return text.translate(LINE_BREAKS_TO_SPACES)
