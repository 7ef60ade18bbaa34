"""What the entries of BioCreative II XML report: pairs, methods or passages of articles, each with its rank."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotations.formats.bc2_xml_entries import METHOD, PAIR, RANK, Element
from annotations.formats.bc2_xml_markup import Place
from annotations.formats.bc2_xml_said import Said
from annotations.formats.bc2_xml_values import article_of, interactor_of, method_of, rank_of
from annotations.formats.tsv_faults import quoted

SUBTASKS = {"int": "BC2_PPI_IPS", "ipt": "BC2_PPI_IPS", "imt": "BC2_PPI_IMS", "iss": "BC2_PPI_ISS"}
ALL_SUBTASKS = {"BC2_PPI_IAS", *SUBTASKS.values()}
PASSAGE, SENTENCE_RANK = "SENTENCE_PASSAGE", "SENTENCE_RANK"
# What one result of a task is, and where its rank stands.
RESULT = {"int": PAIR, "ipt": PAIR, "imt": METHOD, "iss": PASSAGE}


@dataclass(slots=True)
class Result:
    """One result. item: an identifier, two sorted, or two sorted and a passage; None when something is wrong with it.

    place: of its element. rank is None when there is none; rank_place is where it stands, or else the result.
    """

    article: str
    item: tuple[str, ...] | None
    place: Place
    rank: int | None
    rank_place: Place


@dataclass(slots=True)
class Found:
    """A result of an entry before its values are read; pair is None of a method."""

    element: Element
    pair: Element | None
    rank: Element | None


class Entries:
    """Reads entries one after the other: what they have in common with those before is checked, too."""

    def __init__(self, task: str, said: Said) -> None:
        self.task = task
        self.said = said
        # The interactors of each pair of the entry at hand: in ISS several passages may share one.
        self.pairs: dict[Place, tuple[str, ...] | None] = {}
        self.constant: dict[str, Element] = {}
        self.article: str | None = None
        self.number = 0
        # {article: (its last entry, where that begins, whether one of its entries has several results)}
        self.seen: dict[str, tuple[int, Place, bool]] = {}

    def results(self, entry: Element) -> Iterator[Result]:
        """The results of one entry; notes what is wrong with it."""
        self.number += 1
        self.pairs.clear()
        self.check_header(entry)
        found = self.found(entry)
        empty = self.said.mend and not entry.all("PMID") and not entry.all(RESULT[self.task])
        article = None if empty else self.article_of(entry)
        if article is not None:
            self.check_split(entry, article, several=len(found) > 1)
        for own in found:
            item = self.item(own)
            rank = rank_of(own.rank, self.said) if own.rank is not None else None
            place = own.element.place
            if article is not None:
                yield Result(article, item, place, rank, own.rank.place if own.rank is not None else place)

    def check_header(self, entry: Element) -> None:
        """Task, team and run are those of the whole file, as far as they are given."""
        for task in self.once(entry, "PPI_SUB_TASK_ID"):
            self.check_subtask(task)
        for name in ("TEAM_ID", "RUN_NR"):
            for own in self.once(entry, name):
                first = self.constant.setdefault(name, own)
                if first.value != own.value:
                    said = f"{name} is {quoted(own.value)} here, but {quoted(first.value)} in line {first.place.line}"
                    self.said.wrong("R641", own.place, f"{said} - write one run to a file")

    def check_subtask(self, own: Element) -> None:
        wanted, value = SUBTASKS[self.task], own.value
        if value == wanted:
            return
        mended = None if value in ALL_SUBTASKS else f"{quoted(value)} was read as {wanted}"
        self.said.wrong("R641", own.place, f"{quoted(value)} is not the subtask {wanted} - correct it", mended)

    def article_of(self, entry: Element) -> str | None:
        """The id of the article, None when there is none; in mending that of the entry before."""
        for pmid in self.once(entry, "PMID"):
            self.article = article_of(pmid, self.said)
            return self.article
        before = self.article
        mended = None if before is None else f"ENTRY without PMID was joined with the one before, of article {before}"
        self.said.wrong("R636", entry.place, "ENTRY has no PMID - write the article's into it", mended)
        return before if self.said.mend else None

    def check_split(self, entry: Element, article: str, *, several: bool) -> None:
        """All results of an article stand in one entry, or each in one of its own, next to each other."""
        last = self.seen.get(article)
        self.seen[article] = (self.number, entry.place, several or (last is not None and last[2]))
        if last is None or (last[0] == self.number - 1 and not several and not last[2]):
            return
        said = f"article {article} has an ENTRY in line {last[1].line} already"
        mend = "put all its results into one ENTRY, or each into one of its own, next to each other"
        self.said.wrong("R639", entry.place, f"{said} - {mend}", f"{said}, which was joined with this one")

    def found(self, entry: Element) -> list[Found]:
        """The results of the entry, each with what belongs to it."""
        own = entry.all(RESULT[self.task])
        if not own:
            message = f"ENTRY has no {RESULT[self.task]} - write one into it, or remove the ENTRY"
            self.said.wrong("R637", entry.place, message, "ENTRY without a result was left out")
            return []
        beside = self.rank_beside(entry, own)
        if self.task == "iss":
            return self.passages(entry, own)
        return [Found(element, self.pair_of(element), beside or first(self.once(element, RANK))) for element in own]

    def rank_beside(self, entry: Element, own: Sequence[Element]) -> Element | None:
        """A rank that stands beside the only result, which has none of its own; it is wrong there in any case."""
        ranks = entry.all(RANK)
        alone = len(own) == len(ranks) == 1 and self.task != "iss" and not own[0].all(RANK)
        mended = f"<{RANK}> beside the result was read as its rank" if alone else None
        for rank in ranks:
            where = SENTENCE_RANK if self.task == "iss" else f"{RANK} in <{RESULT[self.task]}>"
            self.said.wrong("R634", rank.place, f"<{RANK}> stands in <ENTRY> - write it as {where}", mended)
        return first(ranks) if alone else None

    def pair_of(self, element: Element) -> Element | None:
        return element if element.name == PAIR else None

    def passages(self, entry: Element, passages: Sequence[Element]) -> list[Found]:
        """Passages with the pair and the rank of each; in an ENTRY with several they are in the same order."""
        pairs, ranks = entry.all(PAIR), entry.all(SENTENCE_RANK)
        if not pairs:
            message = f"ENTRY has a passage, but no {PAIR} - write the pair into it"
            self.said.wrong("R637", entry.place, message)
            return []
        number = len(passages)
        fitting = len(pairs) in (1, number) and len(ranks) in (0, number)
        if number > 1 or not fitting:
            mended = f"the {number} passages of this ENTRY were read as one ENTRY each" if fitting else None
            message = f"ENTRY has {number} passages, {len(pairs)} pairs and {len(ranks)} ranks"
            self.said.wrong("R638", entry.place, f"{message} - write one ENTRY for each passage", mended)
            if not fitting:
                return []
        paired = pairs if len(pairs) == number else pairs * number
        ranked: Iterable[Element | None] = ranks or [None] * number
        return [Found(*own) for own in zip(passages, paired, ranked, strict=True)]

    def item(self, own: Found) -> tuple[str, ...] | None:
        """What the result says, None when something is wrong with it."""
        if own.pair is None:
            value = self.value(own.element, "INT_DET_METHOD_ID", method_of)
            return None if value is None else (value,)
        if own.pair.place not in self.pairs:
            self.pairs[own.pair.place] = self.partners(own.pair)
        pair = self.pairs[own.pair.place]
        return self.with_passage(pair, own.element) if self.task == "iss" else pair

    def partners(self, pair: Element) -> tuple[str, ...] | None:
        """Both interactors, sorted; None when something is wrong with one."""
        values = [self.value(pair, name, interactor_of) for name in ("INTERACTOR_1", "INTERACTOR_2")]
        known = [value for value in values if value is not None]
        return tuple(sorted(known)) if len(known) == 2 else None

    def with_passage(self, pair: tuple[str, ...] | None, passage: Element) -> tuple[str, ...] | None:
        text = passage.value
        if not text:
            self.said.wrong("R640", passage.place, f"<{PASSAGE}> is empty - copy the passage into it")
        return (*pair, text) if pair is not None and text else None

    def value(self, holder: Element, name: str, read: Callable[[Element, Said], str | None]) -> str | None:
        """What a value within an element says, None when it is lacking or wrong."""
        for own in self.once(holder, name):
            if own.value:
                return read(own, self.said)
            self.said.wrong("R640", own.place, f"<{name}> is empty - write its value")
            return None
        self.said.wrong("R637", holder.place, f"<{holder.name}> has no <{name}> - write it")
        return None

    def once(self, holder: Element, name: str) -> list[Element]:
        """The element of this name in a list, an empty one when there is none; it must not stand twice."""
        found = holder.all(name)
        for other in found[1:]:
            said = f"<{name}> stands in line {found[0].place.line} of this <{holder.name}> already"
            mended = f"{said} and was left out" if other.value == found[0].value else None
            self.said.wrong("R638", other.place, f"{said} - keep one of the two", mended)
        return found[:1]


def first(elements: Sequence[Element]) -> Element | None:
    return elements[0] if elements else None
