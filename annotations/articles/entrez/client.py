"""A client for NCBI's E-utilities: PubMed citations, and full texts of PubMed Central.

Citations are fetched by PMID (efetch). For a PMCID or DOI, the PMID is looked up first (esearch). The client keeps
NCBI's limits: at most 200 PMIDs per request, 3 requests per second, 10 with an API key. Sources:
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

from annotations.errors import FetchError, ServiceUnavailableError, TransientServiceError
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle
from annotations.formats.errors import FormatError, RefusedFileError
from annotations.formats.jats.reader import NO_JATS_ARTICLE, read_jats_articles
from annotations.formats.pubmed.reader import Citation, iter_citations_and_deletions
from bcms.lib.http.client import request_permitted_url
from bcms.lib.http.errors import HttpError
from bcms.lib.http.messages import HttpReply
from bcms.lib.http.pacing import (
    LASTING_FAULTS,
    RETRIED_STATUSES,
    ProcessPace,
    WaitForTurn,
    parse_retry_after_seconds_or_zero,
)

CITATIONS_PER_REQUEST = 200
REQUEST_TIMEOUT = 60.0
LARGEST_REPLY = 64 * 1024 * 1024
PER_SECOND = 3
PER_SECOND_WITH_KEY = 10
# Seconds before each retry. A longer Retry-After is respected up to LONGEST_WAIT; beyond that, the request fails.
RETRY_DELAYS = (1.0, 3.0, 9.0)
LONGEST_WAIT = 30.0
MOST_LISTED_PMIDS = 5
# The number of articles to examine when NCBI finds several for one identifier.
MOST_SEARCH_RESULTS = 5
BODY = re.compile(rb"<body[\s>]")
SET_OF_PMC = re.compile(rb"<pmc-articleset[\s/>]")
FetchedValue = TypeVar("FetchedValue")


class UnknownPmidError(FetchError):
    """PubMed does not have these PMIDs."""

    def __init__(self, pmids: Sequence[int]) -> None:
        listed = ", ".join(str(pmid) for pmid in pmids[:MOST_LISTED_PMIDS])
        more = f" and {len(pmids) - MOST_LISTED_PMIDS} more" if len(pmids) > MOST_LISTED_PMIDS else ""
        subject = f"PMID {listed} is" if len(pmids) == 1 else f"PMIDs {listed}{more} are"
        super().__init__(f"{subject} not in PubMed. Check the number; the article may have been withdrawn.")
        self.pmids = tuple(pmids)


class UnknownArticleIdError(FetchError):
    """PubMed (for a PMCID also PubMed Central) has no article with this identifier."""

    def __init__(self, ids: ArticleIds) -> None:
        problem = f"PubMed and PubMed Central have no article with the PMCID {ids.pmcid}"
        problem = problem if ids.pmcid else f"PubMed has no article with the DOI {ids.doi}"
        super().__init__(f"{problem}. Check it, or try the article's PMID.")


@dataclass(frozen=True, slots=True)
class PmcArticle:
    """An article as PubMed Central provides it to programs, and whether that includes the full text."""

    article: ParsedArticle
    has_full_text: bool


class EntrezClient:
    """A client for the E-utilities at one URL.

    networks: private networks (CIDR) where the service may be, for a mirror or a test. retry_delays: seconds before
    each retry. wait_for_turn: blocks until NCBI may be asked. timeout: seconds for each request.
    """

    def __init__(
        self,
        base_url: str,
        email: str = "",
        api_key: str = "",
        networks: Sequence[str] = (),
        retry_delays: Sequence[float] = RETRY_DELAYS,
        wait_for_turn: WaitForTurn | None = None,
        timeout: float = REQUEST_TIMEOUT,
    ) -> None:
        self.url = base_url.rstrip("/") + "/"
        self.credentials = (
            {"tool": "bcms"} | ({"email": email} if email else {}) | ({"api_key": api_key} if api_key else {})
        )
        self.networks = networks
        self.retry_delays = retry_delays
        self.wait_for_turn = wait_for_turn or ProcessPace(ncbi_requests_per_second(api_key))
        self.timeout = timeout

    def iter_citations(self, pmids: Sequence[int]) -> Iterator[Citation]:
        """The citations of these PMIDs, without duplicates, in the requested order.

        Raises ServiceUnavailableError if PubMed does not answer. After all known citations, raises UnknownPmidError
        with the PMIDs that PubMed does not have.
        """
        wanted = list(dict.fromkeys(pmids))
        unknown: list[int] = []
        for start in range(0, len(wanted), CITATIONS_PER_REQUEST):
            batch = wanted[start : start + CITATIONS_PER_REQUEST]
            citations = self._fetch_citations(batch)
            unknown += [pmid for pmid in batch if pmid not in citations]
            yield from (citations[pmid] for pmid in batch if pmid in citations)
        if unknown:
            raise UnknownPmidError(unknown)

    def get_citation(self, ids: ArticleIds) -> Citation:
        """The citation with this PMCID or DOI; other articles that PubMed's search returns are ignored.

        Raises ServiceUnavailableError if PubMed does not answer, and UnknownArticleIdError if it has no such article.
        """
        term = f"{ids.pmcid}[pmcid]" if ids.pmcid else f'"{ids.doi}"[doi]'
        form = {"db": "pubmed", "retmode": "xml", "retmax": str(MOST_SEARCH_RESULTS), "term": term}
        pmids = self._retry(lambda: _parse_search_result(self._request_program("esearch.fcgi", form)))
        citations = self._fetch_citations(pmids).values() if pmids else ()
        for citation in citations:
            if ids.pmcid == citation.pmcid if ids.pmcid else ids.doi.lower() == citation.doi.lower():
                return citation
        raise UnknownArticleIdError(ids)

    def find_pmc_article(self, pmcid: str) -> PmcArticle | None:
        """The article of PubMed Central, None if PMC has none or its publisher does not allow programs to fetch it.

        Raises ServiceUnavailableError if PMC does not answer, and FetchError if the article cannot be read.
        """
        form = {"db": "pmc", "retmode": "xml", "id": pmcid.removeprefix("PMC")}
        return self._retry(lambda: _parse_pmc_article(self._request_program("efetch.fcgi", form), pmcid))

    def _fetch_citations(self, pmids: Sequence[int]) -> dict[int, Citation]:
        form = {"db": "pubmed", "retmode": "xml", "id": ",".join(map(str, pmids))}
        return self._retry(lambda: _parse_citations(self._request_program("efetch.fcgi", form)))

    def _retry(self, fetch: Callable[[], FetchedValue]) -> FetchedValue:
        for delay in self.retry_delays:
            try:
                return fetch()
            except TransientServiceError as error:
                if error.retry_after > LONGEST_WAIT:
                    message = f"PubMed asks to wait {error.retry_after:.0f} s before the next request ({error})."
                    raise ServiceUnavailableError(message, error.retry_after) from error
                time.sleep(max(delay, error.retry_after))
        try:
            return fetch()
        except TransientServiceError as error:
            message = f"PubMed returned no articles in {len(self.retry_delays) + 1} attempts ({error})."
            raise ServiceUnavailableError(f"{message} Check the network or try again later.") from error

    def _request_program(self, program: str, form: dict[str, str]) -> bytes:
        reply = self._post(self.url + program, {**form, **self.credentials})
        if reply.status in RETRIED_STATUSES:
            raise TransientServiceError(
                f"HTTP status {reply.status}", parse_retry_after_seconds_or_zero(reply.headers.get("Retry-After", ""))
            )
        if reply.status != 200:
            message = (
                f"PubMed refused the request with HTTP status {reply.status}. Check ENTREZ_URL and ENTREZ_API_KEY."
            )
            raise ServiceUnavailableError(message)
        return reply.body

    def _post(self, url: str, form: dict[str, str]) -> HttpReply:
        self.wait_for_turn()
        try:
            return request_permitted_url(
                "POST",
                url,
                body=urlencode(form).encode("ascii"),
                headers={"Content-Type": "application/x-www-form-urlencoded"},
                deadline_seconds=self.timeout,
                max_bytes=LARGEST_REPLY,
                extra_networks=self.networks,
            )
        except HttpError as error:
            reason = str(error).rstrip(".")
            if error.kind in LASTING_FAULTS:
                message = f"PubMed cannot be reached at {url} ({reason}). Check the network."
                raise ServiceUnavailableError(message) from error
            raise TransientServiceError(reason) from error


def ncbi_requests_per_second(api_key: str) -> int:
    """How many requests per second NCBI allows with this API key, "" for none."""
    return PER_SECOND_WITH_KEY if api_key else PER_SECOND


def _parse_citations(body: bytes) -> dict[int, Citation]:
    try:
        records = list(iter_citations_and_deletions(BytesIO(body), "efetch"))
    except FormatError as error:
        raise TransientServiceError(str(error)) from error
    return {record.pmid: record for record in records if isinstance(record, Citation)}


def _parse_pmc_article(body: bytes, pmcid: str) -> PmcArticle | None:
    """The article with this PMCID; without a body, or None, where PMC does not offer the full text."""
    try:
        articles = read_jats_articles(body, "efetch").articles
    except RefusedFileError as error:
        raise FetchError(f"The text of {pmcid} in PubMed Central cannot be imported: {error}") from error
    except FormatError as error:
        if error.rule == NO_JATS_ARTICLE and SET_OF_PMC.search(body):
            return None
        raise TransientServiceError(str(error)) from error
    requested = next((article for article in articles if article.ids.pmcid == pmcid), None)
    if requested is None:
        raise TransientServiceError(f"the answer is not the article {pmcid}")
    return PmcArticle(requested, has_full_text=BODY.search(body) is not None)


def _parse_search_result(body: bytes) -> list[int]:
    """The PMIDs of an esearch answer; search terms without results are not an error."""
    try:
        root = etree.fromstring(body, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    except (etree.XMLSyntaxError, ValueError):
        raise TransientServiceError("the answer of esearch is not complete XML") from None
    if root.tag != "eSearchResult":
        raise TransientServiceError("the answer is not from esearch")
    if (message := root.findtext("ERROR")) is not None:
        raise TransientServiceError(f"NCBI reports “{message[:200]}”")
    numbers = (item.text or "" for item in root.iterfind("IdList/Id"))
    return [int(number) for number in numbers if re.fullmatch("[1-9][0-9]{0,9}", number, re.ASCII)]
