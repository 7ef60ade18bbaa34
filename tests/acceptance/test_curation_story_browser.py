"""From manuscript to digital abstract: its author, a curator who takes it over, two curators blind, and readers.

A journal submits a manuscript. Its author curates it by link, a curator takes the record over, corrects an identifier
and adds an interaction, and the journal publishes it. Two curators of a project work on the article without seeing each
other's decisions, and the owner of the project decides between them. Other people's programs read the record.
"""

import json

import pytest
import rdflib
from django.test import Client
from lxml import etree
from playwright.sync_api import expect

from annotations.articles.models import Article, Corpus, CorpusArticle
from annotations.curation.models import Curation
from annotations.curation.projects.assignment import assign_article
from annotations.formats.mitab.columns import MITAB_COLUMNS
from annotations.identifiers.models import Entry
from annotations.nanopublications.verification import verify_nanopublications
from bcms.lib.sealing import generate_public_and_private_key, parse_optional_private_key
from servers.registry.models import Server
from tests.browser import PATIENCE
from tests.integration.article_cast import ABSTRACT, TITLE, create_known_genes
from tests.integration.curation_cast import list_states, store_proposals
from tests.integration.manuscript_cast import URL, make_journal, use_token
from tests.integration.project_cast import get_curator, make_project

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.long]
TEXT = {"title": TITLE, "passages": [{"type": "abstract", "text": ABSTRACT}]}
PASSAGE = "E-cadherin (CDH1) binds beta-catenin."


@pytest.fixture
def keys(settings, live_server):
    """The site has a key for nanopublications, and its links lead to the server of the test."""
    _, private = generate_public_and_private_key(2048)
    settings.NANOPUB_KEY = parse_optional_private_key(private, "KEY", "make")
    settings.SITE_URL = live_server.url


@pytest.fixture
def journal(django_user_model):
    return use_token(make_journal(django_user_model.objects.create_user))


@pytest.fixture
def submitted(keys, journal, team):
    """What the journal is answered; three servers have answered, too."""
    create_known_genes()
    Entry.objects.create(
        database="uniprot", identifier="P19022", exists=True, name="Cadherin-2", symbol="CDH2", taxon=9606
    )
    answer = journal.post(URL, TEXT, content_type="application/json").json()
    store_proposals(team, Article.objects.get(blind=True))
    Server.objects.update(confidential=True)
    return answer


@pytest.fixture
def open_window(browser, live_server):
    """A window of its own for each person; who is None has no account."""
    contexts = []

    def open_as(user, path):
        context = browser.new_context(base_url=live_server.url)
        contexts.append(context)
        if user is not None:
            client = Client()
            client.force_login(user)
            value = client.cookies["sessionid"].value
            context.add_cookies([{"name": "sessionid", "value": value, "url": live_server.url}])
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(path)
        return page

    yield open_as
    for context in contexts:
        context.close()


def press(page, *keys):
    for key in keys:
        with page.expect_response(lambda response: "/decide/" in response.url):
            page.keyboard.press(key)


def open_step(page, name):
    page.get_by_role("navigation", name="Steps").get_by_role("link", name=name).click()
    page.wait_for_url(f"**step={name.lower().split()[0]}*")


def finish(page, then="Finished on"):
    """Finish the curation; then: what is shown afterwards. Authors are asked questions."""
    open_step(page, "Check and finish")
    page.get_by_role("button", name="Finish").click()
    page.get_by_text(then).first.wait_for()


def choose_type_and_method(page):
    page.get_by_label("Interaction type").select_option("MI:0915")
    page.get_by_label("Method", exact=True).first.select_option("MI:0018")


def select_in_text(page, words):
    page.evaluate(
        """words => {
            for (const each of document.querySelectorAll("#text [data-start]")) {
                const text = each.firstChild, start = text.data.indexOf(words);
                if (start >= 0) getSelection().setBaseAndExtent(text, start, text, start + words.length);
            }
        }""",
        words,
    )


def let_author_curate(page):
    """The author takes mouse Cdh1 for a protein of the article, and completes the interaction that is proposed."""
    page.get_by_role("link", name="Open the workspace").click()
    page.wait_for_url("**/curation/**")
    press(page, "a")
    open_step(page, "Entities")
    press(page, "a", "a", "a")
    open_step(page, "Interactions")
    page.keyboard.press("e")
    expect(page.get_by_label("Interaction type")).to_be_focused()
    choose_type_and_method(page)
    page.get_by_role("checkbox", name=PASSAGE).first.check()
    with page.expect_response("**/decide/**"):
        page.get_by_role("button", name="Save and accept").click()
    finish(page, then="Questionnaire")


def let_curator_take_over(page):
    """The curator corrects mouse Cdh1 to human CDH2, and adds its interaction with beta-catenin."""
    page.get_by_role("link", name=TITLE).click()
    page.get_by_role("button", name="Take over the record").click()
    page.get_by_text("continues the record of").wait_for()
    open_step(page, "Entities")
    page.get_by_role("listitem", name="Cdh1, accepted", exact=True).click()
    page.keyboard.press("e")
    identifier = page.get_by_role("combobox", name="Identifier", exact=True)
    expect(identifier).to_be_focused()
    identifier.fill("uniprot:P19022")
    with page.expect_response("**/decide/**"):
        page.get_by_role("button", name="Correct and accept").click()
    open_step(page, "Interactions")
    page.get_by_role("link", name="Add an interaction").click()
    page.get_by_label("Interaction type").wait_for()
    for number, identifier in ((1, "uniprot:P19022"), (2, "uniprot:P35222")):
        page.locator(f"#participant-{number}").fill(identifier)
    choose_type_and_method(page)
    select_in_text(page, PASSAGE)
    page.get_by_role("button", name="Use the selected text as a passage").first.click()
    with page.expect_response("**/decide/**"):
        page.get_by_role("button", name="Add", exact=True).click()
    assert page.get_by_role("alert").all_inner_texts() == []
    finish(page)


def curate_blind(page, *keys):
    press(page, "a")
    open_step(page, "Entities")
    press(page, *keys)
    finish(page)


def check_files(client, ident):
    """Each format of the record, as other programs read it."""
    files = {
        slug: b"".join(client.get(f"/api/v1/articles/{ident}/digital-abstract/{slug}/").streaming_content)
        for slug in ("sentences", "ndjson", "mitab", "psi-mi-xml-2.5.4", "psi-mi-xml-3.0.0", "html", "nanopublications")
    }
    assert len(files["sentences"].decode().splitlines()) == 3
    [record] = [json.loads(line) for line in files["ndjson"].splitlines()]
    assert len(record["interactions"]) == 2
    rows = [line.split("\t") for line in files["mitab"].decode().splitlines()]
    assert [len(row) for row in rows] == [len(MITAB_COLUMNS)] * 3
    for slug in ("psi-mi-xml-2.5.4", "psi-mi-xml-3.0.0"):
        assert len(etree.fromstring(files[slug]).findall(".//{*}interactionList/{*}interaction")) == 2
    assert etree.HTML(files["html"]).findtext(".//h1") == TITLE
    trig = files["nanopublications"].decode()
    graph = rdflib.Dataset()
    graph.parse(data=trig, format="trig")
    assert len(graph) > 0 and len(verify_nanopublications(trig)) == 2


def test_a_manuscript_becomes_a_digital_abstract(open_window, submitted, journal, client, alice, carol, olga):
    author = open_window(None, submitted["author_link"])
    let_author_curate(author)
    manuscript = f"{URL}{submitted['id']}/"
    assert (
        journal.post(f"{manuscript}curators/", {"person": "alice"}, content_type="application/json").status_code == 200
    )
    let_curator_take_over(open_window(alice, "/curation/"))
    published = journal.post(f"{manuscript}publish/", {"pmid": 20000001}, content_type="application/json")
    assert published.status_code == 200, published.content
    reader = open_window(None, "/articles/20000001/")
    record = reader.get_by_role("region", name="Structured digital abstract")
    expect(record).to_contain_text("CDH2")
    expect(record).to_contain_text("(author) and alice")
    check_files(client, 20000001)

    article = Article.objects.get(pmid=20000001)
    corpus = Corpus.objects.create(slug="cadherins", name="Cadherins")
    CorpusArticle.objects.create(corpus=corpus, article=article, position=1)
    project = make_project(olga, alice, carol, corpus=corpus)
    for user, keys in ((alice, ["a", "a", "r"]), (carol, ["a", "r", "r"])):
        curation = assign_article(project, article, get_curator(project, user).pk)
        window = open_window(user, f"/curation/{curation.pk}/")
        assert "rejected" not in window.get_by_role("main").inner_text()
        curate_blind(window, *keys)
    owner = open_window(olga, f"/curation/projects/{project.pk}/outcome/")
    owner.get_by_role("link", name=TITLE).click()
    owner.get_by_role("heading", name="Disagreements: 1").wait_for()
    owner.get_by_role("radio", name="CTNNB1").check()
    owner.get_by_role("button", name="Store the outcome").click()
    owner.get_by_role("heading", name="Agreement and outcome").wait_for()
    outcome = Curation.objects.get(curator=project.outcome)
    assert set(list_states(outcome).values()) == {"accepted"}
