"""Entries that are suggested while somebody types, in a real browser: by keyboard only, at the width of a phone."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotations.identifiers.entries import EntryRecord
from annotations.identifiers.entry_storage import upsert_entries_unless_second_hand_replaces_first

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HUMAN = EntryRecord("ncbitaxon", "9606", "NCBI", name="Homo sapiens")
GENES = [
    EntryRecord(
        *("ncbigene", "7157", "NCBI"),
        symbol="TP53",
        name="tumor protein p53",
        taxon=9606,
        location="17p13.1",
        function="Acts as a tumor suppressor in many tumor types. " * 5,
    ),
    EntryRecord("ncbigene", "22059", "NCBI", symbol="Trp53", name="tumor protein of mice", taxon=10090),
]
NEW_FIELD = """(organisms) => {
  const field = document.createElement("input");
  field.id = "identifier";
  Object.assign(field.dataset, { suggest: "/api/v1/entries/", organisms, event: "" });
  document.querySelector("main").prepend(field);
  window.suggestEntries(field);
  field.addEventListener("suggestion", (event) => { document.title = JSON.stringify(event.detail); });
  field.focus();
}"""


@pytest.fixture
def search_page(page, live_server):
    records = [HUMAN, *GENES]
    upsert_entries_unless_second_hand_replaces_first(records, timezone.now(), from_table=True)
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{live_server.url}/articles/")
    return page


def test_an_entry_is_chosen_by_keyboard_in_spite_of_a_typing_error(search_page):
    search_page.locator(".filters > summary", has_text="Annotations").press("Enter")
    field = search_page.get_by_role("combobox", name="Entity", exact=True)
    field.press_sequentially("tumor protien")
    options = search_page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options).to_have_count(2)
    expect(search_page.locator("#announcer")).to_have_text("2 suggestions")
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("End")
    field.press("ArrowDown")
    first = options.first
    expect(first).to_have_attribute("aria-selected", "true")
    assert field.get_attribute("aria-activedescendant") == first.get_attribute("id")
    expect(first.locator(".title")).to_have_text("Similar: TP53, tumor protein p53")
    expect(first.locator(".meta").first).to_have_text("NCBI Gene NCBIGene:7157 · Homo sapiens · in no article yet")
    expect(first.locator(".context")).to_contain_text("17p13.1 · Acts as a tumor suppressor")
    assert search_page.evaluate("document.documentElement.scrollWidth") == 360
    field.press("End")
    expect(options.last).to_have_attribute("aria-selected", "true")
    field.press("Home")
    field.press("Enter")
    expect(field).to_have_value("NCBIGene:7157")
    expect(field).to_have_attribute("aria-expanded", "false")
    field.press("Escape")


def test_a_page_gets_the_chosen_entry_of_a_field_that_it_adds(search_page):
    search_page.evaluate(NEW_FIELD, "10090")
    field = search_page.locator("#identifier")
    field.press_sequentially("tumor prot")
    options = search_page.get_by_role("option")
    expect(options.locator(".meta").nth(0)).to_have_text(
        "NCBI Gene NCBIGene:22059 · organism 10090 (chosen) · in no article yet"
    )
    field.press("ArrowDown")
    field.press("Enter")
    search_page.wait_for_function("document.title.startsWith('{')")
    assert search_page.evaluate("JSON.parse(document.title).identifier") == "22059"
    expect(field).to_have_value("tumor prot")
    expect(field).to_be_focused()
