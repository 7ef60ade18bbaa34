"""Watch the folder of the demo's mail, to announce new messages on the terminal."""

from dataclasses import dataclass, field
from email import message_from_bytes
from email.policy import default
from pathlib import Path

from bcms.lib.private_files import make_private_folder


@dataclass
class MailFolderWatcher:
    """Finds new messages in a folder, ignoring those that were there at the start."""

    folder: Path
    known_names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        make_private_folder(self.folder)
        self.known_names = {path.name for path in self.folder.glob("*.eml")}

    def list_new_messages(self) -> list[str]:
        """A line for each message that arrived since the last call."""
        new = sorted(path for path in self.folder.glob("*.eml") if path.name not in self.known_names)
        self.known_names.update(path.name for path in new)
        return [_format_mail_line(path) for path in new]


def _format_mail_line(path: Path) -> str:
    message = message_from_bytes(path.read_bytes(), policy=default)
    line = f"Mail to {message['To']}: {message['Subject']}, in {path}"
    return "".join(letter if letter.isprintable() else "?" for letter in line)
