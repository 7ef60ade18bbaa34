"""The manifest of a backup: what made it, and what has to be there after it was restored."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bcms.backup.backup_folder import MANIFEST
from bcms.backup.errors import BackupError, convert_file_errors

FORMAT = 1


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """What is known about a backup. keys: a fingerprint for each setting with a key that is set."""

    id: str
    # By the clock of the database, in ISO 8601.
    created: str
    software: str
    site: str
    # Major versions of PostgreSQL and of its pg_dump.
    server: int
    client: int
    # app.name of each applied migration
    migrations: list[str]
    rows: dict[str, int]
    keys: dict[str, str]


def format_manifest(manifest: BackupManifest) -> str:
    return json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1, sort_keys=True) + "\n"


def read_manifest(folder: Path) -> BackupManifest:
    """The manifest of a backup whose checksums have been verified. BackupError if it is of another version."""
    with convert_file_errors(folder):
        values: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    if values.pop("format", None) != FORMAT:
        raise BackupError(
            f"{folder} was made by version {values.get('software', 'unknown')} of this software, whose backups this "
            "version does not read: use that version."
        )
    return BackupManifest(**values)
