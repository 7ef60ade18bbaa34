"""An uploaded run: read in whichever format it is written, checked for its phase, and given as findings by article.

Files are read by the readers of `python -m evaluation` and by the same rules, R601 to R707; what a phase asks for
besides is R711 to R715.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO

from annotations.databases import DATABASES
from annotations.formats.annotated_text import TEXT_FORMATS
from annotations.formats.bc2_xml import BC2_TASKS, read_bc2_run
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.placed_faults import PlacedFaults
from annotations.formats.runs_tsv import Rules, Table, read_run
from annotations.formats.sniffing import Format, check_text, format_of
from annotations.formats.text_results import TEXT_TASKS, results_of
from annotations.formats.trec import TREC_TASKS, read_trec_run
from annotations.formats.tsv_content import COLUMNS
from annotations.formats.tsv_faults import quoted
from annotations.formats.tsv_lines import text_lines
from annotations.kinds import LABELS, Finding, Kind

# What the readers call a task of each kind.
WORDS = {
    Kind.MENTION: "gm",
    Kind.CLASSIFICATION: "act",
    Kind.TAXON: "tx",
    Kind.NORMALIZATION: "gn",
    Kind.METHOD: "imt",
    Kind.PAIR: "ipt",
    Kind.PASSAGE: "iss",
}
# PostgreSQL's integers end here; ranks beyond are kept by their order.
LARGEST_RANK = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Identifiers:
    """The databases whose identifiers a kind has, what to call one, and how to write it."""

    databases: tuple[str, ...]
    expected: str
    mend: str


OF_PAIRS = Identifiers(
    ("uniprot", "ncbigene"),
    "a pair of UniProt accessions or of NCBI Gene ids",
    "write both of one database, such as P12830 and P35222",
)
IDENTIFIERS = {
    Kind.TAXON: Identifiers(("ncbitaxon",), "an NCBI Taxonomy id", "write the number alone, such as 9606"),
    Kind.NORMALIZATION: Identifiers(
        ("ncbigene", "uniprot"), "an NCBI Gene id or a UniProt accession", "write one such as 999 or P12830"
    ),
    Kind.METHOD: Identifiers(("psi-mi",), "a PSI-MI id", "write its prefix and four digits, such as MI:0018"),
    Kind.PAIR: OF_PAIRS,
    Kind.PASSAGE: OF_PAIRS,
}


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file that could be read; note says how it was taken."""

    source: str
    table: Table
    form: Format
    note: str

    @property
    def articles(self) -> list[str]:
        """What the file calls its articles, each once, those of which it says nothing too."""
        return list(self.table.article.names)

    def line(self, row: int) -> int:
        """The line of a row, 0 where the format has other lines than results."""
        return row + 1 if self.form == Format.TSV else 0


def word_of(kind: Kind, name: str) -> str:
    """What the readers call a task, by its kind and its name in the challenge."""
    return "int" if kind == Kind.NORMALIZATION and name.lower().startswith("int") else WORDS[kind]


@dataclass(frozen=True, slots=True)
class Place:
    """What a run answers: a kind of annotation, under the name of the task in its challenge."""

    kind: Kind
    name: str = ""

    @property
    def word(self) -> str:
        """What the readers call the task, as word_of."""
        return word_of(self.kind, self.name)


def read_run_file(stream: BinaryIO, source: str, task: str, rules: Rules, known: Collection[str]) -> RunFile:
    """The run in a seekable stream. task: one of the words of `python -m evaluation`; known: names of the articles.

    RefusedFileError with all faults (R601 to R707, R711); what is known does not decide about them but by the rules.
    """
    check_text(stream, source)
    form = run_format(stream, source, task)
    if form == Format.BC2_XML:
        return RunFile(source, read_bc2_run(stream, task, source, rules=rules, known=known), form, "BioCreative II XML")
    if form == Format.TSV:
        table = read_run(stream, task, source, rules=rules, known=known)
        found = ", ".join(table.extras) or "none"
        return RunFile(source, table, form, f"tab-separated values; columns found after the result: {found}")
    own = trec(stream, source, task) if form == Format.TREC_RUN else annotated_text(stream, source, task, form)
    if lacking := [name for name in rules.needed if name not in own.table.extras]:
        said = f"there is no {lacking[0]}, which the rules {rules.name} ask for - write tab-separated values"
        raise RefusedFileError([FormatError(source, 0, 0, "R611", said)])
    return own


def run_format(stream: BinaryIO, source: str, task: str) -> Format:
    """The format of a run of this task. RefusedFileError when it cannot hold one (R711)."""
    form = format_of(stream)
    if form in TEXT_FORMATS:
        fits = task in TEXT_TASKS and (task != "act" or TEXT_FORMATS[form].classes)
    elif form == Format.TREC_QRELS and task in TREC_TASKS:
        said = "the file holds judgements as TREC writes them, no run - upload the run, with six columns"
        raise RefusedFileError([FormatError(source, 0, 0, "R711", said)])
    else:
        fits = (form != Format.BC2_XML or task in BC2_TASKS) and (form != Format.TREC_RUN or task in TREC_TASKS)
    if not fits:
        said = f"the file is in the format {form}, which has no results of this task - write tab-separated values"
        raise RefusedFileError([FormatError(source, 0, 0, "R711", said)])
    # Lines that have no other form are read as tab-separated values, so that their faults are told.
    return form if form in {*TEXT_FORMATS, Format.BC2_XML, Format.TREC_RUN} else Format.TSV


def trec(stream: BinaryIO, source: str, task: str) -> RunFile:
    table = read_trec_run(stream, task, source)
    scores = "no confidence" if table.confidence is None else "the confidence"
    return RunFile(source, table, Format.TREC_RUN, f"TREC run; lists by falling score, which is {scores}")


def annotated_text(stream: BinaryIO, source: str, task: str, form: Format) -> RunFile:
    own = TEXT_FORMATS[form]
    found = results_of(own.read(stream, source), task)
    return RunFile(source, found.table, form, f"{own.name}; {found.note}")


def read_for_phase(
    stream: BinaryIO, source: str, place: Place, rules: Rules, known: Mapping[str, int], most: int | None
) -> RunFile:
    """The run in a seekable stream, which fits the phase. known: {name: article}; most: results of an article, None
    for any number. RefusedFileError with all faults, as read_run_file and check_for_phase.
    """
    try:
        run = read_run_file(stream, source, place.word, rules, known)
    except RefusedFileError as error:
        faults = PlacedFaults(source)
        check_lines(stream, place, known, faults)
        raise RefusedFileError(sorted([*error.faults, *faults.told()], key=in_order)) from None
    check_for_phase(run, place.kind, known, most)
    return run


def in_order(fault: FormatError) -> tuple[bool, int, int, str]:
    """By line; what is said of the file as a whole comes last."""
    return (not fault.line, fault.line, fault.column, fault.rule)


def check_lines(stream: BinaryIO, place: Place, known: Mapping[str, int], faults: PlacedFaults) -> None:
    """R712 in tab-separated values that were refused already, so that their owner mends all at once."""
    stream.seek(0)
    width = len(COLUMNS[place.word])
    if format_of(stream) != Format.TSV or place.kind == Kind.CLASSIFICATION:
        return
    for number, line in enumerate(chain.from_iterable(text_lines(stream)), 1):
        article, *rest = line.split("\t")
        parts = tuple(rest[: width - 1])
        if article in known and len(parts) == width - 1 and all(parts) and database_of(place.kind, parts) is None:
            faults.add("R712", number, len(article) + 2, misnamed(place.kind, parts))


def misnamed(kind: Kind, parts: tuple[str, ...]) -> str:
    own = IDENTIFIERS[kind]
    parts = parts[:2] if kind == Kind.PASSAGE else parts
    return f"{quoted(' and '.join(parts))} is not {own.expected} - {own.mend}"


def check_for_phase(run: RunFile, kind: Kind, known: Mapping[str, int], most: int | None) -> None:
    """RefusedFileError with all faults (R712 to R715) of a run that does not fit the phase.

    Articles that are not known are nobody's fault, unless all are.
    """
    faults = PlacedFaults(run.source)
    if not any(name in known for name in run.articles):
        said = "none of its articles is in this phase - name them as the phase's file of articles does"
        faults.add("R713", 0, 0, said)
    check_identifiers(run, kind, known, faults)
    check_numbers(run, kind, known, most, faults)
    check_names(run, known, faults)
    if faults:
        raise RefusedFileError(faults.told())


def check_identifiers(run: RunFile, kind: Kind, known: Mapping[str, int], faults: PlacedFaults) -> None:
    """R712: each identifier of a known article has the form of one of its databases."""
    item, article = run.table.item, run.table.article
    if item is None or kind not in IDENTIFIERS:
        return
    wrong = {code for code, value in enumerate(item.names) if database_of(kind, parts_of(value)) is None}
    if not wrong:
        return
    for row, (code, said_of) in enumerate(zip(item.codes.tolist(), article.codes.tolist(), strict=True)):
        name = article.names[said_of]
        if code in wrong and name in known:
            where = "" if run.line(row) else f"article {quoted(name)}: "
            column = len(name) + 2 if run.line(row) else 0
            faults.add("R712", run.line(row), column, where + misnamed(kind, parts_of(item.names[code])))


def check_numbers(run: RunFile, kind: Kind, known: Mapping[str, int], most: int | None, faults: PlacedFaults) -> None:
    """R714: no article has more results than the phase takes."""
    if most is None or run.table.item is None:
        return
    article, numbers = run.table.article, Counter[int]()
    for row, code in enumerate(article.codes.tolist()):
        numbers[code] += 1
        if numbers[code] == most + 1 and (name := article.names[code]) in known:
            cap = f"{most:,} {LABELS[kind].lower()}, the cap of the phase"
            said = f"article {quoted(name)} has more than {cap} - leave out the least sure"
            faults.add("R714", run.line(row), min(run.line(row), 1), said)


def check_names(run: RunFile, known: Mapping[str, int], faults: PlacedFaults) -> None:
    """R715: no article is given under two of its names."""
    first: dict[int, str] = {}
    for name in run.articles:
        if name in known and first.setdefault(known[name], name) != name:
            said = f"{quoted(name)} and {quoted(first[known[name]])} are the same article - use one of its names"
            faults.add("R715", 0, 0, said)


def parts_of(item: str | tuple[str, ...]) -> tuple[str, ...]:
    return (item,) if isinstance(item, str) else item


def database_of(kind: Kind, parts: tuple[str, ...]) -> str | None:
    """The first of the kind's databases whose form all of these identifiers have; of a passage it is the pair's."""
    parts = parts[:2] if kind == Kind.PASSAGE else parts
    fitting = (own for own in IDENTIFIERS[kind].databases if all(map(DATABASES[own].pattern.fullmatch, parts)))
    return next(fitting, None)


def findings_by_article(run: RunFile, kind: Kind, known: Mapping[str, int]) -> dict[int, list[Finding]]:
    """{article: what a run that fits the phase says of it}, articles of which it says nothing with an empty list.

    A run without ranks and confidences is in the order of its lines, which become the ranks.
    """
    table, articles = run.table, [known.get(name) for name in run.articles]
    found: dict[int, list[Finding]] = {article: [] for article in articles if article is not None}
    said = values(table, kind)
    columns = zip(table.article.codes.tolist(), said, ranks(table), confidences(table), texts(table, kind), strict=True)
    for code, (database, identifier, partner, relevant), rank, confidence, text in columns:
        article = articles[code]
        if article is not None:
            found[article].append(
                Finding(
                    kind,
                    confidence,
                    rank,
                    database=database,
                    identifier=identifier,
                    partner=partner,
                    relevant=relevant,
                    text=text,
                )
            )
    return found


def values(table: Table, kind: Kind) -> Iterable[tuple[str, str, str, bool | None]]:
    """Of each row database, identifier, partner and class."""
    if table.item is None:
        return [("", "", "", bool(own)) for own in table.relevant.tolist()] if table.relevant is not None else []
    named = [identified(kind, parts_of(item)) for item in table.item.names]
    return [named[code] for code in table.item.codes.tolist()]


def identified(kind: Kind, parts: tuple[str, ...]) -> tuple[str, str, str, bool | None]:
    return (database_of(kind, parts) or "", parts[0], parts[1] if len(parts) > 1 else "", None)


def texts(table: Table, kind: Kind) -> Iterable[str]:
    """Of each row the passage, empty for other kinds."""
    if kind != Kind.PASSAGE or table.item is None:
        return [""] * len(table)
    return [table.item.names[code][2] for code in table.item.codes.tolist()]


def confidences(table: Table) -> list[float | None]:
    return [None] * len(table) if table.confidence is None else table.confidence.tolist()


def ranks(table: Table) -> list[int | None]:
    """Of each row; None throughout where confidences alone tell the order."""
    if table.rank is not None:
        return small(table.rank.tolist())
    return [None] * len(table) if table.confidence is not None else places_of_lines(table)


def small(given: list[int]) -> list[int | None]:
    """The ranks, or if one is too large to be stored their places among them all."""
    if max(given, default=0) <= LARGEST_RANK:
        return [*given]
    places = {rank: place for place, rank in enumerate(sorted(set(given)), 1)}
    return [places[rank] for rank in given]


def places_of_lines(table: Table) -> list[int | None]:
    """The place of each row in its list: that of its article, of calls that of its class."""
    lists = table.article.codes.tolist() if table.relevant is None else table.relevant.tolist()
    numbers: Counter[int] = Counter()
    found: list[int | None] = []
    for own in lists:
        numbers[own] += 1
        found.append(numbers[own])
    return found
