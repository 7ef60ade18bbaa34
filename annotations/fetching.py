"""Citations from NCBI's E-utilities (efetch) by PMID.

Politely: 200 PMIDs a request, and at most 3 requests a second, 10 with a key. Source:
https://www.ncbi.nlm.nih.gov/books/NBK25497/
"""

import time
from collections.abc import Iterator, Sequence
from io import BytesIO
from urllib.parse import urlencode

from annotations.errors import FetchError
from annotations.formats.errors import FormatError
from annotations.formats.pubmed import Citation, read_citations
from bcms.lib.http import HttpError, HttpFault, Reply, fetch

BATCH = 200
SECONDS_PER_BATCH = 60.0
LARGEST_REPLY = 64 * 1024 * 1024
PER_SECOND = 3
PER_SECOND_WITH_KEY = 10
# Seconds before each new try of a batch.
WAITS = (1.0, 3.0, 9.0)
BUSY = {429, 500, 502, 503, 504}
# Trying again at once changes nothing about these.
LASTING = {
    HttpFault.BAD_URL,
    HttpFault.NAME_NOT_FOUND,
    HttpFault.BLOCKED_ADDRESS,
    HttpFault.TLS,
    HttpFault.TOO_LARGE,
    HttpFault.REDIRECT,
}
MOST_NAMED = 5


class UnknownPmidError(FetchError):
    """PubMed does not hold these PMIDs."""

    def __init__(self, pmids: Sequence[int]) -> None:
        named = ", ".join(str(pmid) for pmid in pmids[:MOST_NAMED])
        more = f" and {len(pmids) - MOST_NAMED} more" if len(pmids) > MOST_NAMED else ""
        subject = f"PMID {named} is" if len(pmids) == 1 else f"PMIDs {named}{more} are"
        super().__init__(f"{subject} not in PubMed: check the number, or look whether the article was withdrawn.")
        self.pmids = tuple(pmids)


class _BusyError(Exception):
    """This try failed; the next may not."""


class Entrez:
    """E-utilities at one address. networks are the private ones (CIDR) where it may live, for a mirror or a test."""

    def __init__(
        self,
        base_url: str,
        email: str = "",
        api_key: str = "",
        networks: Sequence[str] = (),
        waits: Sequence[float] = WAITS,
    ) -> None:
        self.url = base_url.rstrip("/") + "/efetch.fcgi"
        self.who = {"tool": "bcms"} | ({"email": email} if email else {}) | ({"api_key": api_key} if api_key else {})
        self.networks = networks
        self.waits = waits
        self.pause = 1 / (PER_SECOND_WITH_KEY if api_key else PER_SECOND)
        self.asked = -self.pause

    def citations(self, pmids: Sequence[int]) -> Iterator[Citation]:
        """The citations of these PMIDs, in the order asked; each once.

        Raises FetchError when PubMed does not answer, and, after everything that is known has been yielded,
        UnknownPmidError for the PMIDs that it does not hold.
        """
        wanted = list(dict.fromkeys(pmids))
        unknown: list[int] = []
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            found = self._batch(batch)
            unknown += [pmid for pmid in batch if pmid not in found]
            yield from (found[pmid] for pmid in batch if pmid in found)
        if unknown:
            raise UnknownPmidError(unknown)

    def _batch(self, pmids: Sequence[int]) -> dict[int, Citation]:
        for wait in self.waits:
            try:
                return self._ask(pmids)
            except _BusyError:
                time.sleep(wait)
        try:
            return self._ask(pmids)
        except _BusyError as error:
            tries = len(self.waits) + 1
            raise FetchError(
                f"PubMed gave no articles in {tries} tries ({error}): see the network or try later."
            ) from error

    def _ask(self, pmids: Sequence[int]) -> dict[int, Citation]:
        reply = self._post({"db": "pubmed", "retmode": "xml", "id": ",".join(map(str, pmids)), **self.who})
        if reply.status in BUSY:
            raise _BusyError(f"HTTP status {reply.status}")
        if reply.status != 200:
            raise FetchError(f"PubMed refuses the request with HTTP status {reply.status}: see ENTREZ_URL and the key.")
        try:
            records = list(read_citations(BytesIO(reply.body), "efetch"))
        except FormatError as error:
            raise _BusyError(str(error)) from error
        return {record.pmid: record for record in records if isinstance(record, Citation)}

    def _post(self, form: dict[str, str]) -> Reply:
        time.sleep(max(0.0, self.asked + self.pause - time.monotonic()))
        self.asked = time.monotonic()
        try:
            return fetch(
                "POST",
                self.url,
                body=urlencode(form).encode("ascii"),
                headers={"Content-Type": "application/x-www-form-urlencoded"},
                deadline=SECONDS_PER_BATCH,
                max_bytes=LARGEST_REPLY,
                networks=self.networks,
            )
        except HttpError as error:
            said = str(error).rstrip(".")
            if error.kind in LASTING:
                raise FetchError(f"PubMed cannot be reached at {self.url} ({said}): see the network.") from error
            raise _BusyError(said) from error
