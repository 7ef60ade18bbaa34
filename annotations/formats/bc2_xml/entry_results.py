"""Parses the entries of BioCreative II XML into results: pairs, methods or passages of articles with their ranks."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotations.formats.bc2_xml.entries import METHOD_ELEMENT, PAIR_ELEMENT, RANK_ELEMENT, Bc2Element
from annotations.formats.bc2_xml.fault_log import Bc2FaultLog
from annotations.formats.bc2_xml.markup import TextPosition
from annotations.formats.bc2_xml.values import (
    parse_bc2_rank,
    parse_or_repair_bc2_article_id,
    parse_or_repair_bc2_interactor,
    parse_or_repair_bc2_method,
)
from annotations.formats.errors import quote_file_text

BC2_SUBTASKS = {"int": "BC2_PPI_IPS", "ipt": "BC2_PPI_IPS", "imt": "BC2_PPI_IMS", "iss": "BC2_PPI_ISS"}
ALL_BC2_SUBTASKS = {"BC2_PPI_IAS", *BC2_SUBTASKS.values()}
PASSAGE_ELEMENT, SENTENCE_RANK_ELEMENT = "SENTENCE_PASSAGE", "SENTENCE_RANK"
# A team had three runs.
RUN_NUMBERS = frozenset({"1", "2", "3"})
# The element of one result of each task.
RESULT_ELEMENTS = {"int": PAIR_ELEMENT, "ipt": PAIR_ELEMENT, "imt": METHOD_ELEMENT, "iss": PASSAGE_ELEMENT}


@dataclass(slots=True)
class Bc2Result:
    """One result.

    item: an identifier, two sorted identifiers, or these and a passage; None if it is faulty. position: of its element.
    rank: None without a rank; rank_position: of the rank, or of the result without one.
    """

    article: str
    item: tuple[str, ...] | None
    position: TextPosition
    rank: int | None
    rank_position: TextPosition


@dataclass(slots=True)
class UnparsedResult:
    """A result of an entry before its values are parsed; pair is None for a method."""

    element: Bc2Element
    pair: Bc2Element | None
    rank: Bc2Element | None


class Bc2EntryParser:
    """Parses entries one after the other, and checks that they are consistent with earlier ones."""

    def __init__(self, task: str, fault_log: Bc2FaultLog) -> None:
        self.task = task
        self.fault_log = fault_log
        # The interactors of each pair of the current entry: in ISS, several passages may share a pair.
        self.pairs: dict[TextPosition, tuple[str, ...] | None] = {}
        self.header_elements: dict[str, Bc2Element] = {}
        self.article: str | None = None
        self.number = 0
        # {article: (number and position of its last entry, whether one of its entries has several results)}
        self.last_entries: dict[str, tuple[int, TextPosition, bool]] = {}

    def iter_results(self, entry: Bc2Element) -> Iterator[Bc2Result]:
        """The results of one entry; notes its faults."""
        self.number += 1
        self.pairs.clear()
        self.check_header(entry)
        unparsed_results = self.list_unparsed_results(entry)
        is_empty = (
            self.fault_log.repair
            and not entry.list_children("PMID")
            and not entry.list_children(RESULT_ELEMENTS[self.task])
        )
        article = None if is_empty else self.find_article_id(entry)
        if article is not None:
            self.check_article_entries(entry, article, several=len(unparsed_results) > 1)
        for unparsed in unparsed_results:
            item = self.parse_item(unparsed)
            rank = parse_bc2_rank(unparsed.rank, self.fault_log) if unparsed.rank is not None else None
            position = unparsed.element.position
            if article is not None:
                yield Bc2Result(
                    article, item, position, rank, unparsed.rank.position if unparsed.rank is not None else position
                )

    def check_header(self, entry: Bc2Element) -> None:
        """Check that subtask, team and run, where given, are the same in the whole file."""
        for subtask in self.list_single_child(entry, "PPI_SUB_TASK_ID"):
            self.check_subtask(subtask)
        for name in ("TEAM_ID", "RUN_NR"):
            for element in self.list_single_child(entry, name):
                first = self.header_elements.setdefault(name, element)
                if name == "RUN_NR" and first is element:
                    self.check_run_number(element)
                if first.value != element.value:
                    values = f"{quote_file_text(element.value)} here, but {quote_file_text(first.value)}"
                    problem = f"{name} is {values} in line {first.position.line}"
                    self.fault_log.note_fault_or_repair(
                        "R641", element.position, f"{problem} - write one file for each run"
                    )

    def check_run_number(self, run_number: Bc2Element) -> None:
        if run_number.value not in RUN_NUMBERS:
            value = quote_file_text(run_number.value)
            self.fault_log.note_fault_or_repair(
                "R647",
                run_number.position,
                f"{value} is not the number of a run - write 1, 2 or 3, or leave RUN_NR out",
                f"RUN_NR {value} is not 1, 2 or 3 and was ignored",
            )

    def check_subtask(self, subtask: Bc2Element) -> None:
        expected, value = BC2_SUBTASKS[self.task], subtask.value
        if value == expected:
            return
        repair_note = None if value in ALL_BC2_SUBTASKS else f"{quote_file_text(value)} was read as {expected}"
        self.fault_log.note_fault_or_repair(
            "R641",
            subtask.position,
            f"{quote_file_text(value)} is not the subtask {expected} - correct it",
            repair_note,
        )

    def find_article_id(self, entry: Bc2Element) -> str | None:
        """The ID of the article, None without one; with repairs on, that of the previous entry."""
        for pmid in self.list_single_child(entry, "PMID"):
            self.article = parse_or_repair_bc2_article_id(pmid, self.fault_log)
            return self.article
        previous_article = self.article
        repair_note = (
            None
            if previous_article is None
            else f"ENTRY without PMID was joined with the previous one, of article {previous_article}"
        )
        self.fault_log.note_fault_or_repair(
            "R636", entry.position, "ENTRY has no PMID - add the PMID of the article", repair_note
        )
        return previous_article if self.fault_log.repair else None

    def check_article_entries(self, entry: Bc2Element, article: str, *, several: bool) -> None:
        """Check that the results of an article are in one entry, or each in its own, next to each other."""
        last = self.last_entries.get(article)
        self.last_entries[article] = (self.number, entry.position, several or (last is not None and last[2]))
        if last is None or (last[0] == self.number - 1 and not several and not last[2]):
            return
        problem = f"article {article} already has an ENTRY in line {last[1].line}"
        fix = "put all its results into one ENTRY, or each into its own, next to each other"
        self.fault_log.note_fault_or_repair(
            "R639", entry.position, f"{problem} - {fix}", f"{problem}, which was joined with this one"
        )

    def list_unparsed_results(self, entry: Bc2Element) -> list[UnparsedResult]:
        """The results of the entry, each with its pair and rank."""
        elements = entry.list_children(RESULT_ELEMENTS[self.task])
        if not elements:
            message = f"ENTRY has no {RESULT_ELEMENTS[self.task]} - add one, or remove the ENTRY"
            self.fault_log.note_fault_or_repair("R637", entry.position, message, "ENTRY without a result was skipped")
            return []
        outside_rank = self.find_rank_outside_result(entry, elements)
        if self.task == "iss":
            return self.list_unparsed_passages(entry, elements)
        return [
            UnparsedResult(
                element,
                self.find_pair_element(element),
                outside_rank or _find_first_element(self.list_single_child(element, RANK_ELEMENT)),
            )
            for element in elements
        ]

    def find_rank_outside_result(self, entry: Bc2Element, elements: Sequence[Bc2Element]) -> Bc2Element | None:
        """A rank beside the only result, if that has no rank itself; ranks in this place are noted in any case."""
        ranks = entry.list_children(RANK_ELEMENT)
        is_unambiguous = (
            len(elements) == len(ranks) == 1 and self.task != "iss" and not elements[0].list_children(RANK_ELEMENT)
        )
        repair_note = f"<{RANK_ELEMENT}> beside the result was read as its rank" if is_unambiguous else None
        for rank in ranks:
            correct_place = (
                SENTENCE_RANK_ELEMENT if self.task == "iss" else f"{RANK_ELEMENT} in <{RESULT_ELEMENTS[self.task]}>"
            )
            self.fault_log.note_fault_or_repair(
                "R634", rank.position, f"<{RANK_ELEMENT}> is in <ENTRY> - write it as {correct_place}", repair_note
            )
        return _find_first_element(ranks) if is_unambiguous else None

    def find_pair_element(self, element: Bc2Element) -> Bc2Element | None:
        return element if element.name == PAIR_ELEMENT else None

    def list_unparsed_passages(self, entry: Bc2Element, passages: Sequence[Bc2Element]) -> list[UnparsedResult]:
        """Passages with their pairs and ranks, which are in the same order if an ENTRY has several."""
        pairs, ranks = entry.list_children(PAIR_ELEMENT), entry.list_children(SENTENCE_RANK_ELEMENT)
        if not pairs:
            problem = f"ENTRY has a passage, but no {PAIR_ELEMENT} - add the pair"
            self.fault_log.note_fault_or_repair("R637", entry.position, problem)
            return []
        passage_count = len(passages)
        is_unambiguous = len(pairs) in (1, passage_count) and len(ranks) in (0, passage_count)
        if passage_count > 1 or not is_unambiguous:
            repair_note = (
                f"the {passage_count} passages of this ENTRY were read as one ENTRY each" if is_unambiguous else None
            )
            problem = f"ENTRY has {passage_count} passages, {len(pairs)} pairs and {len(ranks)} ranks"
            self.fault_log.note_fault_or_repair(
                "R638", entry.position, f"{problem} - write one ENTRY for each passage", repair_note
            )
            if not is_unambiguous:
                return []
        paired = pairs if len(pairs) == passage_count else pairs * passage_count
        ranked: Iterable[Bc2Element | None] = ranks or [None] * passage_count
        return [UnparsedResult(*parts) for parts in zip(passages, paired, ranked, strict=True)]

    def parse_item(self, unparsed: UnparsedResult) -> tuple[str, ...] | None:
        """The item of a result, None if it is faulty."""
        if unparsed.pair is None:
            value = self.parse_value(unparsed.element, "INT_DET_METHOD_ID", parse_or_repair_bc2_method)
            return None if value is None else (value,)
        if unparsed.pair.position not in self.pairs:
            self.pairs[unparsed.pair.position] = self.parse_partners(unparsed.pair)
        pair = self.pairs[unparsed.pair.position]
        return self.add_passage(pair, unparsed.element) if self.task == "iss" else pair

    def parse_partners(self, pair: Bc2Element) -> tuple[str, ...] | None:
        """Both interactors, sorted; None if one is faulty."""
        values = [
            self.parse_value(pair, name, parse_or_repair_bc2_interactor) for name in ("INTERACTOR_1", "INTERACTOR_2")
        ]
        known = [value for value in values if value is not None]
        return tuple(sorted(known)) if len(known) == 2 else None

    def add_passage(self, pair: tuple[str, ...] | None, passage: Bc2Element) -> tuple[str, ...] | None:
        text = passage.value
        if not text:
            self.fault_log.note_fault_or_repair(
                "R640", passage.position, f"<{PASSAGE_ELEMENT}> is empty - add the passage"
            )
        return (*pair, text) if pair is not None and text else None

    def parse_value(
        self, parent: Bc2Element, name: str, parse: Callable[[Bc2Element, Bc2FaultLog], str | None]
    ) -> str | None:
        """The parsed value of a child element, None if it is missing or faulty."""
        for element in self.list_single_child(parent, name):
            if element.value:
                return parse(element, self.fault_log)
            self.fault_log.note_fault_or_repair("R640", element.position, f"<{name}> is empty - add its value")
            return None
        self.fault_log.note_fault_or_repair("R637", parent.position, f"<{parent.name}> has no <{name}> - add it")
        return None

    def list_single_child(self, parent: Bc2Element, name: str) -> list[Bc2Element]:
        """The first child of this name in a list, which is empty without one; notes repeated children."""
        children = parent.list_children(name)
        for repeated in children[1:]:
            problem = f"this <{parent.name}> already has a <{name}> in line {children[0].position.line}"
            repair_note = f"{problem}; this one was removed" if repeated.value == children[0].value else None
            self.fault_log.note_fault_or_repair(
                "R638", repeated.position, f"{problem} - keep one of the two", repair_note
            )
        return children[:1]


def _find_first_element(elements: Sequence[Bc2Element]) -> Bc2Element | None:
    return elements[0] if elements else None
