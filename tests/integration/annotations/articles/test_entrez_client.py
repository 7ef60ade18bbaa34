"""Citations from a server that speaks as NCBI's E-utilities do, on good days and on bad ones."""

import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from annotations.articles.entrez.client import (
    CITATIONS_PER_REQUEST,
    EntrezClient,
    UnknownArticleIdError,
    UnknownPmidError,
    ncbi_requests_per_second,
)
from annotations.errors import FetchError
from annotations.formats.articles.parsed_article import ArticleIds
from tests.registries import Answer, wait_until_closed
from tests.shared_data import require_shared_path

LOOPBACK = ["127.0.0.0/8"]
EMPTY = b"<PubmedArticleSet></PubmedArticleSet>"


class Pubmed:
    """Holds records by PMID, full texts by the number of their PMCID, and PMIDs by the words of a search; replies are
    given first, in their order, and then what is asked for."""

    def __init__(self):
        self.records = {}
        self.full_texts = {}
        self.named = {}
        self.replies = []
        self.forms = []
        self.times = []
        self.paths = []

    def answer(self, path, body):
        self.times.append(time.monotonic())
        self.paths.append(path)
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self.forms.append(form)
        if self.replies:
            reply = self.replies.pop(0)
            return reply if isinstance(reply, Answer) else Answer(*reply)
        if path.endswith("/esearch.fcgi"):
            found = "".join(f"<Id>{pmid}</Id>" for pmid in self.named.get(form["term"], ()))
            return Answer(200, f"<eSearchResult><IdList>{found}</IdList></eSearchResult>".encode())
        if form["db"] == "pmc":
            found = self.full_texts.get(form["id"], "")
            return Answer(200, f"<pmc-articleset>{found}</pmc-articleset>".encode())
        found = [self.records[pmid] for pmid in form["id"].split(",") if pmid in self.records]
        return Answer(200, f"<?xml version='1.0'?><PubmedArticleSet>{''.join(found)}</PubmedArticleSet>".encode())


@pytest.fixture
def pubmed():
    held = Pubmed()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            answer = held.answer(self.path, self.rfile.read(int(self.headers["Content-Length"])).decode())
            if answer.silent:
                wait_until_closed(self.connection)
                return
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    held.url = f"http://127.0.0.1:{server.server_port}/entrez/eutils/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield held
    server.shutdown()
    server.server_close()


def entrez(pubmed, **more):
    return EntrezClient(pubmed.url, networks=LOOPBACK, **{"retry_delays": (0.0, 0.0), **more})


def record(pmid, **names):
    listed = "".join(f'<ArticleId IdType="{sort}">{name}</ArticleId>' for sort, name in names.items())
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>No {pmid}</ArticleTitle></Article>"
        f"</MedlineCitation><PubmedData><ArticleIdList>{listed}</ArticleIdList></PubmedData></PubmedArticle>"
    )


def hold(pubmed, *pmids):
    pubmed.records |= {str(pmid): record(pmid) for pmid in pmids}


def test_it_gives_the_citations_in_the_order_asked_each_once(pubmed):
    hold(pubmed, 5, 6, 7)
    assert [citation.pmid for citation in entrez(pubmed).iter_citations([7, 5, 7, 6])] == [7, 5, 6]
    assert pubmed.forms == [{"db": "pubmed", "retmode": "xml", "id": "7,5,6", "tool": "bcms"}]
    assert pubmed.paths == ["/entrez/eutils/efetch.fcgi"]


def test_it_says_who_asks(pubmed):
    hold(pubmed, 5)
    list(entrez(pubmed, email="site@example.org", api_key="abc").iter_citations([5]))
    assert pubmed.forms[0]["email"] == "site@example.org"
    assert pubmed.forms[0]["api_key"] == "abc"


def test_it_asks_in_batches_and_not_too_fast(pubmed):
    pmids = range(1, 2 * CITATIONS_PER_REQUEST + 2)
    hold(pubmed, *pmids)
    began = time.monotonic()
    assert len(list(entrez(pubmed).iter_citations(pmids))) == 2 * CITATIONS_PER_REQUEST + 1
    # Three requests with two turns between them; when each arrives says nothing, as a busy server counts late.
    assert time.monotonic() - began >= 2 / ncbi_requests_per_second("")
    assert [len(form["id"].split(",")) for form in pubmed.forms] == [CITATIONS_PER_REQUEST, CITATIONS_PER_REQUEST, 1]


def test_it_names_an_unknown_pmid_after_giving_the_known_ones(pubmed):
    hold(pubmed, 5)
    given = []
    with pytest.raises(UnknownPmidError) as caught:
        given.extend(citation.pmid for citation in entrez(pubmed).iter_citations([99999999]))
    assert str(caught.value).startswith("PMID 99999999 is not in PubMed. Check the number")
    with pytest.raises(UnknownPmidError, match=r"^PMIDs 1, 2, 3, 4, 6 and 2 more are not in PubMed"):
        for citation in entrez(pubmed).iter_citations([1, 2, 3, 4, 5, 6, 7, 8]):
            given.append(citation.pmid)
    assert given == [5]


@pytest.mark.parametrize(
    "trouble",
    [
        (429, b'{"error":"API rate limit exceeded","count":"4"}'),
        (500, b""),
        (502, b"<html>Bad gateway</html>"),
        (200, b"<html><body>Maintenance</body></html>"),
        (200, b"<eFetchResult><ERROR>Unable to obtain query</ERROR></eFetchResult>"),
        (200, f"<PubmedArticleSet>{record(5)}".encode()),
        Answer(200, f"<PubmedArticleSet>{record(5)}</PubmedArticleSet>".encode(), cut=True),
        Answer(200, EMPTY, silent=True),
    ],
    ids=["rate limit", "broken", "gateway", "page", "error inside", "half", "cut off", "silent"],
)
def test_it_tries_again_when_pubmed_is_in_trouble(pubmed, trouble):
    hold(pubmed, 5)
    pubmed.replies = [trouble]
    assert [citation.pmid for citation in entrez(pubmed, api_key="abc", timeout=3.0).iter_citations([5])] == [5]
    assert len(pubmed.forms) == 2


def test_it_gives_up_in_one_sentence(pubmed):
    pubmed.replies = [(200, b"<eFetchResult><ERROR>Unable to obtain query</ERROR></eFetchResult>")] * 3
    with pytest.raises(FetchError) as caught:
        list(entrez(pubmed, api_key="abc").iter_citations([5]))
    assert str(caught.value).startswith("PubMed returned no articles in 3 attempts (efetch:1:1: R403 NCBI sent an")
    assert len(pubmed.forms) == 3


def test_it_does_not_insist_when_it_is_refused(pubmed):
    pubmed.replies = [(400, b'{"error":"API key invalid"}')] * 3
    with pytest.raises(FetchError, match="refused the request with HTTP status 400"):
        list(entrez(pubmed).iter_citations([5]))
    assert len(pubmed.forms) == 1


def test_it_says_that_there_is_no_network():
    nowhere = EntrezClient("http://eutils.invalid/", networks=LOOPBACK, retry_delays=())
    with pytest.raises(FetchError, match=r"PubMed cannot be reached at http://eutils\.invalid/efetch\.fcgi .*network"):
        list(nowhere.iter_citations([5]))


def test_it_says_that_nobody_answers(pubmed):
    silent = EntrezClient("http://127.0.0.1:9/", networks=LOOPBACK, retry_delays=(0.0,))
    with pytest.raises(FetchError, match="PubMed returned no articles in 2 attempts"):
        list(silent.iter_citations([5]))


def test_it_reads_the_real_answers_of_pubmed(pubmed):
    paths = list(require_shared_path("samples", "pubmed_xml").glob("[0-9]*.xml"))
    for path in paths:
        text = path.read_text(encoding="utf-8")
        start, end = text.index("<PubmedArticle"), text.rindex("</PubmedArticleSet>")
        pubmed.records[path.stem] = text[text.index("<PubmedArticleSet>") + 18 if start else start : end]
    wanted = sorted(int(path.stem) for path in paths)
    assert [citation.pmid for citation in entrez(pubmed).iter_citations(wanted)] == wanted


def test_it_refuses_real_answers_that_are_no_articles(pubmed):
    for name in ("einfo4.xml", "esummary8.xml", "pubmed3.html"):
        pubmed.replies = [(200, require_shared_path("samples", "eutils", name).read_bytes())] * 3
        with pytest.raises(FetchError, match="PubMed returned no articles in 3 attempts"):
            list(entrez(pubmed, api_key="abc").iter_citations([5]))


def test_it_waits_as_long_as_pubmed_says(pubmed):
    hold(pubmed, 5)
    pubmed.replies = [Answer(429, b'{"error":"API rate limit exceeded"}', {"Retry-After": "1"})]
    assert [citation.pmid for citation in entrez(pubmed, api_key="abc").iter_citations([5])] == [5]
    first, second = pubmed.times
    assert second - first >= 1


def test_it_does_not_wait_for_ever(pubmed):
    pubmed.replies = [Answer(429, b"", {"Retry-After": "120"})]
    with pytest.raises(FetchError, match=r"^PubMed asks to wait 120 s before the next request \(HTTP status 429\)\."):
        list(entrez(pubmed).iter_citations([5]))


@pytest.mark.parametrize(
    ("name", "term"),
    [
        (ArticleIds(pmcid="PMC7"), "PMC7[pmcid]"),
        (ArticleIds(doi="10.1000/X"), '"10.1000/X"[doi]'),
    ],
)
def test_it_finds_the_article_of_another_name(pubmed, name, term):
    pubmed.records = {"5": record(5, pmc="PMC8"), "6": record(6, pmc="PMC7", doi="10.1000/x")}
    pubmed.named = {term: [5, 6]}
    assert entrez(pubmed, api_key="abc").get_citation(name).pmid == 6
    assert [path.rpartition("/")[2] for path in pubmed.paths] == ["esearch.fcgi", "efetch.fcgi"]


@pytest.mark.parametrize("found", [[], [5]])
def test_it_takes_no_article_that_only_looks_like_it(pubmed, found):
    hold(pubmed, 5)
    pubmed.named = {"PMC7[pmcid]": found}
    with pytest.raises(
        UnknownArticleIdError,
        match=r"^PubMed and PubMed Central have no article with the PMCID PMC7\. Check it, or try",
    ):
        entrez(pubmed, api_key="abc").get_citation(ArticleIds(pmcid="PMC7"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            b"<eSearchResult><ERROR>Search Backend failed</ERROR></eSearchResult>",
            "NCBI reports “Search Backend failed”",
        ),
        (b"<html></html>", "not from esearch"),
        (b"<eSearchResult><IdList>", "not complete XML"),
    ],
)
def test_it_tries_a_search_again_too(pubmed, body, said):
    pubmed.replies = [(200, body)] * 3
    with pytest.raises(FetchError, match=f"in 3 attempts .*{said}"):
        entrez(pubmed, api_key="abc").get_citation(ArticleIds(pmcid="PMC7"))


def test_it_reads_the_real_answers_of_a_search(pubmed):
    pubmed.replies = [(200, require_shared_path("samples", "eutils", "esearch1.xml").read_bytes())]
    with pytest.raises(UnknownArticleIdError):
        entrez(pubmed, api_key="abc").get_citation(ArticleIds(pmcid="PMC7"))
    assert pubmed.forms[1]["id"].startswith("41282813,41148224,")
    pubmed.replies = [(200, require_shared_path("samples", "eutils", "esearch8.xml").read_bytes())]
    with pytest.raises(UnknownArticleIdError):
        entrez(pubmed, api_key="abc").get_citation(ArticleIds(pmcid="PMC7"))
    assert len(pubmed.forms) == 3
