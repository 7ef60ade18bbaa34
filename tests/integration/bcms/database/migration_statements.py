"""The statements of migrations, and what squawk finds in them that older processes or other users would notice."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from django.db import connection
from django.db.migrations import Migration, RunPython, RunSQL, SeparateDatabaseAndState
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

APPS = ("annotations", "bcms", "evaluation", "servers")
# Columns have the types that Django gives them, and `migrate` limits the wait for locks itself.
IGNORED = ("prefer-", "require-lock-timeout", "require-statement-timeout")
# Nobody but its author knows what such an operation does to a table, and for how long.
OWN_CODE = "own-code"


def list_later_migrations(last_names: Mapping[str, str]) -> list[tuple[Migration, ProjectState]]:
    """The migrations of our apps after those that are named for each app, with the state before each."""
    graph = MigrationLoader(None).graph
    before = graph.make_state(nodes=list(last_names.items()))
    plan = dict.fromkeys(key for leaf in sorted(graph.leaf_nodes()) for key in graph.forwards_plan(leaf))
    earlier = {key for name in last_names.items() for key in graph.forwards_plan(name)}
    later = []
    for key in plan:
        if key[0] in APPS and key not in earlier:
            later.append((graph.nodes[key], before))
            before = graph.nodes[key].mutate_state(before)
    return later


def collect_statements(migration: Migration, before: ProjectState) -> str:
    """The SQL of a migration, without running it.

    Names that Django looks up in the database are missing where the migration has been run, such as that of the index
    of a foreign key that shall have none any more. Dropping it takes no time.
    """
    with connection.schema_editor(collect_sql=True, atomic=False) as editor:
        migration.apply(before.clone(), editor, collect_sql=True)
    return "\n".join(editor.collected_sql)


def iterate_operations(operations: list[Operation]) -> Iterator[Operation]:
    """All operations, also those inside of others."""
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from iterate_operations(operation.database_operations)
        yield operation


def find_rules(migration: Migration, before: ProjectState) -> set[str]:
    """The names of the rules that a migration breaks."""
    has_code = any(isinstance(each, (RunPython, RunSQL)) for each in iterate_operations(migration.operations))
    found = check_statements(collect_statements(leave_python_out(migration), before), migration.atomic)
    return found | ({OWN_CODE} if has_code else set())


def leave_python_out(migration: Migration) -> Migration:
    """A migration that changes the state as this one does, but has no Python, which collecting its SQL would run."""
    result = Migration(migration.name, migration.app_label)
    result.operations = [
        SeparateDatabaseAndState(state_operations=[each])
        if any(isinstance(inner, RunPython) for inner in iterate_operations([each]))
        else each
        for each in migration.operations
    ]
    return result


def check_statements(statements: str, is_in_transaction: bool) -> set[str]:
    """The names of squawk's rules that these statements break."""
    program = Path(sys.executable).with_name("squawk")
    transaction = "--assume-in-transaction" if is_in_transaction else "--no-assume-in-transaction"
    command = [program, "--reporter=json", "--pg-version=15.0", transaction]
    checked = subprocess.run(command, input=statements, capture_output=True, text=True)
    names = {each["rule_name"] for each in json.loads(checked.stdout)}
    return {name for name in names if not name.startswith(IGNORED)}
