"""The files that a command writes."""

from pathlib import Path

from evaluation.commands.errors import UsageError


def write_output_file_atomically(path: str, content: bytes, option_in_error: str) -> None:
    """Write a file atomically. UsageError, naming the option, when it cannot be written."""
    temporary = Path(f"{path}.part")
    try:
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written ({error.strerror}); choose another {option_in_error}.") from None
