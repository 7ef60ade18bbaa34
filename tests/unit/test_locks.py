"""Advisory locks: one number each, as two tasks with the same one would hold each other up."""

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = re.compile(r"^([A-Z_]+_LOCK) = ([0-9_]+)$", re.MULTILINE)


def test_it_gives_each_lock_a_number_of_its_own():
    paths = (path for app in ("annotations", "servers", "evaluation", "bcms") for path in (ROOT / app).rglob("*.py"))
    locks = [(name, int(number)) for path in paths for name, number in LOCK.findall(path.read_text(encoding="utf-8"))]
    numbers = Counter(number for _, number in locks)
    assert len(locks) > 5
    assert [name for name, number in locks if numbers[number] > 1] == []
