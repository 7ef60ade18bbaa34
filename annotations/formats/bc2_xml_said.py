"""What is said of a file in BioCreative II XML: its faults and, in mending, what was mended, each with its place."""

from collections.abc import Mapping, Sequence

from annotations.formats.bc2_xml_markup import Place
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.placed_faults import PlacedFaults

FILE = Place(0, 0)


class Said:
    """Gathers faults and repairs of one file. mend: mend what can be; names: identifiers by name, as names_of gives."""

    def __init__(self, source: str, *, mend: bool, names: Mapping[str, str]) -> None:
        self.source = source
        self.mend = mend
        self.names = names
        self.faults = PlacedFaults(source)
        self.repairs: list[FormatError] = []

    def wrong(self, rule: str, place: Place, message: str, mended: str | None = None) -> bool:
        """Note what is wrong and how to mend it by hand, or, in mending, what was done about it if anything can be.

        Whether it counts as mended.
        """
        if self.mend and mended is not None:
            self.repairs.append(FormatError(self.source, place.line, place.column, rule, mended))
            return True
        self.faults.add(rule, place.line, place.column, message)
        return False

    def finish(self) -> Sequence[FormatError]:
        """The repairs in the order of the file. RefusedFileError with all faults, if there is one."""
        if self.faults:
            raise RefusedFileError(self.faults.told())
        return sorted(self.repairs, key=lambda repair: (repair.line, repair.column, repair.rule))
