"""Browsers fill in forms as they were left, so after Back, filters would not be those of the page."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORM = re.compile(r"<form\b[^>]*>")
# What these send is no part of the address, or is one line that a reader may want to correct.
OTHERS = ('method="post"', 'method="dialog"', 'role="search"')


def test_no_browser_fills_in_filters():
    forms = {
        (str(path.relative_to(ROOT)), form)
        for path in (ROOT / "templates").rglob("*.html")
        for form in FORM.findall(path.read_text(encoding="utf-8"))
    }
    filters = {(path, form) for path, form in forms if not any(other in form for other in OTHERS)}
    assert len(filters) > 9
    assert [each for each in sorted(filters) if 'autocomplete="off"' not in each[1]] == []
