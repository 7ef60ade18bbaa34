"""Scripts and styles stay small: phones load them over slow connections."""

import gzip
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "static"
MOST_BYTES = 60_000


def test_all_scripts_and_styles_together_are_small_as_sent():
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 6, mtime=0)) for path in FOLDER.glob("*.[cj]s*")}
    assert {"site.css", "article.js", "charts.js"} <= sizes.keys()
    assert sum(sizes.values()) < MOST_BYTES, sizes
