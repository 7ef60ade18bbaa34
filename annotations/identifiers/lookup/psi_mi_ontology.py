"""Looks up PSI-MI terms by fetching the whole ontology, which is one file; terms that are not in it do not exist."""

from collections.abc import Sequence
from io import BytesIO

from annotations.errors import TransientServiceError
from annotations.formats.errors import RefusedFileError
from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.lookup.registry_client import RegistryClient
from annotations.identifiers.tables.obo import PSI_MI, read_psi_mi_terms_with_aliases
from annotations.identifiers.tables.table_lines import FaultNotingTableLines
from bcms.lib.http.messages import HttpReply

BEGINNING = b"format-version:"


class OntologyClient:
    """A client for the OBO file at one URL."""

    def __init__(self, client: RegistryClient, url: str) -> None:
        self.client = client
        self.url = url

    def look_up_terms(self, identifiers: Sequence[str]) -> list[EntryRecord]:
        """The entries of all terms of the ontology, and of the given identifiers that do not exist.

        Raises ServiceUnavailableError if the file cannot be fetched or read.
        """
        terms = self.client.get(self.url, _read_ontology_reply, redirects=3)
        known = {term.identifier for term in terms}
        return terms + [EntryRecord("psi-mi", name, PSI_MI, exists=False) for name in identifiers if name not in known]


def _read_ontology_reply(reply: HttpReply) -> list[EntryRecord]:
    if reply.status != 200:
        raise TransientServiceError(f"HTTP status {reply.status}")
    if not reply.body.lstrip().startswith(BEGINNING):
        raise TransientServiceError("the answer is not an OBO file")
    lines = FaultNotingTableLines(BytesIO(reply.body), "psi-mi.obo")
    try:
        terms = list(read_psi_mi_terms_with_aliases(lines))
    except RefusedFileError as error:
        raise TransientServiceError(str(error.faults[0])) from error
    if lines.faults:
        raise TransientServiceError(str(lines.faults[0]))
    return terms
