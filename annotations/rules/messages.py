"""How the messages of rules quote what an answer has."""

from bcms.lib.text import clip_text_replacing_unprintable

LONGEST_QUOTED_VALUE = 60


def quote_value(text: str) -> str:
    """The text in quotation marks for a message: printable and shortened."""
    return f'"{clip_text_replacing_unprintable(text, LONGEST_QUOTED_VALUE)}"'
