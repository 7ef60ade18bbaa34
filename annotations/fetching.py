"""Citations from NCBI's E-utilities by PMID (efetch), or by a PMCID or DOI, whose PMID is looked up first (esearch);
and the full texts of PubMed Central that may be had as XML.

Politely: 200 PMIDs a request, and at most 3 requests a second, 10 with a key. Sources:
https://www.ncbi.nlm.nih.gov/books/NBK25497/ and, for [pmcid] and [doi], https://pubmed.ncbi.nlm.nih.gov/help/
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TypeVar
from urllib.parse import urlencode

from lxml import etree

from annotations.errors import FetchError, SilentError
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.jats import NO_ARTICLE, read_jats
from annotations.formats.pubmed import Citation, read_citations
from annotations.formats.read_article import Name, ReadArticle
from bcms.lib.http import HttpError, HttpFault, Reply, fetch

BATCH = 200
SECONDS_PER_BATCH = 60.0
LARGEST_REPLY = 64 * 1024 * 1024
PER_SECOND = 3
PER_SECOND_WITH_KEY = 10
# Seconds before each new try of a request; longer when NCBI says so, but whoever waits is told after this long.
WAITS = (1.0, 3.0, 9.0)
LONGEST_WAIT = 30.0
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
# So many are looked at when NCBI finds several under one name.
MOST_FOUND = 5
BODY = re.compile(rb"<body[\s>]")
SET_OF_PMC = re.compile(rb"<pmc-articleset[\s/>]")
Turn = Callable[[], None]
Given = TypeVar("Given")


class UnknownPmidError(FetchError):
    """PubMed does not hold these PMIDs."""

    def __init__(self, pmids: Sequence[int]) -> None:
        named = ", ".join(str(pmid) for pmid in pmids[:MOST_NAMED])
        more = f" and {len(pmids) - MOST_NAMED} more" if len(pmids) > MOST_NAMED else ""
        subject = f"PMID {named} is" if len(pmids) == 1 else f"PMIDs {named}{more} are"
        super().__init__(f"{subject} not in PubMed: check the number, or look whether the article was withdrawn.")
        self.pmids = tuple(pmids)


class UnknownNameError(FetchError):
    """PubMed, and with a PMCID PubMed Central, holds nothing under this name."""

    def __init__(self, name: Name) -> None:
        who = f"PubMed and PubMed Central have no article as {name.pmcid}"
        who = who if name.pmcid else f"PubMed has no article as doi:{name.doi}"
        super().__init__(f"{who}: check it, or try the article's PMID.")


class _BusyError(Exception):
    """This try failed, the next may not; after is in how many seconds NCBI wants to be asked again."""

    def __init__(self, why: str, after: float = 0.0) -> None:
        super().__init__(why)
        self.after = after


@dataclass(frozen=True, slots=True)
class OfPmc:
    """An article as PubMed Central gives it to programs; whole: with its full text."""

    article: ReadArticle
    whole: bool


class OwnPace:
    """Waits until so many times a second are not exceeded by this object."""

    def __init__(self, per_second: float) -> None:
        self.pause = 1 / per_second
        self.asked = -self.pause

    def __call__(self) -> None:
        time.sleep(max(0.0, self.asked + self.pause - time.monotonic()))
        self.asked = time.monotonic()


class Entrez:
    """E-utilities at one address. networks are the private ones (CIDR) where it may live, for a mirror or a test; turn
    waits until NCBI may be asked, for all who share it; an answer is waited for so many seconds."""

    def __init__(
        self,
        base_url: str,
        email: str = "",
        api_key: str = "",
        networks: Sequence[str] = (),
        waits: Sequence[float] = WAITS,
        turn: Turn | None = None,
        seconds: float = SECONDS_PER_BATCH,
    ) -> None:
        self.url = base_url.rstrip("/") + "/"
        self.who = {"tool": "bcms"} | ({"email": email} if email else {}) | ({"api_key": api_key} if api_key else {})
        self.networks = networks
        self.waits = waits
        self.turn = turn or OwnPace(per_second(api_key))
        self.seconds = seconds

    def citations(self, pmids: Sequence[int]) -> Iterator[Citation]:
        """The citations of these PMIDs, in the order asked; each once.

        Raises SilentError when PubMed does not answer, and, after everything that is known has been yielded,
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

    def named(self, name: Name) -> Citation:
        """The citation with this PMCID or DOI. SilentError when PubMed does not answer, UnknownNameError when it has
        none: what it finds otherwise for the words of a name is not taken."""
        term = f"{name.pmcid}[pmcid]" if name.pmcid else f'"{name.doi}"[doi]'
        form = {"db": "pubmed", "retmode": "xml", "retmax": str(MOST_FOUND), "term": term}
        pmids = self._insist(lambda: _found(self._ask("esearch.fcgi", form)))
        citations = self._batch(pmids).values() if pmids else ()
        for citation in citations:
            if name.pmcid == citation.pmcid if name.pmcid else name.doi.lower() == citation.doi.lower():
                return citation
        raise UnknownNameError(name)

    def of_pmc(self, pmcid: str) -> OfPmc | None:
        """The article of PubMed Central; None where PMC has none, or gives none to programs, as its publisher does not
        allow it. SilentError when PMC does not answer, FetchError with what cannot be stored."""
        form = {"db": "pmc", "retmode": "xml", "id": pmcid.removeprefix("PMC")}
        return self._insist(lambda: _of_pmc(self._ask("efetch.fcgi", form), pmcid))

    def _batch(self, pmids: Sequence[int]) -> dict[int, Citation]:
        form = {"db": "pubmed", "retmode": "xml", "id": ",".join(map(str, pmids))}
        return self._insist(lambda: _citations(self._ask("efetch.fcgi", form)))

    def _insist(self, ask: Callable[[], Given]) -> Given:
        for wait in self.waits:
            try:
                return ask()
            except _BusyError as error:
                if error.after > LONGEST_WAIT:
                    said = f"PubMed wants to be asked again in {error.after:.0f} s ({error}): try again then."
                    raise SilentError(said, error.after) from error
                time.sleep(max(wait, error.after))
        try:
            return ask()
        except _BusyError as error:
            tries = len(self.waits) + 1
            raise SilentError(
                f"PubMed gave no articles in {tries} tries ({error}): see the network or try later."
            ) from error

    def _ask(self, program: str, form: dict[str, str]) -> bytes:
        reply = self._post(self.url + program, {**form, **self.who})
        if reply.status in BUSY:
            raise _BusyError(f"HTTP status {reply.status}", _seconds(reply.headers.get("Retry-After", "")))
        if reply.status != 200:
            said = f"PubMed refuses the request with HTTP status {reply.status}: see ENTREZ_URL and the key."
            raise SilentError(said)
        return reply.body

    def _post(self, url: str, form: dict[str, str]) -> Reply:
        self.turn()
        try:
            return fetch(
                "POST",
                url,
                body=urlencode(form).encode("ascii"),
                headers={"Content-Type": "application/x-www-form-urlencoded"},
                deadline=self.seconds,
                max_bytes=LARGEST_REPLY,
                networks=self.networks,
            )
        except HttpError as error:
            said = str(error).rstrip(".")
            if error.kind in LASTING:
                raise SilentError(f"PubMed cannot be reached at {url} ({said}): see the network.") from error
            raise _BusyError(said) from error


def per_second(api_key: str) -> int:
    """How many requests a second NCBI allows."""
    return PER_SECOND_WITH_KEY if api_key else PER_SECOND


def _seconds(header: str) -> float:
    """Of Retry-After; a date, which NCBI does not send, counts as not said."""
    return float(header) if header.isdecimal() and len(header) < 7 else 0.0


def _citations(body: bytes) -> dict[int, Citation]:
    try:
        records = list(read_citations(BytesIO(body), "efetch"))
    except FormatError as error:
        raise _BusyError(str(error)) from error
    return {record.pmid: record for record in records if isinstance(record, Citation)}


def _of_pmc(body: bytes, pmcid: str) -> OfPmc | None:
    """Where the full text is not offered there is an article without a body, or none."""
    try:
        articles = read_jats(body, "efetch").articles
    except RefusedFileError as error:
        raise FetchError(f"The text of {pmcid} in PubMed Central cannot be taken: {error}") from error
    except FormatError as error:
        if error.rule == NO_ARTICLE and SET_OF_PMC.search(body):
            return None
        raise _BusyError(str(error)) from error
    named = next((article for article in articles if article.name.pmcid == pmcid), None)
    if named is None:
        raise _BusyError(f"the answer is not the article {pmcid}")
    return OfPmc(named, whole=BODY.search(body) is not None)


def _found(body: bytes) -> list[int]:
    """The PMIDs of an answer of esearch; words that it does not find are no error of its."""
    try:
        root = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, ValueError):
        raise _BusyError("the answer of esearch is not XML, or half of it") from None
    if root.tag != "eSearchResult":
        raise _BusyError("the answer is none of esearch")
    if (said := root.findtext("ERROR")) is not None:
        raise _BusyError(f"NCBI says “{said[:200]}”")
    numbers = (item.text or "" for item in root.iterfind("IdList/Id"))
    return [int(number) for number in numbers if re.fullmatch("[1-9][0-9]{0,9}", number, re.ASCII)]
