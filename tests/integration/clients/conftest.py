"""A site on loopback with something of everything, and its token: for both clients and the command."""

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest

from bcms.accounts import tokens
from bcms_client import AsyncClient, Client
from servers.calls.queues.contents import enqueue_articles_without_open_or_test_call, get_or_create_queue_and_producer
from servers.calls.states import QueueMode
from tests.integration.article_cast import make_article_of_three_servers
from tests.integration.evaluation_cast import make_challenge, make_corpus


class WaitingSide:
    """Calls the methods of Client, all by one that is made with the first call."""

    def __init__(self, *arguments, **options):
        self.arguments = (arguments, options)
        self.client = None

    def call(self, name, /, *arguments, **options):
        """What a method returns; everything that it iterates over as a list."""
        self.client = self.client or Client(*self.arguments[0], **self.arguments[1])
        result = getattr(self.client, name)(*arguments, **options)
        return list(result) if inspect.isgenerator(result) else result

    def close(self):
        if self.client is not None:
            self.client.close()


class AsyncSide(WaitingSide):
    """Calls the methods of AsyncClient, all by one that is made with the first call."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        # A thread of its own, because the browser of other tests leaves an event loop running in this one.
        self.thread, self.runner = ThreadPoolExecutor(max_workers=1), asyncio.Runner()

    def call(self, name, /, *arguments, **options):
        async def run():
            self.client = self.client or AsyncClient(*self.arguments[0], **self.arguments[1])
            result = getattr(self.client, name)(*arguments, **options)
            return [each async for each in result] if inspect.isasyncgen(result) else await result

        return self.thread.submit(lambda: self.runner.run(run())).result()

    def close(self):
        if self.client is not None:
            self.thread.submit(lambda: self.runner.run(self.client.aclose())).result()
        self.thread.submit(self.runner.close).result()
        self.thread.shutdown()


@pytest.fixture(params=[WaitingSide, AsyncSide], ids=["sync", "async"])
def side(request):
    """Both clients by one interface."""
    with ExitStack() as opened:
        yield lambda *arguments, **options: opened.enter_context(closing(request.param(*arguments, **options)))


@pytest.fixture(autouse=True)
def login_file(tmp_path, monkeypatch):
    """The file of the login, which is not that of who runs the tests."""
    file = tmp_path / "kept" / "bcms.json"
    monkeypatch.setenv("BCMS_CONFIG", str(file))
    for name in ("BCMS_URL", "BCMS_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return file


@pytest.fixture
def challenge(transactional_db, olga):
    return make_challenge(olga, make_corpus())


@pytest.fixture
def token(alice):
    return tokens.create_api_token_including_read_scope(alice, "client", ["servers", "runs", "curate"])


@pytest.fixture
def site(challenge, live_server, server, settings):
    """The URL of a site whose server has a waiting article, and which lets clients download without waiting."""
    settings.API_FILES_PER_MINUTE = 1000
    queue = get_or_create_queue_and_producer(server, QueueMode.LIVE)
    enqueue_articles_without_open_or_test_call(queue, [challenge.phases.get().corpus.articles.first().pk])
    return live_server.url


@pytest.fixture
def read_article(site, team):
    """An article that three servers have annotated."""
    return make_article_of_three_servers(team)


@pytest.fixture
def run_file(tmp_path):
    file = tmp_path / "mine.tsv"
    file.write_text("101\t9606\t0.9\n102\t10090\t0.8\n")
    return file


@pytest.fixture
def record_file(tmp_path):
    """One interaction in PSI-MITAB 2.5, with 15 columns."""
    taxa = ["taxid:9606(human)"] * 2
    kinds = ('psi-mi:"MI:0018"(two hybrid)', 'psi-mi:"MI:0915"(physical association)')
    columns = ["uniprotkb:P12830", "uniprotkb:P35222", *["-"] * 4, kinds[0], "-", "pubmed:20000001", *taxa, kinds[1]]
    file = tmp_path / "intact.txt"
    file.write_text("\t".join([*columns, *["-"] * 3]) + "\n")
    return file
