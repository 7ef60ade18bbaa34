"""Programs of Debian that the tests of a deployment start."""

import os
import shutil

import pytest

PACKAGES = {"promtool": "prometheus", "prometheus": "prometheus"}


def require_programs(*names: str) -> None:
    """Skip the test and say which packages are missing; where a continuous integration could install them, fail."""
    missing = sorted({PACKAGES[name] for name in names if shutil.which(name) is None})
    if not missing:
        return
    sentence = f"not tried, because these packages of Debian are missing: {', '.join(missing)}"
    if os.environ.get("CI") and os.geteuid() == 0:
        pytest.fail(sentence)
    pytest.skip(sentence)
