"""Text that is written as XML 1.0 by joining strings."""

import re
from xml.sax.saxutils import escape, quoteattr

# Characters that XML 1.0 does not allow, not even as references.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
REPLACEMENT = "\ufffd"


def replace_characters_not_in_xml(text: str) -> str:
    """The text for a library that escapes it itself, and fails or writes bad XML for such characters."""
    return NOT_IN_XML.sub(REPLACEMENT, text)


def escape_xml_text_replacing_invalid_characters(text: str) -> str:
    """The text escaped as content of an element. CR is escaped because XML reads it as LF."""
    return escape(replace_characters_not_in_xml(text), {"\r": "&#13;"})


def quote_xml_attribute_replacing_invalid_characters(value: str) -> str:
    """The value in quotation marks. White space is escaped because XML reads it as spaces."""
    return quoteattr(replace_characters_not_in_xml(value))
