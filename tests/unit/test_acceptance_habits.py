"""What keeps tests in a browser from failing on a slow day."""

from pathlib import Path

ACCEPTANCE = Path(__file__).parents[1] / "acceptance"


def test_they_wait_for_what_they_look_for():
    # Locator.is_visible() answers at once, and a click ends before the next page is all there: expect() waits.
    hasty = [path.name for path in sorted(ACCEPTANCE.glob("*.py")) if ".is_visible()" in path.read_text()]
    assert hasty == []
