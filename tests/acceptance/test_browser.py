"""The browser of the tests: it is there in both widths, and it reaches this machine alone."""

import pytest

pytestmark = pytest.mark.browser


def test_it_opens_pages_in_both_widths(page, phone):
    page.set_content("<p>Wide</p>")
    phone.set_content("<p>Narrow</p>")

    assert page.inner_text("p") == "Wide"
    assert page.evaluate("innerWidth") == 1280
    assert phone.evaluate("innerWidth") == 390


def test_it_leaves_other_machines_alone(page):
    page.set_content("<img src='http://192.0.2.1/x.png' onerror='document.title = `refused`'>")

    page.wait_for_function("document.title === 'refused'")
