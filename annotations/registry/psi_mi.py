"""Fetches the PSI-MI ontology as a whole: it is one file, and what is not in it does not exist."""

from collections.abc import Sequence
from io import BytesIO

from annotations.formats.errors import RefusedFileError
from annotations.registry.asking import BusyError, Door
from annotations.registry.entries import EntryRecord
from annotations.registry.obo import PSI_MI, read_obo
from annotations.registry.table_lines import TableLines
from bcms.lib.http import Reply

BEGINNING = b"format-version:"


class Ontology:
    """The OBO file at one address."""

    def __init__(self, door: Door, url: str) -> None:
        self.door = door
        self.url = url

    def terms(self, identifiers: Sequence[str]) -> list[EntryRecord]:
        """All terms of the ontology, and the identifiers that are none of them as such; SilentError."""
        terms = self.door.get(self.url, _read, redirects=3)
        known = {term.identifier for term in terms}
        return terms + [EntryRecord("psi-mi", name, PSI_MI, exists=False) for name in identifiers if name not in known]


def _read(reply: Reply) -> list[EntryRecord]:
    if reply.status != 200:
        raise BusyError(f"HTTP status {reply.status}")
    if not reply.body.lstrip().startswith(BEGINNING):
        raise BusyError("the answer is not an OBO file")
    lines = TableLines(BytesIO(reply.body), "psi-mi.obo")
    try:
        terms = list(read_obo(lines))
    except RefusedFileError as error:
        raise BusyError(str(error.faults[0])) from error
    if lines.faults:
        raise BusyError(str(lines.faults[0]))
    return terms
