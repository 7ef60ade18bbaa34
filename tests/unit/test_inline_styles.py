"""Pages have no inline styles and scripts, which the content security policy forbids, but for the style of drawings."""

import base64
import re
from hashlib import sha256
from pathlib import Path

import pytest

from bcms.lib.svg.series_styles import render_chart_css
from bcms.middleware.content_security_policy import POLICY

ROOT = Path(__file__).resolve().parents[2]
# The files of an archive are opened without the site, and have their style with them.
TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*.html") if "archive_files" not in path.parts)
DRAWING_MODULES = sorted([*(ROOT / "bcms/lib/svg").glob("*.py"), *(ROOT / "evaluation/plotting").glob("*.py")])
INLINE = re.compile(r"\sstyle=|<style|\son[a-z]+=\"|<script(?![^>]*\ssrc=)|javascript:", re.IGNORECASE)


def test_the_policy_allows_no_inline_style_but_that_of_drawings():
    style = sha256(render_chart_css().encode()).digest()
    assert "unsafe" not in POLICY
    assert f"'sha256-{base64.b64encode(style).decode()}'" in POLICY


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(ROOT)))
def test_templates_have_no_inline_styles_or_scripts(path):
    assert INLINE.findall(path.read_text(encoding="utf-8")) == []


def test_drawings_have_no_other_style():
    code = "".join(path.read_text(encoding="utf-8") for path in DRAWING_MODULES)
    assert " style=" not in code
    assert code.count("<style>") == code.count("<style>{render_chart_css()}</style>")


def test_every_percentage_has_a_rule():
    rules = (ROOT / "static/site.css").read_text(encoding="utf-8")
    assert [number for number in range(101) if f".pc{number} {{ --part: {number}% }}" not in rules] == []
