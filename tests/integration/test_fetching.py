"""Citations from a server that speaks as NCBI's E-utilities do, on good days and on bad ones."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from annotations.errors import FetchError
from annotations.fetching import BATCH, Entrez, UnknownPmidError
from tests.shared_data import shared

LOOPBACK = ["127.0.0.0/8"]
EMPTY = b"<PubmedArticleSet></PubmedArticleSet>"


class Pubmed:
    """Holds records by PMID; replies are given first, in their order, and then what is asked for."""

    def __init__(self):
        self.records = {}
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
            return self.replies.pop(0)
        found = [self.records[pmid] for pmid in form["id"].split(",") if pmid in self.records]
        return 200, f"<?xml version='1.0'?><PubmedArticleSet>{''.join(found)}</PubmedArticleSet>".encode()


@pytest.fixture
def pubmed():
    held = Pubmed()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            status, body = held.answer(self.path, self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    held.url = f"http://127.0.0.1:{server.server_port}/entrez/eutils/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield held
    server.shutdown()
    server.server_close()


def entrez(pubmed, **more):
    return Entrez(pubmed.url, networks=LOOPBACK, waits=(0.0, 0.0), **more)


def record(pmid):
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>No {pmid}</ArticleTitle></Article>"
        "</MedlineCitation></PubmedArticle>"
    )


def hold(pubmed, *pmids):
    pubmed.records |= {str(pmid): record(pmid) for pmid in pmids}


def test_it_gives_the_citations_in_the_order_asked_each_once(pubmed):
    hold(pubmed, 5, 6, 7)
    assert [citation.pmid for citation in entrez(pubmed).citations([7, 5, 7, 6])] == [7, 5, 6]
    assert pubmed.forms == [{"db": "pubmed", "retmode": "xml", "id": "7,5,6", "tool": "bcms"}]
    assert pubmed.paths == ["/entrez/eutils/efetch.fcgi"]


def test_it_says_who_asks(pubmed):
    hold(pubmed, 5)
    list(entrez(pubmed, email="site@example.org", api_key="abc").citations([5]))
    assert pubmed.forms[0]["email"] == "site@example.org"
    assert pubmed.forms[0]["api_key"] == "abc"


def test_it_asks_in_batches_and_not_too_fast(pubmed):
    pmids = range(1, 2 * BATCH + 2)
    hold(pubmed, *pmids)
    assert len(list(entrez(pubmed).citations(pmids))) == 2 * BATCH + 1
    assert [len(form["id"].split(",")) for form in pubmed.forms] == [BATCH, BATCH, 1]
    waits = [after - before for before, after in zip(pubmed.times, pubmed.times[1:], strict=False)]
    assert min(waits) > 0.3


def test_it_names_an_unknown_pmid_after_giving_the_known_ones(pubmed):
    hold(pubmed, 5)
    given = []
    with pytest.raises(UnknownPmidError) as caught:
        given.extend(citation.pmid for citation in entrez(pubmed).citations([99999999]))
    assert str(caught.value).startswith("PMID 99999999 is not in PubMed: check the number")
    with pytest.raises(UnknownPmidError, match=r"^PMIDs 1, 2, 3, 4, 6 and 2 more are not in PubMed"):
        for citation in entrez(pubmed).citations([1, 2, 3, 4, 5, 6, 7, 8]):
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
    ],
    ids=["rate limit", "broken", "gateway", "page", "error inside", "truncated"],
)
def test_it_tries_again_when_pubmed_is_in_trouble(pubmed, trouble):
    hold(pubmed, 5)
    pubmed.replies = [trouble]
    assert [citation.pmid for citation in entrez(pubmed, api_key="abc").citations([5])] == [5]
    assert len(pubmed.forms) == 2


def test_it_gives_up_in_one_sentence(pubmed):
    pubmed.replies = [(200, b"<eFetchResult><ERROR>Unable to obtain query</ERROR></eFetchResult>")] * 3
    with pytest.raises(FetchError) as caught:
        list(entrez(pubmed, api_key="abc").citations([5]))
    assert str(caught.value).startswith("PubMed gave no articles in 3 tries (efetch:1:1: R403 NCBI sent an error")
    assert len(pubmed.forms) == 3


def test_it_does_not_insist_when_it_is_refused(pubmed):
    pubmed.replies = [(400, b'{"error":"API key invalid"}')] * 3
    with pytest.raises(FetchError, match="refuses the request with HTTP status 400"):
        list(entrez(pubmed).citations([5]))
    assert len(pubmed.forms) == 1


def test_it_says_that_there_is_no_network():
    nowhere = Entrez("http://eutils.invalid/", networks=LOOPBACK, waits=())
    with pytest.raises(FetchError, match=r"PubMed cannot be reached at http://eutils\.invalid/efetch\.fcgi .*network"):
        list(nowhere.citations([5]))


def test_it_says_that_nobody_answers(pubmed):
    silent = Entrez("http://127.0.0.1:9/", networks=LOOPBACK, waits=(0.0,))
    with pytest.raises(FetchError, match="PubMed gave no articles in 2 tries"):
        list(silent.citations([5]))


def test_it_reads_the_real_answers_of_pubmed(pubmed):
    paths = list(shared("samples", "pubmed_xml").glob("[0-9]*.xml"))
    for path in paths:
        text = path.read_text(encoding="utf-8")
        start, end = text.index("<PubmedArticle"), text.rindex("</PubmedArticleSet>")
        pubmed.records[path.stem] = text[text.index("<PubmedArticleSet>") + 18 if start else start : end]
    wanted = sorted(int(path.stem) for path in paths)
    assert [citation.pmid for citation in entrez(pubmed).citations(wanted)] == wanted


def test_it_refuses_real_answers_that_are_no_articles(pubmed):
    for name in ("einfo4.xml", "esummary8.xml", "pubmed3.html"):
        pubmed.replies = [(200, shared("samples", "eutils", name).read_bytes())] * 3
        with pytest.raises(FetchError, match="PubMed gave no articles in 3 tries"):
            list(entrez(pubmed, api_key="abc").citations([5]))
