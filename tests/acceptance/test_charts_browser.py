"""Charts in a real browser: the values of what is pointed at, by mouse, finger and keyboard, and the large view."""

import re

import pytest
from playwright.sync_api import expect

from evaluation.challenges.participants.server_entry import enter_eligible_server_and_enqueue_articles
from evaluation.challenges.publication.publication_requests import publish_phase_or_request_if_sealed
from evaluation.scoring.run_scores import compute_and_store_run_scores
from tests.integration.evaluation_cast import answer, make_challenge, make_corpus, make_server, relevant

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

BOARD = "/challenges/example/training/ACT/"
CURVES = "figure[aria-labelledby=plot] svg"
# Where the point with these values is on the screen, after it was scrolled there.
PLACE = """async ([chart, x, y]) => {
  document.querySelector(chart).scrollIntoView({block: "center"});
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const matrix = document.querySelector(chart).getScreenCTM();
  const {x: left, y: top} = new DOMPoint(46 + 400 * x, 326 - 300 * y).matrixTransform(matrix);
  return [left, top];
}"""
VIEW = "svg => svg.getAttribute('viewBox').split(' ').map(Number)"


@pytest.fixture
def board(transactional_db, live_server, olga, team):
    """The address of a leaderboard of two servers with curves and times."""
    phase = make_challenge(olga, make_corpus()).phases.get()
    for slug, said in (("right", "TTFF"), ("half", "TFTF")):
        run = enter_eligible_server_and_enqueue_articles(make_server(team, slug), phase)[0]
        for pmid, letter in zip((101, 102, 103, 104), said, strict=True):
            answer(run, pmid, relevant(letter == "T"), duration=1.0)
        compute_and_store_run_scores(run)
    publish_phase_or_request_if_sealed(phase)
    return live_server.url + BOARD


# Pixels of the screen.
SMALLEST_TEXT = """chart => Math.min(...[...chart.querySelectorAll("text")].map(
    text => parseFloat(getComputedStyle(text).fontSize) * chart.getScreenCTM().a))"""


def find_place(page, x, y, chart=CURVES):
    return page.evaluate(PLACE, [chart, x, y])


def read_box(locator):
    box = locator.bounding_box()
    return box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]


def test_values_are_shown_where_the_pointer_is(page, board):
    page.goto(board)
    tip = page.locator(".tip")
    x, y = find_place(page, 1, 0.667)
    page.mouse.move(x - 3, y - 30)
    expect(tip).to_contain_text("Half")
    expect(tip).to_contain_text("Recall: 1")
    left, top, _, bottom = read_box(tip)
    assert not top <= y <= bottom, "the values cover their mark"

    # The pointer reaches the values, and they stay.
    shown = tip.inner_text()
    page.mouse.move(left + 10, (top + bottom) / 2, steps=10)
    assert tip.inner_text() == shown
    expect(tip).to_be_visible()

    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.mouse.move(x - 4, y - 30)
    expect(tip).to_be_hidden()
    page.mouse.move(5, 5)
    x, y = find_place(page, 0, 1)
    page.mouse.move(x, y)
    expect(tip).to_contain_text("Precision: 1")
    page.mouse.move(5, 5)
    expect(tip).to_be_hidden()


def test_a_finger_shows_values_within_the_screen(browser, board):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(board)
    tip = page.locator(".tip")
    page.touchscreen.tap(*find_place(page, 1, 1))
    expect(tip).to_contain_text("Recall: 1")
    left, top, right, bottom = read_box(tip)
    assert left >= 0 and top >= 0 and right <= 390 and bottom <= 844
    page.touchscreen.tap(20, 20)
    expect(tip).to_be_hidden()
    context.close()


def test_text_of_charts_can_be_read_on_a_phone(page, board):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(board)
    charts = page.locator("main svg.chart")
    expect(charts).not_to_have_count(0)
    for chart in charts.all():
        assert chart.evaluate(SMALLEST_TEXT) >= 9
        assert read_box(chart)[2] <= 390


def test_arrow_keys_lead_from_point_to_point(page, board):
    page.goto(board)
    chart, tip = page.locator(CURVES), page.locator(".tip")
    page.get_by_role("link", name="Download plot (SVG)").first.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    expect(chart).to_be_focused()
    expect(tip).to_contain_text("Recall: 0\nPrecision: 1", use_inner_text=True)
    first = tip.inner_text().splitlines()[0]
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text("Recall: 0.5")
    page.keyboard.press("ArrowDown")
    expect(tip).not_to_contain_text(first)
    page.keyboard.press("End")
    expect(tip).to_contain_text("Recall: 1")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.keyboard.press("Home")
    expect(tip).to_contain_text("Recall: 0\nPrecision: 1", use_inner_text=True)
    page.keyboard.press("Tab")
    expect(tip).to_be_hidden()


def test_values_follow_curves_that_are_drawn_again(page, board):
    page.goto(board)
    tip, half = page.locator(".tip"), page.get_by_role("checkbox", name="Plot the curve of Half")
    half.uncheck()
    expect(page.locator(f"{CURVES} g[data-points]")).to_have_count(1)
    page.mouse.move(*find_place(page, 1, 0.667))
    expect(tip).to_contain_text("Right")
    page.get_by_role("link", name="Enlarge the precision-recall curves").click()
    expect(page.locator("dialog g[data-points]")).to_have_count(1)
    page.get_by_role("button", name="Close").click()
    half.check()
    expect(page.locator(f"{CURVES} g[data-points]")).to_have_count(2)
    page.mouse.move(*find_place(page, 1, 0.667))
    expect(tip).to_contain_text("Half")

    # A chart that has the focus keeps it.
    page.locator(CURVES).focus()
    half.evaluate("box => box.click()")
    expect(page.locator(f"{CURVES} g[data-points]")).to_have_count(1)
    expect(page.locator(CURVES)).to_be_focused()


def test_a_chart_is_enlarged_zoomed_and_moved(page, board):
    page.goto(board)
    dialog, large, tip = page.get_by_role("dialog"), page.locator("dialog svg"), page.locator(".tip")
    opener = page.get_by_role("link", name="Enlarge the precision-recall curves")
    opener.click()
    expect(dialog).to_be_visible()
    expect(large).to_be_focused()
    left, top, right, bottom = read_box(dialog)
    assert (left, top, right, bottom) == (0, 0, 1280, 900)
    whole = large.evaluate(VIEW)

    page.mouse.move(*find_place(page, 0, 1, "dialog svg"))
    expect(tip).to_contain_text("Precision: 1")
    page.mouse.wheel(0, -300)
    expect(large).not_to_have_attribute("viewBox", " ".join(f"{number:g}" for number in whole))
    nearer = large.evaluate(VIEW)
    assert nearer[2] < whole[2] / 2
    page.mouse.move(600, 500)
    page.mouse.down()
    page.mouse.move(500, 400, steps=4)
    page.mouse.up()
    assert large.evaluate(VIEW)[:2] > nearer[:2]
    page.get_by_role("button", name="Reset").click()
    assert large.evaluate(VIEW) == whole

    page.get_by_role("button", name="Zoom in").click()
    page.get_by_role("button", name="Zoom in").click()
    assert large.evaluate(VIEW)[2] == pytest.approx(whole[2] / 2.25)
    page.get_by_role("button", name="Zoom out").click()
    large.dblclick(position={"x": 300, "y": 300})
    assert large.evaluate(VIEW) == whole

    large.focus()
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("+")
    page.keyboard.press("End")
    expect(tip).to_contain_text("Recall: 1")
    left, top, right, bottom = large.evaluate(VIEW)
    assert left + right > 440, "the mark is not in sight"
    page.keyboard.press("Shift+ArrowLeft")
    assert large.evaluate(VIEW)[0] < left
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    expect(dialog).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()


def test_without_scripts_a_chart_has_titles_and_a_link_to_its_file(browser, board):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(board)
    assert page.locator(f"{CURVES} g[data-points] > title").first.text_content().startswith("Right, ")
    assert page.locator("button[data-enlarge]:visible").count() == 0
    page.get_by_role("link", name="Enlarge the precision-recall curves").click()
    expect(page).to_have_url(re.compile(r"precision-recall\.svg"))
    context.close()
