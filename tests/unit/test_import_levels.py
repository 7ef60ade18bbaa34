"""Dependencies run one way. The table of levels is data here; whoever breaks it is told the line that does.

    annotations <- servers <- evaluation <- bcms, and bcms.lib under all

Within an app the levels are: 1 pure, 2 outside, 3 models, 4 operations, 5 edges. Level 0 is bcms.lib, level 6 the rest
of bcms. A module of an app that the table does not name is an operation.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("annotations", "servers", "evaluation", "bcms")
OPERATIONS = 4
LEVELS = {
    0: ["bcms.lib.*"],
    1: [
        *(
            "annotations.kinds",
            "annotations.errors",
            "annotations.databases",
            "annotations.accents",
            "annotations.greek",
            "annotations.pmids",
            "annotations.positions",
            "annotations.rules",
            "annotations.sentences",
            "annotations.passages",
        ),
        *("annotations.collation", "annotations.consensus", "annotations.consensus_rules", "annotations.formats.*"),
        *("servers.errors", "servers.states", "servers.retry", "servers.diagnosis", "servers.masking"),
        "servers.topics",
        *("servers.protocols.*", "servers.reference.*", "servers.kit.articles"),
        *(f"servers.availability.{pure}" for pure in ("windows", "spans", "percentiles", "measures")),
        *("evaluation.errors", "evaluation.run_files", "evaluation.run_passages", "evaluation.mentions.files"),
        *("evaluation.measures.*", "evaluation.analyses.*", "evaluation.plotting.*"),
    ],
    2: [
        *("servers.client", "servers.server_url", "servers.kit.*", "servers.availability.looking"),
        *("annotations.registry.*", "annotations.fetching", "annotations.apart", "annotations.article_files"),
    ],
    3: ["*.models", "*.querysets", "evaluation.caps"],
    5: [
        *("*.tasks", "*.views", "*.buttons", "*.forms", "*.admin", "*.urls", "*.api", "*.organizing"),
        *("servers.teams", "servers.team_forms", "servers.notifications", "servers.notification_forms"),
        *("evaluation.run_forms", "evaluation.run_pages", "evaluation.article_pages", "evaluation.pooling.pages"),
        "evaluation.by_hand.pages",
        *("*.templatetags.*", "*.management.*", "evaluation.commands.*", "evaluation.organizers.*", "*.__main__"),
    ],
    6: ["bcms.*", "bcms"],
}
# What a module may import of an app below its own, by its level; of its own app, its own level and what is under it.
OF_APPS_BELOW = {0: set(), 1: {0, 1}, 2: {0, 1}, 3: {0, 1, 3}, 4: {0, 1, 2, 3, 4}, 5: {0, 1, 2, 3, 4}, 6: set(range(7))}
# Pure modules know no network, no clock and no process; level 2 does, but no Django either.
IMPURE = {
    *("socket", "ssl", "select", "selectors", "asyncio", "http.client", "http.server", "urllib.request"),
    *("xmlrpc.server", "time", "threading", "multiprocessing", "subprocess", "signal"),
}
OUTSIDE_LIBRARIES = {
    0: {"requests", "urllib3"},
    1: {"lxml", "defusedxml", "docx", "pypdfium2"},
    2: {"requests", "lxml", "defusedxml"},
}
# numpy is for numbers: measures, analyses, the reference annotators, and runs of millions of lines.
WITH_NUMPY = [
    *("evaluation.measures.*", "evaluation.analyses.*", "evaluation.plotting.*", "servers.reference.*"),
    *("annotations.formats.runs_tsv", "annotations.formats.trec", "annotations.formats.tsv_*"),
    *("annotations.formats.gene_eval", "annotations.formats.text_results"),
]
WITH_REQUESTS = ["bcms.lib.http"]

LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 8
GRAB_BAGS = {"utils", "util", "helpers", "helper", "common", "misc"}


@dataclass(frozen=True)
class Import:
    importer: str
    imported: str
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.importer} imports {self.imported}"


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Every module of the four packages but migrations, which Django writes."""
    paths = (path for app in APPS for path in sorted((ROOT / app).rglob("*.py")))
    return {module_of(path): path for path in paths if "migrations" not in path.parts}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imports() -> Iterator[Import]:
    """Every import, also those inside functions; `from package import module` imports the module."""
    for name, path in modules().items():
        for node in ast.walk(tree_of(path)):
            for imported in imported_by(node, name, path):
                yield Import(name, imported, path, node.lineno)


def imported_by(node: ast.AST, importer: str, path: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        package = importer.split(".") if path.name == "__init__.py" else importer.split(".")[:-1]
        base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
    inside = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in modules() else base for name in inside]


def app_of(module: str) -> str:
    return module.split(".")[0]


def level_of(module: str) -> int:
    """The level of the table, the edges before the rest (servers.reference.__main__ is an edge)."""
    edges_first = sorted(LEVELS, key=lambda level: (level != 0, level == 6, level != 5))
    for level in edges_first:
        if level in (3, 5) and app_of(module) == "bcms":
            continue
        if any(fnmatch(module, pattern) for pattern in LEVELS[level]):
            return level
    return OPERATIONS


def allowed(found: Import) -> bool:
    if app_of(found.imported) in APPS:
        return allowed_of_ours(found.importer, found.imported)
    return allowed_of_others(found.importer, found.imported)


def allowed_of_ours(importer: str, imported: str) -> bool:
    mine, theirs = level_of(importer), level_of(imported)
    if mine == 6 or theirs == 0:
        return True
    if app_of(importer) == app_of(imported):
        return theirs <= mine
    below = APPS.index(app_of(imported)) < APPS.index(app_of(importer))
    return below and theirs in OF_APPS_BELOW[mine]


def allowed_of_others(importer: str, imported: str) -> bool:
    level, package = level_of(importer), imported.split(".")[0]
    if level > 2:
        return True
    if package in sys.stdlib_module_names:
        return level != 1 or not any(imported == name or imported.startswith(f"{name}.") for name in IMPURE)
    if package == "numpy":
        return any(fnmatch(importer, pattern) for pattern in WITH_NUMPY)
    return package in OUTSIDE_LIBRARIES[level] and (package not in {"requests", "urllib3"} or importer in WITH_REQUESTS)


def functions() -> Iterator[tuple[str, int]]:
    """Where each function is, and its length in lines."""
    for path in modules().values():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                where = f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}"
                yield where, (node.end_lineno or node.lineno) - node.lineno + 1


def test_it_lets_imports_run_one_way():
    wrong = [str(found) for found in imports() if not allowed(found)]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("importer", "imported", "verdict"),
    [
        ("annotations.storing", "servers.models", False),
        ("servers.views", "bcms.visibility", False),
        ("servers.views", "bcms.lib.text", True),
        ("evaluation.views", "servers.views", False),
        ("evaluation.views", "evaluation.forms", True),
        ("bcms.pages.article", "servers.views", True),
        ("servers.lease", "servers.tasks", False),
        ("servers.loop", "annotations.storing", True),
        ("servers.models", "annotations.storing", False),
        ("servers.models", "annotations.models", True),
        ("annotations.rules", "django.conf", False),
        ("annotations.rules", "time", False),
        ("annotations.rules", "urllib.request", False),
        ("annotations.rules", "urllib.parse", True),
        ("annotations.rules", "numpy", False),
        ("annotations.kinds", "servers.states", False),
        ("evaluation.measures.ranking", "numpy", True),
        ("servers.client", "servers.models", False),
        ("servers.client", "requests", False),
        ("servers.client", "django.conf", False),
        ("bcms.lib.text", "annotations.kinds", False),
        ("servers.reference.__main__", "servers.kit.serving", True),
        ("servers.reference.species", "servers.kit.serving", False),
    ],
)
def test_it_knows_right_from_wrong(importer, imported, verdict):
    assert allowed(Import(importer, imported, ROOT, 1)) is verdict


def test_it_sees_imports_inside_functions_and_of_modules():
    source = "def late():\n    from annotations import kinds\n    import servers.models\n"
    found = [name for node in ast.walk(ast.parse(source)) for name in imported_by(node, "x", ROOT / "x.py")]
    assert sorted(found) == ["annotations.kinds", "servers.models"]


def test_it_names_real_modules_in_the_table():
    named = [pattern for patterns in LEVELS.values() for pattern in patterns if "*" not in pattern]
    assert [name for name in named if name not in modules()] == []


def test_it_keeps_packages_empty():
    packages = [path for path in modules().values() if path.name == "__init__.py"]
    assert [str(path.relative_to(ROOT)) for path in packages if path.read_text(encoding="utf-8").strip()] == []


def test_it_has_no_receivers_of_signals():
    senders = ("django.dispatch", "django.db.models.signals", "django.core.signals", "celery.signals")
    assert [str(found) for found in imports() if found.imported.startswith(senders)] == []


def test_it_has_no_grab_bags():
    names = {name: set(name.split(".")) for name in modules()}
    assert [name for name, parts in names.items() if parts & GRAB_BAGS] == []


def test_it_has_no_long_modules():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in modules().values()}
    assert {path: length for path, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_it_has_no_long_functions():
    assert [(where, length) for where, length in functions() if length > LONGEST_FUNCTION] == []


def test_half_of_its_functions_are_short():
    assert median(length for _, length in functions()) <= MEDIAN_FUNCTION
