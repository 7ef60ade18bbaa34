"""Imports run one way, and the path of a module tells its level.

    annotations <- servers <- evaluation <- bcms, and bcms/lib below all of them

Inside an app: Django-free modules, then `models` and `validators`, then `queries`, then operations, then the edges. An
edge is known by its file name (`views`, `api`, `forms`, ...) or by its folder (`commands`, `templatetags`, ...); every
other module is an operation. Modules in the pure folders reach no Django, network or clock, not even through what they
import.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("annotations", "servers", "evaluation", "bcms")
LIBRARY = "bcms.lib"

EDGE_FILES = {"views", "api", "forms", "form_pages", "urls", "tasks", "admin", "__main__"}
EDGE_FOLDERS = {"templatetags", "management", "commands"}
# In these folders nothing may reach Django, the network, a clock or another process.
PURE_FOLDERS = {"formats", "protocols", "rules", "tables", "measures", "analyses", "plotting", "reference", "svg"}
PURE_MODULES = (
    *("annotations.schema", "annotations.annotation_rules", "annotations.entity_types"),
    *("annotations.digital_abstract", "annotations.digital_abstract_json", "annotations.json_members"),
    *("annotations.identifiers.namespaces", "annotations.identifiers.given_identifiers"),
    "annotations.identifiers.psi_mi_terms",
    *("servers.calls.retry", "servers.calls.reachability", "servers.calls.diagnosis"),
)
# The kit runs on the machines of participants, `python -m evaluation` without settings: both without Django.
DJANGO_FREE = ("servers.kit", "evaluation.commands", "evaluation.__main__", "bcms.lib.http")
NEEDS_DJANGO = ("servers.kit.views",)

DJANGO = {"django", "rest_framework", "celery", "allauth", "drf_spectacular", "psycopg2", "redis"}
IMPURE = {
    *("socket", "ssl", "select", "selectors", "asyncio", "http.client", "http.server", "urllib.request"),
    *("xmlrpc.server", "time", "threading", "multiprocessing", "subprocess", "signal", "requests", "urllib3"),
}
# What the pure folders may use besides the standard library.
PURE_LIBRARIES = {"lxml", "defusedxml", "fastobo", "docx", "pypdfium2", "numpy", "pyarrow", "rdflib"}

LONGEST_MODULE = 400
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 8
MODULES_IN_A_FOLDER = 16
GRAB_BAGS = {"utils", "util", "helpers", "helper", "common", "misc"}


@dataclass(frozen=True)
class Import:
    importer: str
    imported: str
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.importer} imports {self.imported}"


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Every module of the four packages but migrations, which Django writes."""
    paths = (path for app in APPS for path in sorted((ROOT / app).rglob("*.py")))
    return {module_name(path): path for path in paths if "migrations" not in path.parts}


@cache
def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def imports() -> tuple[Import, ...]:
    """Every import, also those inside functions; `from package import module` imports the module."""
    return tuple(
        Import(name, imported, path, node.lineno)
        for name, path in modules().items()
        for node in ast.walk(parse(path))
        for imported in list_imported(node, name, path)
    )


def list_imported(node: ast.AST, importer: str, path: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        package = importer.split(".") if path.name == "__init__.py" else importer.split(".")[:-1]
        base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
    names = [f"{base}.{alias.name}" for alias in node.names]
    return [name if name in modules() else base for name in names]


def get_app(module: str) -> str:
    return module.split(".")[0]


def is_below(module: str, packages: Iterable[str]) -> bool:
    return f"{module}.".startswith(tuple(f"{package}." for package in packages))


def is_edge(module: str) -> bool:
    *folders, name = module.split(".")
    return name in EDGE_FILES or bool(EDGE_FOLDERS.intersection(folders))


def is_pure(module: str) -> bool:
    return (bool(PURE_FOLDERS.intersection(module.split(".")[:-1])) and not is_edge(module)) or module in PURE_MODULES


def level(module: str) -> int:
    """2 models and validators, 3 queries, 4 operations, 5 edges, 6 what joins the apps."""
    name = module.split(".")[-1]
    if get_app(module) == "bcms" and not is_below(module, [LIBRARY]):
        return 6
    return 5 if is_edge(module) else {"models": 2, "validators": 2, "queries": 3}.get(name, 4)


def is_allowed(found: Import) -> bool:
    """Whether the import keeps the order of the apps and of the levels. Modules without Django may be used by all."""
    importer, imported = found.importer, found.imported
    if get_app(imported) not in APPS or (is_below(imported, [LIBRARY]) and not is_below(importer, [LIBRARY])):
        return True
    if is_below(importer, [LIBRARY]):
        return is_below(imported, [LIBRARY])
    if level(importer) == 6:
        return True
    same, other = get_app(importer) == get_app(imported), APPS.index(get_app(imported)) < APPS.index(get_app(importer))
    if not same and not other:
        return False
    if not list_reached(imported) & DJANGO and not is_edge(imported):
        return True
    return level(imported) <= level(importer) if same else level(imported) <= min(level(importer), 4)


@cache
def imports_by_module() -> dict[str, list[Import]]:
    grouped: dict[str, list[Import]] = {}
    for found in imports():
        grouped.setdefault(found.importer, []).append(found)
    return grouped


@cache
def list_names_of_others(module: str) -> frozenset[str]:
    """The top-level name of a module of other people, and those of IMPURE that it is in."""
    return frozenset({module.split(".")[0], *(name for name in IMPURE if is_below(module, [name]))})


@cache
def list_reached(module: str) -> frozenset[str]:
    """The modules of other people that are loaded with a module, by their top-level names, those of IMPURE in full."""
    reached: set[str] = set()
    seen, waiting = {module}, [module]
    while waiting:
        for imported in (found.imported for found in imports_by_module().get(waiting.pop(), [])):
            if imported in modules():
                waiting += [] if imported in seen else [imported]
                seen.add(imported)
            else:
                reached |= list_names_of_others(imported)
    return frozenset(reached)


def list_faults(module: str, forbidden: set[str]) -> Iterator[str]:
    """The lines of a module through which something forbidden is reached."""
    for found in imports_by_module().get(module, []):
        reached = list_reached(found.imported) if found.imported in modules() else {found.imported.split(".")[0]}
        reached |= {name for name in IMPURE if is_below(found.imported, [name])}
        if reached & forbidden:
            yield f"{found}, which reaches {', '.join(sorted(reached & forbidden))}"


@cache
def functions() -> list[tuple[str, int]]:
    """Where each function is, and its length in lines."""
    return [
        (f"{path.relative_to(ROOT)}:{node.lineno}: {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1)
        for path in modules().values()
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_it_lets_imports_run_one_way():
    wrong = [str(found) for found in imports() if not is_allowed(found)]
    assert not wrong, "\n" + "\n".join(wrong)


def test_it_keeps_pure_folders_pure():
    wrong = [fault for module in modules() if is_pure(module) for fault in list_faults(module, DJANGO | IMPURE)]
    assert not wrong, "\n" + "\n".join(wrong)


def test_its_pure_folders_use_few_libraries():
    known = {*sys.stdlib_module_names, *APPS, *PURE_LIBRARIES}
    used = [found for found in imports() if is_pure(found.importer) and get_app(found.imported) not in known]
    assert not used, "\n" + "\n".join(map(str, used))


def test_the_kit_and_the_commands_run_without_django():
    checked = [module for module in modules() if is_below(module, DJANGO_FREE) and module not in NEEDS_DJANGO]
    wrong = [fault for module in checked for fault in list_faults(module, DJANGO)]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("importer", "imported", "verdict"),
    [
        ("annotations.results.storage", "servers.registry.models", False),
        ("servers.registry.views", "evaluation.visibility", False),
        ("servers.registry.views", "bcms.lib.text", True),
        ("evaluation.gold.views", "servers.registry.views", False),
        ("evaluation.gold.views", "evaluation.gold.forms", True),
        ("bcms.article_page.views", "servers.registry.views", True),
        ("servers.calls.leases.lease", "servers.tasks", False),
        ("servers.calls.loop", "annotations.results.storage", True),
        ("servers.registry.models", "annotations.results.storage", False),
        ("servers.registry.models", "annotations.results.models", True),
        ("servers.registry.models", "servers.calls.states", True),
        ("bcms.lib.text", "annotations.schema", False),
    ],
)
def test_it_knows_allowed_imports(importer, imported, verdict):
    assert is_allowed(Import(importer, imported, ROOT, 1)) is verdict


def test_it_sees_what_is_reached():
    assert "django" in list_reached("servers.registry.models")
    assert "django" not in list_reached("servers.kit.serving")


def test_it_sees_imports_inside_functions_and_of_modules():
    source = "def late():\n    from annotations import schema\n    import servers.models\n"
    found = [name for node in ast.walk(ast.parse(source)) for name in list_imported(node, "x", ROOT / "x.py")]
    assert sorted(found) == ["annotations.schema", "servers.models"]


def test_it_names_real_modules():
    assert [name for name in (*PURE_MODULES, *DJANGO_FREE, *NEEDS_DJANGO) if name not in modules()] == []


def test_it_keeps_packages_empty():
    packages = [path for path in modules().values() if path.name == "__init__.py"]
    assert [str(path.relative_to(ROOT)) for path in packages if path.read_text(encoding="utf-8").strip()] == []


def test_it_has_no_receivers_of_signals():
    senders = ("django.dispatch", "django.db.models.signals", "django.core.signals", "celery.signals")
    assert [str(found) for found in imports() if found.imported.startswith(senders)] == []


def test_it_has_no_grab_bags():
    names = {name: set(name.split(".")) for name in modules()}
    assert [name for name, parts in names.items() if parts & GRAB_BAGS] == []


def test_it_has_no_crowded_folders():
    folders: dict[Path, int] = {}
    for path in modules().values():
        if path.name != "__init__.py":
            folders[path.parent] = folders.get(path.parent, 0) + 1
    assert {str(folder): number for folder, number in folders.items() if number > MODULES_IN_A_FOLDER} == {}


def test_it_has_no_long_modules():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in modules().values()}
    assert {path: length for path, length in lengths.items() if length > LONGEST_MODULE} == {}


def test_it_has_no_long_functions():
    assert [(where, length) for where, length in functions() if length > LONGEST_FUNCTION] == []


def test_half_of_its_functions_are_short():
    assert median(length for _, length in functions()) <= MEDIAN_FUNCTION
