"""Where tests find the corpora that are not part of the project; without them these tests are skipped aloud."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1].parent / "shared" / "data"


def require_shared_path(*parts: str) -> Path:
    """A file or folder of the corpora beside the project, or the test is skipped."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the corpora beside the project are absent: no {path}")
    return path
