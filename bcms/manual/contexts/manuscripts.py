"""Context of the manual's page about manuscripts: limits, and an example of a request."""

from annotations.curation.manuscripts.links import DEFAULT_DAYS, MOST_DAYS
from bcms.article_uploads.article_import import MEBIBYTES

EXAMPLE = """{
  "reference": "FEBS-2026-0815",
  "title": "…",
  "passages": [
    {"type": "abstract", "text": "…"},
    {"type": "Results", "text": "…"},
    {"type": "figure", "text": "Figure 1. …"}
  ],
  "author_mail": "author@example.org",
  "public_on": "2026-12-31"
}"""


def build_manuscript_example_and_limits_context() -> dict[str, object]:
    return {"example": EXAMPLE, "default_days": DEFAULT_DAYS, "most_days": MOST_DAYS, "mebibytes": MEBIBYTES}
