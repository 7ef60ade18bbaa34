"""The files that a command writes."""

from pathlib import Path

from evaluation.commands.errors import UsageError


def save(path: str, content: bytes, option: str) -> None:
    """Write the file whole or not at all. UsageError, which names the option, when it cannot be written."""
    beside = Path(f"{path}.part")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); choose another {option}.") from None
