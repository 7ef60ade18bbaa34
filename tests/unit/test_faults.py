"""The table of docs/operations.md about what was seen has every fault that `make faults` lets a site meet."""

import re
from pathlib import Path

from tests.faults.faults import FAULTS

OPERATIONS = Path(__file__).resolve().parents[2] / "docs" / "operations.md"


def test_the_table_has_every_fault_and_how_long_it_lasts():
    section = OPERATIONS.read_text(encoding="utf-8").split("\n## When parts fail\n")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| ([\w ()-]+) \| (\d+) \|", section, re.MULTILINE))

    assert rows == {name: str(fault.seconds) for name, fault in FAULTS.items()}
