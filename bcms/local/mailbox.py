"""The demo's mail: each new file in its folder is told at the terminal in one line."""

from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default
from pathlib import Path


@dataclass
class Mailbox:
    """What was there at the first look is not told."""

    folder: Path
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        self.seen = {path.name for path in self.folder.glob("*.eml")}

    def news(self) -> list[str]:
        """A line for each message that came since the last look."""
        new = sorted(path for path in self.folder.glob("*.eml") if path.name not in self.seen)
        self.seen.update(path.name for path in new)
        return [line_of(path) for path in new]


def line_of(path: Path) -> str:
    message = message_from_bytes(path.read_bytes(), policy=default)
    line = f"Mail to {message['To']}: {message['Subject']}, in {path}"
    return "".join(letter if letter.isprintable() else "?" for letter in line)
