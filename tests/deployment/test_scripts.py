"""The scripts of a deployment are free of the faults that shellcheck knows."""

import subprocess

import pytest

from tests.compose_file import ROOT
from tests.deployment.programs import require_programs


@pytest.mark.long
@pytest.mark.parametrize("script", ["deploy/make-secrets", "deploy/pgbouncer/start", ".ci/run"])
def test_shellcheck_finds_nothing(script):
    program = require_programs("shellcheck")["shellcheck"]
    checked = subprocess.run([program, script], cwd=ROOT, capture_output=True, text=True)

    assert checked.returncode == 0, checked.stdout
