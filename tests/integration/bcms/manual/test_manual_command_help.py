"""The manual has the help of every command as the terminal shows it."""

import html

from evaluation.__main__ import COMMANDS


def test_it_explains_every_command(client, db):
    page = html.unescape(client.get("/manual/runs/").content.decode())
    for name, meaning in COMMANDS.items():
        assert f"<summary><code>{name}</code>: {meaning}</summary>" in page
        assert f"usage: python -m evaluation {name} [-h]" in page
    assert "\n  --min-confidence C    a list ends at its first result below C\n" in page
