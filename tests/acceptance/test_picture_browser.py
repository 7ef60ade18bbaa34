"""Pictures get into the description of a challenge in a real browser: chosen, dropped, described, shown, deleted."""

import base64

import pytest
from playwright.sync_api import expect

from tests.drawn_pictures import draw, save

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Drops a file on an element, as from the desktop.
DROP = """(element, [content, name]) => {
  const bytes = Uint8Array.from(atob(content), (each) => each.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], name, { type: "image/png" }));
  for (const kind of ["dragover", "drop"])
    element.dispatchEvent(new DragEvent(kind, { dataTransfer: files, bubbles: true, cancelable: true }));
}"""


def open_description(page, live_server):
    page.goto(f"{live_server.url}/login/?next=/challenges/example/description/")
    page.get_by_label("Username").fill("olga")
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("main").get_by_role("button", name="Log in", exact=True).click()
    expect(page.get_by_role("heading", name="Description and rules")).to_be_visible()


def make_file(name, size=(800, 500), color="teal"):
    return {"name": name, "mimeType": "image/png", "buffer": save(draw(size, color))}


def find_picture(page, file_name):
    return page.locator("[data-picture]").filter(has_text=file_name)


def test_pictures_are_uploaded_into_the_text_and_shown(page, live_server, challenge, olga):
    open_description(page, live_server)
    text = page.get_by_label("Description")
    text.fill("Before. After.")
    text.evaluate("element => element.setSelectionRange(8, 8)")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add pictures").click()
    chooser.value.set_files([make_file("flow.png")])
    expect(find_picture(page, "flow.png").get_by_text("800 × 500 pixels")).to_be_visible()
    (flow,) = challenge.pictures.all()
    expect(text).to_have_value(f"Before. ![]({flow.name})After.")
    # The cursor is where the alternative text is missing.
    expect(text).to_be_focused()
    page.keyboard.type("The flow")
    expect(text).to_have_value(f"Before. ![The flow]({flow.name})After.")

    text.press("Control+End")
    text.evaluate(DROP, [base64.b64encode(save(draw(color="navy"))).decode(), "plan.png"])
    expect(find_picture(page, "plan.png")).to_be_visible()
    plan = challenge.pictures.get(file_name="plan.png")
    expect(text).to_have_value(f"Before. ![The flow]({flow.name})After.![]({plan.name})")
    text.fill(f"See ![The flow]({flow.name})")

    page.get_by_label("New pictures").set_input_files(make_file("map.png", color="olive"))
    page.get_by_role("button", name="Upload pictures").click()
    row = find_picture(page, "map.png")
    expect(row).to_be_visible()
    row.get_by_label("What it shows").fill("A map")
    row.get_by_role("button", name="Save the alternative text").click()
    expect(page.get_by_text("Alternative text of map.png saved.").first).to_be_visible()
    text.evaluate("element => element.setSelectionRange(element.value.length, element.value.length)")
    find_picture(page, "map.png").get_by_role("button", name="Insert").click()
    map_name = challenge.pictures.get(file_name="map.png").name
    expect(text).to_have_value(f"See ![The flow]({flow.name})![A map]({map_name})")

    plan_row = find_picture(page, "plan.png")
    plan_row.get_by_text("Delete", exact=False).first.click()
    plan_row.get_by_label("I understand").check()
    plan_row.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("plan.png deleted.").first).to_be_visible()
    expect(find_picture(page, "plan.png")).to_have_count(0)
    page.get_by_role("button", name="Save rules").click()
    expect(page.get_by_text("Rules saved.")).to_be_visible()

    page.goto(f"{live_server.url}/challenges/example/")
    shown = page.get_by_role("img", name="The flow")
    expect(shown).to_be_visible()
    assert (
        shown.evaluate("async (image) => { await image.decode(); return [image.naturalWidth, image.width] }")[0] == 800
    )


def test_what_is_wrong_with_a_picture_is_said_in_the_list(page, live_server, challenge, olga, tmp_path):
    open_description(page, live_server)
    page.get_by_label("Description").fill("Typed and not saved")
    page.get_by_label("New pictures").set_input_files(
        {"name": "logo.svg", "mimeType": "image/svg+xml", "buffer": b"<svg/>"}
    )
    page.get_by_role("button", name="Upload pictures").click()
    expect(page.get_by_text("logo.svg: The file is not a PNG, JPEG, WebP or GIF picture")).to_be_visible()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add pictures").click()
    chooser.value.set_files([{"name": "logo.svg", "mimeType": "image/svg+xml", "buffer": b"<svg/>"}])
    expect(page.locator("form .picture-notes").get_by_text("logo.svg: The file is not a PNG")).to_be_visible()
    # A path, which Chromium reads itself: Playwright would pass on the content in Base64.
    large = tmp_path / "large.png"
    large.write_bytes(bytes(21 << 20))
    page.get_by_label("New pictures").set_input_files(large)
    page.get_by_role("button", name="Upload pictures").click()
    expect(page.get_by_text("The pictures are larger than 20 MiB in total.").first).to_be_visible()
    expect(page.get_by_label("Description")).to_have_value("Typed and not saved")


def test_pictures_need_no_script(browser, live_server, challenge, olga):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    open_description(page, live_server)
    page.get_by_label("New pictures").set_input_files(make_file("flow.png"))
    page.get_by_role("button", name="Upload pictures").click()
    expect(page.get_by_role("heading", name="Pictures of the description")).to_be_visible()
    expect(find_picture(page, "flow.png")).to_be_visible()
    context.close()
