"""Refuse XML in an encoding that expat cannot read, as an error in the XML with its place."""

from xml.parsers import expat

# The encodings that expat reads itself; it reads others if each of their bytes is a character.
EXPAT_ENCODINGS = ("utf-8", "utf-16", "us-ascii", "iso-8859-1")
EVERY_BYTE = bytes(range(256))


def refuse_unreadable_encoding(parser: expat.XMLParserType) -> None:
    """Let the parser raise ExpatError, "unknown encoding", where a file declares an encoding that it cannot read.

    Otherwise Python raises LookupError or ValueError, without the place.
    """

    def check_declaration(version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and not _is_readable(encoding):
            error = expat.ExpatError(expat.errors.XML_ERROR_UNKNOWN_ENCODING)
            error.code = expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]
            error.lineno, error.offset = parser.CurrentLineNumber, parser.CurrentColumnNumber
            raise error

    parser.XmlDeclHandler = check_declaration


def _is_readable(encoding: str) -> bool:
    if encoding.lower() in EXPAT_ENCODINGS:
        return True
    try:
        return len(EVERY_BYTE.decode(encoding, "replace")) == len(EVERY_BYTE)
    except (LookupError, ValueError):
        return False
