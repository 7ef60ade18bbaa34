"""The faults of a file in BioCreative II XML and the repairs that were made, each with its position."""

from collections.abc import Mapping, Sequence

from annotations.formats.annotated_text.faults import PositionedFaults
from annotations.formats.bc2_xml.markup import TextPosition
from annotations.formats.errors import FormatError, RefusedFileError

WHOLE_FILE = TextPosition(0, 0)


class Bc2FaultLog:
    """Collects the faults and repairs of one file.

    repair: whether to repair what has only one meaning; names: {normalized name: identifier}, as from
    annotations.formats.bc2_xml.values.normalize_lookup_names.
    """

    def __init__(self, source: str, *, repair: bool, names: Mapping[str, str]) -> None:
        self.source = source
        self.repair = repair
        self.names = names
        self.faults = PositionedFaults(source)
        self.repairs: list[FormatError] = []

    def note_fault_or_repair(
        self, rule: str, position: TextPosition, message: str, repair_note: str | None = None
    ) -> bool:
        """Note a repair if repairs are on and a repair note is given, otherwise a fault; return whether it is a repair.

        message: what is wrong and how to fix it; repair_note: what was done about it, None if it cannot be repaired.
        """
        if self.repair and repair_note is not None:
            self.repairs.append(FormatError(self.source, position.line, position.column, rule, repair_note))
            return True
        self.faults.add(rule, position.line, position.column, message)
        return False

    def finish(self) -> Sequence[FormatError]:
        """The repairs in the order of the file. RefusedFileError with all faults if there are any."""
        if self.faults:
            raise RefusedFileError(self.faults.list_faults())
        return sorted(self.repairs, key=lambda entry: (entry.line, entry.column, entry.rule))
