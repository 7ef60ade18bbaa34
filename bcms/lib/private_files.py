"""Files and folders that nobody but their owner can read."""

from pathlib import Path


def make_private_folder(folder: Path) -> None:
    """Create a folder with its parents, or close an existing one to others."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


def write_private_text(path: Path, text: str) -> None:
    """Write a file in UTF-8; it is closed to others before it has content."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_text(text, encoding="utf-8")
