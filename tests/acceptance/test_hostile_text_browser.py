"""No script ever runs from an article or an annotation, wherever either is shown."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotations.articles.imports.article_storage import store_annotated_articles
from annotations.articles.models import Article
from annotations.formats.articles.parsed_article import ArticleIds, ParsedArticle, TextPassage
from annotations.identifiers.models import Entry
from annotations.results.storage import store_results_superseding_earlier
from annotations.schema import AnnotationData, Kind
from servers.calls.queues import contents
from servers.calls.states import QueueMode
from servers.registry.models import Server
from servers.teams.models import Team

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCRIPT = "<script>window.hurt=1;alert(1)</script>"
IMAGE = '"><img src=x onerror="window.hurt=1;alert(2)">'
LINK = "javascript:window.hurt=1;alert(3)"
ESCAPES = "</title></textarea></script><svg onload=window.hurt=1>"
HOSTILE = f"{SCRIPT}{IMAGE}{LINK}{ESCAPES}'\"`{{{{ 7*7 }}}}${{7*7}}<!--"


@pytest.fixture
def hostile(server):
    """An article, a server, and all that it says of the article, each of them hostile."""
    Server.objects.update(name=HOSTILE[:100], state="online", description=HOSTILE, url=LINK)
    Team.objects.update(name=IMAGE)
    server.refresh_from_db()
    passages = (
        TextPassage("title", HOSTILE),
        TextPassage("abstract", f"Binds {HOSTILE}"),
        TextPassage(HOSTILE[:100], HOSTILE),
    )
    read = ParsedArticle(
        ArticleIds(5, doi="10.1000/'><script>alert(4)</script>"),
        passages,
        journal=HOSTILE[:200],
        authors=(HOSTILE, LINK),
        source_id=HOSTILE,
    )
    (article,) = store_annotated_articles([read]).articles
    start = article.text.index(SCRIPT)
    end = start + len(SCRIPT)
    Entry.objects.create(
        database="uniprot",
        identifier="P04637",
        name=HOSTILE[:255],
        symbol="<script>",
        synonyms=[SCRIPT, IMAGE],
        exists=True,
    )
    said = {
        Kind.MENTION: [
            AnnotationData(Kind.MENTION, 0.9, start=start, end=end, text=SCRIPT, type=IMAGE[:100]),
            AnnotationData(
                Kind.MENTION, 0.8, start=start + 3, end=end + 9, text=article.text[start + 3 : end + 9], type=LINK
            ),
        ],
        Kind.NORMALIZATION: [
            AnnotationData(Kind.NORMALIZATION, 0.9, database="uniprot", identifier="P04637"),
            AnnotationData(Kind.NORMALIZATION, 0.8, database="uniprot", identifier=IMAGE[:64]),
            AnnotationData(Kind.NORMALIZATION, 0.7, database=LINK[:32], identifier=LINK[:64]),
        ],
        Kind.TAXON: [AnnotationData(Kind.TAXON, 0.9, database="ncbitaxon", identifier=SCRIPT[:64])],
        Kind.PAIR: [AnnotationData(Kind.PAIR, 0.9, database="uniprot", identifier=SCRIPT[:64], partner=IMAGE[:64])],
        Kind.METHOD: [AnnotationData(Kind.METHOD, 0.9, database="psi-mi", identifier=LINK[:64])],
        Kind.PASSAGE: [
            AnnotationData(Kind.PASSAGE, 0.9, start=0, end=5, text=article.text[:5], identifier=SCRIPT[:64])
        ],
        Kind.CLASSIFICATION: [AnnotationData(Kind.CLASSIFICATION, 0.9, relevant=True)],
    }
    producer = contents.get_or_create_queue_and_producer(server, QueueMode.LIVE).producer
    store_results_superseding_earlier(article, producer, said, reply_body=HOSTILE.encode(), empty_reason=HOSTILE[:200])
    return article


@pytest.fixture
def watched(page):
    """The page, and what ran or was refused to run on it."""
    ran = []
    page.on("dialog", lambda dialog: (ran.append(dialog.message), dialog.dismiss()))
    page.on("console", lambda message: ran.append(message.text) if message.type == "error" else None)
    return page, ran


def assert_page_unharmed(page, ran):
    assert page.evaluate("window.hurt") is None
    assert page.locator("img[src=x], svg[onload]").count() == 0
    for link in page.locator("a[href], form[action]").all():
        target = link.get_attribute("href") or link.get_attribute("action")
        assert not target.strip().lower().startswith(("javascript:", "data:", "vbscript:"))
    assert ran == []


@pytest.mark.parametrize(
    "path",
    [
        "/articles/5/",
        "/articles/5/?kind=mention",
        "/articles/5/?kind=normalization&order=confidence",
        "/articles/5/?kind=pair",
        "/articles/5/?mention=0-39",
        "/articles/5/results/",
        "/articles/",
        "/articles/?q=script",
        "/articles/?q=%3Cscript%3Ealert(1)%3C/script%3E",
        "/servers/",
        "/servers/genedict/",
        "/",
    ],
)
def test_it_runs_no_script_from_what_others_wrote(watched, live_server, hostile, path):
    page, ran = watched
    page.goto(f"{live_server.url}{path}")
    page.wait_for_load_state("networkidle")
    if path.startswith("/articles/5/"):
        # It is there to be read.
        assert SCRIPT in page.locator("main").inner_text()
    for mark in page.locator("mark a, .mark a, a.mark").all()[:3]:
        mark.hover()
    assert_page_unharmed(page, ran)


def test_it_runs_no_script_from_what_a_server_replied(watched, live_server, hostile):
    page, ran = watched
    page.goto(f"{live_server.url}/articles/5/results/{hostile.results.first().pk}/")
    assert SCRIPT in page.locator("main").inner_text()
    assert_page_unharmed(page, ran)


def test_it_runs_no_script_from_an_address(watched, live_server, db):
    page, ran = watched
    page.goto(f"{live_server.url}/articles/%3Cimg%20src=x%20onerror=window.hurt=1%3E/")
    assert page.get_by_text("No article <img").count() == 1
    # The answer is 404, which Chromium writes to the console.
    ran[:] = [line for line in ran if "404" not in line]
    assert_page_unharmed(page, ran)


def test_it_runs_no_script_from_a_file_that_is_refused(watched, live_server, client, admin_user, admin_client):
    page, ran = watched
    name = "<img src=x onerror=window.hurt=1>.txt"
    content = f"12|t|A\n12\t{SCRIPT}\t3\t{IMAGE}\tGene\t-\n".encode()
    reply = admin_client.post("/articles/upload/", {"file": [SimpleUploadedFile(name, content)]})
    cookie = {"name": "sessionid", "value": admin_client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])
    page.goto(f"{live_server.url}{reply.url}")
    page.get_by_text("Nothing was stored").wait_for()
    assert_page_unharmed(page, ran)
    assert not Article.objects.exists()
